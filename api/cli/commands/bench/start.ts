import type { Command } from 'commander';
import type { StartSpeed } from '../../../../bench/speed/system/start.js';
import { wholeNumber } from '../../number-options.js';

interface Options {
  readonly rounds: number;
  readonly against?: string;
  readonly json: boolean;
}

export function register(bench: Command): void {
  bench
    .command('start')
    .description(
      'Measure how long the demo takes to start and to serve its first pose, beside the same again as a control.',
    )
    .option('--rounds <number>', 'counted rounds, after one of warm-up', wholeNumber(1, 100), 5)
    .option('--against <folder>', 'a compiled checkout of another version, measured in turn with this one')
    .option('--json', 'print the results as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow bench start --against ../csiflow-before')
    .action(run);
}

async function run({ rounds, against, json }: Options): Promise<void> {
  const [{ startSpeed }, { machine, machineText }, path] = await Promise.all([
    import('../../../../bench/speed/system/start.js'),
    import('../../../../bench/machine.js'),
    import('node:path'),
  ]);
  const on = machine();
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const other = against === undefined ? null : path.resolve(against);
  const starts = await startSpeed({ rounds, against: other, progress });
  if (json) process.stdout.write(`${JSON.stringify({ machine: on, rounds, starts }, null, 2)}\n`);
  else process.stdout.write(`${machineText(on)}; ${rounds} rounds\n\n${table(starts).join('\n')}\n`);
}

/** As Markdown. */
const table = (starts: readonly StartSpeed[]): readonly string[] => [
  '| version | until `/readyz`, ms | processor time, ms | of the main thread, ms | over this version | until the first pose, ms | processor time, ms | over this version |',
  '|---|---|---|---|---|---|---|---|',
  ...starts.map(({ version, ready, cpu, mainThread, pose, poseCpu, overThis }) => {
    const [overReady, overCpu, overPose, overPoseCpu] = overThis.map((ratio) => ratio.toFixed(2));
    return (
      `| ${[version, spread(ready), spread(cpu), spread(mainThread)].join(' | ')} | ` +
      `${overReady}, processor time ${overCpu} | ${spread(pose)} | ${spread(poseCpu)} | ` +
      `${overPose}, processor time ${overPoseCpu} |`
    );
  }),
];

const spread = (values: StartSpeed['ready']): string => {
  const [middle, least, most] = values.map((value) => Math.round(value));
  return `${middle} (${least} to ${most})`;
};
