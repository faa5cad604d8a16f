import type { Command } from 'commander';
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
    .option('--out <folder>', 'folder of the report (default: docs/reports)')
    .option('--json', 'print the report as JSON; progress goes to stderr')
    .addHelpText('after', '\nExample:\n  csiflow evaluate tracking --scenes 8 --out /tmp/report')
    .action(async (options: { seed: number; scenes: number; out?: string; json?: boolean }) => {
      const { evaluateTracking } = await import('../../../../bench/accuracy/tracking-report.js');
      const report = evaluateTracking({
        ...options,
        print: toPeople(options.json),
      });
      if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    });
}
