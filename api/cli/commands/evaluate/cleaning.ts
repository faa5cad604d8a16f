import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';
import { toPeople } from '../../to-stderr.js';

export function register(evaluate: Command): void {
  evaluate
    .command('cleaning')
    .description(
      'Measure the effect of the cleaning operators on real recordings, and write docs/reports/cleaning.md.',
    )
    .requiredOption('--data <folder>', 'folder with captures/ and labelled/')
    .option('--out <folder>', 'folder of the report (default: docs/reports)')
    .option('--json', 'print the report as JSON; progress goes to stderr')
    .addHelpText('after', '\nExample:\n  csiflow evaluate cleaning --data recordings')
    .action(async (options: { data: string; out?: string; json?: boolean }) => {
      const { evaluateCleaning, missingCaptures } =
        await import('../../../../bench/accuracy/cleaning/report.js');
      const missing = missingCaptures(options.data);
      if (missing !== undefined)
        throw new CommandError(
          `${missing} is missing: --data must contain captures/ and labelled/`,
          EXIT.invalid,
        );
      const report = evaluateCleaning({
        ...options,
        print: toPeople(options.json),
      });
      if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    });
}
