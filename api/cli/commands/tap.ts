import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { numberOf } from '../number-of.js';
import { remoteOptions, type RemoteOptions } from '../remote.js';
import { toStderr } from '../to-stderr.js';

interface Options extends RemoteOptions {
  readonly limit?: string;
  readonly every?: string;
  readonly format: string;
  readonly topology?: string;
  readonly where?: string;
  readonly csi: boolean;
}

export function register(program: Command): void {
  remoteOptions(
    program
      .command('tap')
      .argument('<node>', 'a node of the running topology')
      .description('Show the records that a node outputs, live; for a sink, its input.')
      .option('--limit <n>', 'exit after this many records; default: continue until Ctrl-C')
      .option('--every <ms>', 'at most one record in this time; others are skipped')
      .option(
        '--where <expression>',
        'only records for which this CEL expression is true: `event.severity == "high"`',
      )
      .option('--csi', 'show amplitudes and phases of CSI frames', false)
      .option('--topology <id>', 'the topology; default: the only one')
      .option('--format <text|json>', 'output format of the records', 'text'),
  )
    .addHelpText(
      'after',
      '\nIt is a sample: records that arrive during a fetch are skipped, and the pipeline never waits.' +
        '\nAn expression reads csi, window, pose, event or measure, with the fields that --format json shows.' +
        '\nExample:\n  csiflow tap people --limit 5\n  csiflow tap motion --every 1000 --format json' +
        '\n  csiflow tap motion --where \'measure.name == "motion" && measure.value > 0.3\'' +
        '\n  csiflow tap flat --csi --every 1000 --where \'csi.link == "door-desk"\'',
    )
    .action(tap);
}

/** Records per request, and how long the service waits for them: it answers as soon as it has them. */
const PAGE = 100;
const WAIT_MS = 2_000;

interface Answered {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly left_out: number;
  readonly seen: number;
  readonly problem: string | null;
}

async function tap(node: string, options: Options): Promise<void> {
  const [{ askWhole, signedIn }, { untilStopped }, { numberOption }, { recordText }] = await Promise.all([
    import('../remote.js'),
    import('../until-stopped.js'),
    import('../recordings/address.js'),
    import('../record-text.js'),
  ]);
  if (options.format !== 'text' && options.format !== 'json')
    throw new CommandError(`--format must be text or json, not ${options.format}`, EXIT.invalid);
  const json = options.json || options.format === 'json';
  const every = options.every === undefined ? 0 : Math.round(numberOption('every', options.every, 0));
  let left = options.limit === undefined ? Infinity : numberOption('limit', options.limit, 1);
  const session = await signedIn(options);
  const topology = options.topology ?? (await topologyWith(node, options.url));
  const stop = untilStopped();
  const notes = new Notes(options.where !== undefined);
  try {
    while (left > 0 && !stop.signal.aborted) {
      const query = new URLSearchParams({
        limit: String(Math.min(left, PAGE)),
        wait_ms: String(Math.max(WAIT_MS, every)),
        every_ms: String(every),
        values: String(options.csi),
        ...(options.where !== undefined && { where: options.where }),
      });
      const path = `/topologies/${encodeURIComponent(topology)}/nodes/${encodeURIComponent(node)}/records?${query.toString()}`;
      const { data } = await askWhole(session, 'GET', path);
      const { records } = data as Answered;
      notes.see(data as Answered);
      for (const record of records)
        process.stdout.write(`${json ? JSON.stringify(record) : recordText(record)}\n`);
      left -= records.length;
    }
  } finally {
    stop.release();
  }
  notes.end();
}

/** What stderr says about the records that are not shown, each thing once. */
class Notes {
  readonly #filtered: boolean;
  #leftOut = 0;
  #failed = false;
  /** An answer was without a match, which was said, or some had one. */
  #settled = false;

  constructor(filtered: boolean) {
    this.#filtered = filtered;
  }

  see({ records, left_out, seen, problem }: Answered): void {
    this.#leftOut += left_out;
    if (problem !== null && !this.#failed) toStderr(`csiflow: records were skipped: ${problem}`);
    this.#failed ||= problem !== null;
    if (this.#filtered && !this.#settled && records.length === 0)
      toStderr(
        seen === 0
          ? 'csiflow: no record has arrived yet; waiting'
          : `csiflow: ${numberOf(seen, 'record')} arrived, none of which matches --where; waiting`,
      );
    this.#settled = true;
  }

  end(): void {
    const count = this.#leftOut;
    if (count > 0) toStderr(`${numberOf(count, 'further record')} ${count === 1 ? 'was' : 'were'} skipped`);
  }
}

/** The topology with the node. @throws CommandError with the available nodes */
async function topologyWith(node: string, url: string): Promise<string> {
  const { readMoment } = await import('../figures.js');
  const { nodes } = await readMoment(url);
  const found = nodes.find((one) => one.node === node);
  if (found) return found.topology;
  throw new CommandError(
    `unknown node ${node}; available nodes: ${nodes.map((one) => one.node).join(', ')}`,
    EXIT.invalid,
  );
}
