import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { remoteOptions, type RemoteOptions } from '../remote.js';

interface Options extends RemoteOptions {
  readonly limit?: string;
  readonly every?: string;
  readonly format: string;
  readonly topology?: string;
}

export function register(program: Command): void {
  remoteOptions(
    program
      .command('tap')
      .argument('<node>', 'a node of the running topology')
      .description('Show the records that a node gives, as they come; of a sink, those that it takes.')
      .option('--limit <n>', 'end after so many records; default: go on until Ctrl-C')
      .option('--every <ms>', 'at most one record in this time; what comes between is left out')
      .option('--topology <id>', 'the topology; default: the only one')
      .option('--format <text|json>', 'how records are shown', 'text'),
  )
    .addHelpText(
      'after',
      '\nIt is a sample: what comes while records are fetched is left out, and the pipeline never waits.' +
        '\nExample:\n  csiflow tap people --limit 5\n  csiflow tap motion --every 1000 --format json',
    )
    .action(tap);
}

/** Records of one question, and how long the service waits for them: its answer comes when they are there. */
const PAGE = 100;
const WAIT_MS = 2_000;

interface Answered {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly left_out: number;
}

async function tap(node: string, options: Options): Promise<void> {
  const [{ askWhole, signedIn }, { untilStopped }, { numberOption }, { recordText }] = await Promise.all([
    import('../remote.js'),
    import('../recordings/progress.js'),
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
  let leftOut = 0;
  try {
    while (left > 0 && !stop.signal.aborted) {
      const query = new URLSearchParams({
        limit: String(Math.min(left, PAGE)),
        wait_ms: String(Math.max(WAIT_MS, every)),
        every_ms: String(every),
      });
      const path = `/topologies/${encodeURIComponent(topology)}/nodes/${encodeURIComponent(node)}/records?${query.toString()}`;
      const { data } = await askWhole(session, 'GET', path);
      const { records, left_out } = data as Answered;
      for (const record of records)
        process.stdout.write(`${json ? JSON.stringify(record) : recordText(record)}\n`);
      left -= records.length;
      leftOut += left_out;
    }
  } finally {
    stop.release();
  }
  if (leftOut > 0) process.stderr.write(`${leftOut} further records were left out\n`);
}

/** The topology that has the node. @throws CommandError naming the nodes that there are */
async function topologyWith(node: string, url: string): Promise<string> {
  const { readMoment } = await import('../figures.js');
  const { nodes } = await readMoment(url);
  const found = nodes.find((one) => one.node === node);
  if (found) return found.topology;
  throw new CommandError(
    `there is no node ${node}; there are ${nodes.map((one) => one.node).join(', ')}`,
    EXIT.invalid,
  );
}
