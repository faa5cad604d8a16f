import type { Command } from 'commander';

interface RestoreOptions {
  readonly replace: boolean;
  readonly json: boolean;
  readonly plugin: readonly string[];
}

export function register(program: Command): void {
  program
    .command('restore')
    .argument('<backup>', 'folder created by `csiflow backup`')
    .argument('<topology>', 'file of the topology, which must be stopped')
    .description('Replace the state of a topology with a backup; its next start resumes from there.')
    .option('--replace', 'move the existing state aside', false)
    .option('--plugin <file...>', 'modules with your own components', [])
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nExample:\n  csiflow restore /mnt/backups/20260301T120000000Z topologies/ward-3.yaml',
    )
    .action(async (backup: string, file: string, { replace, plugin, json }: RestoreOptions) => {
      const [{ loadForCommand }, { registryWith }, { restoreBackup }] = await Promise.all([
        import('../topologies.js'),
        import('../../plugins.js'),
        import('../../service/backup/restore-backup.js'),
      ]);
      const variables = { env: process.env, secrets: process.env['CSIFLOW_SECRETS'] };
      const topology = loadForCommand(file, variables, await registryWith(plugin));
      const aside = await restoreBackup(backup, topology, { replace });
      const old = aside === null ? '' : `; the previous state is now in ${aside}`;
      process.stdout.write(
        json
          ? `${JSON.stringify({ topology: topology.id, moved_to: aside })}\n`
          : `${topology.id} is restored${old}\n`,
      );
    });
}
