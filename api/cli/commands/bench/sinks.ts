import { InvalidArgumentError, type Command } from 'commander';
import { errorText } from '../../../../pipeline/base/error-text.js';
import type { SinkSpeed } from '../../../../bench/speed/sinks.js';
import { wholeNumber } from '../../number-options.js';

/** A node as in a topology file, without `from`. */
type Node = Readonly<Record<string, unknown>> & { readonly type: string };

interface Options {
  readonly sink: readonly Node[];
  readonly rounds: number;
  readonly records: number;
  readonly json: boolean;
}

/** They need no server. */
const LOCAL: readonly Node[] = [
  { type: 'duckdb', path: 'bench.duckdb' },
  { type: 'file', path: 'bench.ndjson' },
  { type: 'mcap', path: 'bench.mcap' },
];

export function register(bench: Command): void {
  bench
    .command('sinks')
    .description('Measure how fast sinks write, with the same again as a control.')
    .option(
      '--sink <json>',
      'a sink with its configuration, repeatable (default: those without a server)',
      node,
      [],
    )
    .option('--rounds <number>', 'counted rounds, after one of warm-up', wholeNumber(1, 100), 3)
    .option('--records <number>', 'of each measurement', wholeNumber(256, 10_000_000), 20_000)
    .option('--json', 'print the results as JSON', false)
    .addHelpText(
      'after',
      `\nExample:\n  csiflow bench sinks --sink '{"type":"influxdb","url":"http://127.0.0.1:8086","database":"bench"}'`,
    )
    .action(run);
}

function node(text: string, before: readonly Node[]): readonly Node[] {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || typeof (value as Partial<Node>).type !== 'string')
    throw new InvalidArgumentError(
      'It must be a JSON object with a type, like {"type":"file","path":"out.ndjson"}.',
    );
  return [...before, value as Node];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${errorText(error)}`);
  }
}

async function run({ sink, json, ...options }: Options, command: Command): Promise<void> {
  const [{ sinkSpeeds, configOf }, { machine, machineText }, { components }] = await Promise.all([
    import('../../../../bench/speed/sinks.js'),
    import('../../../../bench/machine.js'),
    import('../../../components.js'),
  ]);
  const orders = (sink.length > 0 ? sink : LOCAL).map(({ type, ...written }) => {
    const component = components.sink(type);
    if (!component) {
      const names = components.list('sink').map(({ name }) => name);
      return command.error(`error: no sink is named ${type}; there are ${names.join(', ')}`, { exitCode: 2 });
    }
    const config = configOf(component, written);
    if (typeof config === 'string') return command.error(`error: ${type}: ${config}`, { exitCode: 2 });
    return { component, config, written };
  });
  const on = machine();
  const speeds = await sinkSpeeds(orders, {
    ...options,
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  if (json) process.stdout.write(`${JSON.stringify({ machine: on, ...options, speeds }, null, 2)}\n`);
  else
    process.stdout.write(
      `${machineText(on)}; ${options.rounds} rounds of ${options.records} records\n\n${table(speeds).join('\n')}\n`,
    );
}

/** As Markdown. */
const table = (speeds: readonly SinkSpeed[]): readonly string[] => [
  '| sink | configuration | records/s | slowest to fastest round | processor time per record, us | control |',
  '|---|---|---|---|---|---|',
  ...speeds.map(({ sink, config, recordsPerSecond: [middle, least, most], microseconds, control }) => {
    const [perSecond, from, to] = [middle, least, most].map((value) =>
      Math.round(value).toLocaleString('en'),
    );
    return `| \`${sink}\` | \`${JSON.stringify(config)}\` | ${perSecond} | ${from} to ${to} | ${microseconds[0].toFixed(1)} | ${control.toFixed(2)} |`;
  }),
];
