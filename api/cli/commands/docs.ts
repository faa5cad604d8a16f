import type { Command } from 'commander';
import { CommandError } from '../../../pipeline/base/exit.js';

export function register(program: Command): void {
  program
    .command('docs')
    .description('Generate the pages about components, topology files and error codes from the code.')
    .option('--check', 'write nothing; fail if a page is out of date')
    .addHelpText('after', '\nExample:\n  csiflow docs --check')
    .action(async (options: { readonly check?: boolean }) => {
      const { staleDocs, writeDocs } = await import('../docs-pages.js');
      if (!options.check) {
        const pages = writeDocs();
        process.stdout.write(`${pages.length} pages written\n`);
        return;
      }
      const stale = staleDocs();
      if (stale.length > 0) throw new CommandError(`run \`csiflow docs\`; out of date: ${stale.join(', ')}`);
      process.stdout.write('all pages are up to date\n');
    });
}
