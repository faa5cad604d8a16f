import type { Command } from 'commander';

/** Frames a second that decode, denoise, phase-sanitize and window are to reach together on one core. */
const TARGETS = { 64: 100_000, 256: 20_000 } as const;

export function register(bench: Command): void {
  bench
    .command('line')
    .description('Measure decode, denoise, phase-sanitize and window on one core, beside a control.')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  csiflow bench line')
    .action(async ({ json }: { json?: boolean }) => {
      const { chainSpeed } = await import('../../../../bench/speed/operators.js');
      const results = ([64, 256] as const).map((bins) => ({ ...chainSpeed(bins), target: TARGETS[bins] }));
      if (json) {
        process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
        return;
      }
      console.table(
        results.map(({ bins, target, framesPerSecond, control, microsecondsPerFrame: us }) => ({
          subcarriers: bins,
          'decode us': us.decode.toFixed(2),
          '+ denoise': us.denoise.toFixed(2),
          '+ phase': us.phase.toFixed(2),
          '+ window': us.window.toFixed(2),
          'frames/s': Math.round(framesPerSecond),
          target,
          'control A/A': control.toFixed(3),
        })),
      );
    });
}
