import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';

export function register(evaluate: Command): void {
  evaluate
    .command('falls')
    .description('Measure detect-falls on real recordings, and write docs/reports/falls.md and falls.json.')
    .requiredOption('--data <folder>', 'folder with captures/ and labelled/')
    .option('--out <folder>', 'folder of the report (default: docs/reports)')
    .option('--json', 'print the report as JSON; progress goes to stderr')
    .addHelpText('after', '\nExample:\n  csiflow evaluate falls --data recordings')
    .action(async (options: { data: string; out?: string; json?: boolean }) => {
      const { evaluateFalls, missingRecordings } = await import('../../../../bench/accuracy/falls.js');
      const missing = missingRecordings(options.data);
      if (missing !== undefined) throw new CommandError(missing, EXIT.invalid);
      const report = evaluateFalls({
        ...options,
        print: (line) => (options.json ? process.stderr : process.stdout).write(`${line}\n`),
      });
      if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    });
}
