import { Option, type Command } from 'commander';
import { numberAbove0 } from '../../number-options.js';
import type { MeasuredResult } from '../../../../bench/line.js';

/** The possible measurements, repeated here because importing them would slow every start of csiflow. */
export const NAMES = [
  'chain',
  'runtime',
  'journal',
  'checkpoint',
  'udp',
  'restart',
  'latency',
  'clients',
  'history',
  'memory',
];

interface Options {
  readonly only?: string;
  readonly quick?: boolean;
  readonly memoryMinutes: number;
  readonly json?: boolean;
  readonly write?: boolean;
}

export function register(bench: Command): void {
  bench
    .command('line')
    .description('Measure the line from a datagram to stored results, each figure beside its control.')
    .addOption(new Option('--only <name>', 'measure only this').choices(NAMES))
    .option('--quick', 'fewer rounds and shorter runs: for a quick look, not for publication')
    .option('--memory-minutes <number>', 'how long to watch memory', numberAbove0(24 * 60), 1)
    .option('--json', 'print the results as JSON')
    .option('--write', 'also write them to the table of docs/performance.md, and leave the rest of the page')
    .addHelpText('after', '\nExample:\n  csiflow bench line --only udp')
    .action(run);
}

async function run({ only, quick = false, memoryMinutes, json, write }: Options): Promise<void> {
  const [{ measureLine }, { machine, machineText }] = await Promise.all([
    import('../../../../bench/measure-line.js'),
    import('../../../../bench/machine.js'),
  ]);
  const on = machine();
  const results = await measureLine(only, {
    quick,
    memorySeconds: memoryMinutes * 60,
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  if (write) await writePage(results);
  if (json) process.stdout.write(`${JSON.stringify({ machine: on, quick, results }, null, 2)}\n`);
  else {
    process.stdout.write(`${machineText(on)}\n\n`);
    for (const result of results) print(result);
  }
}

function print({ what, target, reached, control, met }: MeasuredResult): void {
  const lines = [
    what,
    `  target   ${target}`,
    `  reached  ${reached}${met ? '' : '  (missed)'}`,
    `  control  ${control}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function writePage(results: readonly MeasuredResult[]): Promise<void> {
  const { existsSync } = await import('node:fs');
  const { readFile, writeFile } = await import('node:fs/promises');
  const { outputFile } = await import('../../../../pipeline/base/paths.js');
  const { performancePage } = await import('../../../../bench/performance-page.js');
  const path = outputFile('docs/performance.md');
  const page = existsSync(path) ? await readFile(path, 'utf8') : null;
  await writeFile(path, performancePage(page, results));
}
