import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';
import { wholeNumber } from '../../number-options.js';
import { toPeople } from '../../to-stderr.js';

export function register(evaluate: Command): void {
  evaluate
    .command('tracking')
    .description(
      'Measure track-persons on simulated people who meet, and write docs/reports/tracking.md and tracking.json.',
    )
    .option(
      '--seed <number>',
      'first room; rooms from 900000 were never used for tuning',
      wholeNumber(1),
      900_000,
    )
    .option('--scenes <number>', 'rooms per row', wholeNumber(1), 24)
    .option(
      '--data <folder>',
      'folder with tracking/tud-campus, a published sequence; without it, the sequence is not measured',
    )
    .option('--out <folder>', 'folder of the report (default: docs/reports)')
    .option('--json', 'print the report as JSON; progress goes to stderr')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow evaluate tracking --scenes 8 --data recordings --out /tmp/report',
    )
    .action(
      async (options: { seed: number; scenes: number; data?: string; out?: string; json?: boolean }) => {
        const [{ evaluateTracking }, { missingSequence }] = await Promise.all([
          import('../../../../bench/accuracy/tracking-report.js'),
          import('../../../../bench/accuracy/published-sequence.js'),
        ]);
        const missing = options.data === undefined ? undefined : missingSequence(options.data);
        if (missing !== undefined)
          throw new CommandError(
            `${missing} is missing: --data must contain tracking/tud-campus`,
            EXIT.invalid,
          );
        const report = evaluateTracking({
          ...options,
          print: toPeople(options.json),
        });
        if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
      },
    );
}
