import { Command } from 'commander';

export function register(program: Command): void {
  program
    .command('demo')
    .description('Run the demo: a simulated flat in which a person walks, sits, lies down and falls.')
    .option('--port <number>', 'port of the API; 0 uses any free one', '8000')
    .addHelpText(
      'after',
      '\nIt stores its data in the folder `data`.\n\nExample:\n  npx csiflow demo --port 9000',
    )
    .action(async ({ port }: { readonly port: string }) => {
      const [{ packageFile }, { register: registerRun }] = await Promise.all([
        import('../../../pipeline/base/paths.js'),
        import('./run.js'),
      ]);
      const run = new Command().exitOverride();
      registerRun(run);
      await run.parseAsync(['run', packageFile('topologies/demo.yaml'), '--port', port], { from: 'user' });
    });
}
