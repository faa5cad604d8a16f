import type { Command } from 'commander';
import { endedBySignals } from '../ended-by-signals.js';
import { numberAbove0 } from '../number-options.js';

interface Options {
  readonly seconds: number;
  readonly out: string;
  readonly node?: string;
  readonly walker?: boolean;
  readonly json?: boolean;
  readonly plugin: readonly string[];
}

export function register(program: Command): void {
  program
    .command('calibrate')
    .argument('<topology>', 'file of a topology whose room is empty now (with --walker: one person walks)')
    .description(
      'Measure the empty room for calibrate, and for infer-pose (whose postures become more accurate) or your own pose network; then, with --walker, how strongly people change its channels, so that infer-pose counts them better.',
    )
    .requiredOption(
      '--out <file>',
      'calibration file to write; name it in the field `calibration` of infer-pose and calibrate',
    )
    .option('--seconds <number>', 'how long to listen, in event time', numberAbove0(86_400), 60)
    .option('--node <id>', 'window operator to listen to (default: the one that the pose network reads)')
    .option(
      '--walker',
      'instead of the empty room, measure how strongly one person who walks about changes the channels, with nobody else there, nor a pet; adds it to a file that has the empty room',
    )
    .option('--json', 'print the measurements as JSON')
    .option('--plugin <file...>', 'modules with your own components', [])
    .addHelpText(
      'after',
      '\nExample:\n  csiflow calibrate topologies/ward-3.yaml --out topologies/ward-3.calibration.json' +
        '\n  csiflow calibrate topologies/ward-3.yaml --out topologies/ward-3.calibration.json --walker',
    )
    .action(async (topology: string, { json, plugin, ...options }: Options) => {
      const [{ calibrateTopology }, { Progress }, { registryWith }] = await Promise.all([
        import('../calibration/calibrate.js'),
        import('../progress.js'),
        import('../../plugins.js'),
      ]);
      const shown = new Progress();
      const settings = {
        ...options,
        registry: await registryWith(plugin),
        print: (line: string) => {
          shown.end();
          process.stderr.write(`${line}\n`);
        },
        progress: (heard: number) => {
          shown.show(() => `${heard.toFixed(0)} of ${options.seconds} s heard`);
        },
      };
      const end = () => {
        shown.end();
      };
      const measured = await endedBySignals(() => calibrateTopology(topology, settings).finally(end), end);
      if (json) process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`);
    });
}
