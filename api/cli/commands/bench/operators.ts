import type { Command } from 'commander';
import type { OperatorCost } from '../../../../bench/speed/operator-costs.js';
import { wholeNumber } from '../../number-options.js';

interface Options {
  readonly only?: readonly string[];
  readonly rounds: number;
  readonly atLeastMs: number;
  readonly json: boolean;
}

export function register(bench: Command): void {
  bench
    .command('operators')
    .description('Measure the processor time of each operator alone, with the same again as a control.')
    .option('--only <list>', 'names of operators, such as denoise,window', (text: string) => text.split(','))
    .option('--rounds <number>', 'counted rounds, after one of warm-up', wholeNumber(1, 100), 5)
    .option('--at-least-ms <number>', 'processor time of each measurement', wholeNumber(1, 60_000), 200)
    .option('--json', 'print the results as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow bench operators --only denoise,window')
    .action(run);
}

async function run({ only, json, ...options }: Options, command: Command): Promise<void> {
  const [{ operatorCosts }, { machine, machineText }, { components }] = await Promise.all([
    import('../../../../bench/speed/operator-costs.js'),
    import('../../../../bench/machine.js'),
    import('../../../components.js'),
  ]);
  const all = components.list().filter((one) => one.kind === 'operator');
  const unknown = only?.filter((name) => !all.some((operator) => operator.name === name)) ?? [];
  if (unknown.length > 0)
    command.error(
      `error: no operator is named ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`,
      { exitCode: 2 },
    );
  const on = machine();
  const { costs, notMeasured } = await operatorCosts(
    all.filter(({ name }) => only?.includes(name) ?? true),
    { ...options, progress: (line) => process.stderr.write(`${line}\n`) },
  );
  if (json) {
    process.stdout.write(`${JSON.stringify({ machine: on, ...options, costs, notMeasured }, null, 2)}\n`);
    return;
  }
  process.stdout.write(`${machineText(on)}; ${options.rounds} rounds\n\n${table(costs).join('\n')}\n`);
  process.stdout.write(`\nmeasured: ${costs.length} of ${costs.length + notMeasured.length} operators\n`);
  for (const { operator, reason } of notMeasured)
    process.stdout.write(`\nnot measured: ${operator}: ${reason}`);
  process.stdout.write('\n');
}

const RECORDS = {
  ...{ csi: 'frame', window: 'window' },
  ...{ event: 'event', pose: 'pose frame', measure: 'measure' },
} as const;

/** As Markdown, the most expensive first. */
const table = (costs: readonly OperatorCost[]): readonly string[] => [
  '| operator | configuration | of a | processor time, us | records/s on one core | control |',
  '|---|---|---|---|---|---|',
  ...[...costs]
    .sort((a, b) => b.microseconds[0] - a.microseconds[0])
    .map(({ operator, config, reads, microseconds: [middle, least, most], control }) => {
      const spread = `${middle.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
      const perSecond = Math.round(1e6 / middle).toLocaleString('en');
      return `| \`${operator}\` | \`${JSON.stringify(config).replaceAll('|', '\\|')}\` | ${reads.map((port) => RECORDS[port]).join(' or ')} | ${spread} | ${perSecond} | ${control.toFixed(2)} |`;
    }),
];
