import { Type } from 'typebox';
import { plainRecords, type Data, type LinkTable } from '../../../pipeline/model/index.js';
import { endpointsWith, formView, type Call } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { shownOf } from '../../service/deployment/anonymous.js';
import { topologyOf } from './topology-of.js';

type Parts = 'topologies' | 'clock' | 'watch';

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;

interface Wanted {
  readonly id: string;
  readonly node: string;
  readonly limit: number;
  readonly waitMs: number;
  readonly everyMs: number;
}

/** Output of a node while somebody watches. */
interface Seen {
  readonly node: string;
  readonly records: readonly object[];
  /** Number of further records that passed in the meantime; frames of CSI count individually. */
  readonly leftOut: number;
}

/** Concurrent taps over all nodes. */
const LOOKING = 8;

const tap = endpoint<Wanted, Seen>({
  method: 'GET',
  path: '/topologies/:id/nodes/:node/records',
  summary:
    'Records that a node outputs from now on, or that a sink accepts: a sample that never slows the pipeline.',
  access: 'operator',
  limit: 'pose_data',
  status: 200,
  // Taps reveal records of people, so they are audited.
  audit: ({ limit }) => ({ limit }),
  handle: look,
  b: formView({
    path: Type.Object({ id: Type.String(), node: Type.String() }),
    query: Type.Object(
      {
        limit: Type.Integer({
          minimum: 1,
          maximum: 1000,
          default: 10,
          description: 'Largest number of records.',
        }),
        wait_ms: Type.Integer({
          minimum: 0,
          maximum: 30_000,
          default: 5_000,
          description: 'How long to wait for that number.',
        }),
        every_ms: Type.Integer({
          minimum: 0,
          maximum: 30_000,
          default: 0,
          description: 'Skips records that follow the last returned one within this time.',
        }),
      },
      closed,
    ),
    response: Type.Object(
      {
        node: Type.String(),
        records: Type.Array(
          Type.Object(
            { port: Type.String(), time: Type.String({ format: 'date-time' }) },
            { additionalProperties: true },
          ),
        ),
        left_out: Type.Integer(),
      },
      closed,
    ),
    read: ({ path, query }) => ({
      id: path.id,
      node: path.node,
      limit: query.limit,
      waitMs: query.wait_ms,
      everyMs: query.every_ms,
    }),
    render: ({ node, records, leftOut }) => ({ data: { node, records, left_out: leftOut } }),
  }),
});

export const tapEndpoints = [tap];

const looking = new WeakMap<object, number>();

async function look(wanted: Wanted, { deployment, signal }: Call<Parts>): Promise<Seen> {
  const running = topologyOf(deployment, wanted.id);
  const { nodes } = running.status();
  if (!nodes.some(({ id }) => id === wanted.node)) {
    const known = nodes.map(({ id }) => id).join(', ');
    throw new ApiError(
      'RESOURCE_NOT_FOUND',
      `No node has the name ${wanted.node}; available nodes: ${known}`,
    );
  }
  const others = looking.get(deployment) ?? 0;
  if (others >= LOOKING) {
    throw new ApiError(
      'RATE_LIMIT_EXCEEDED',
      `There are already ${others} concurrent taps: wait for one to end`,
      {
        headers: { 'Retry-After': '5' },
      },
    );
  }
  looking.set(deployment, others + 1);
  const sample = new Sample(wanted, running.links, () => deployment.clock.elapsed());
  const shown = shownOf(running.topology, wanted.node);
  const take = (record: Data) => {
    sample.take(shown(record));
  };
  const unwatch = deployment.watch(wanted.node, take, wanted.id);
  try {
    await sample.full(wanted.waitMs, signal);
  } finally {
    unwatch();
    looking.set(deployment, looking.get(deployment)! - 1);
  }
  return { node: wanted.node, records: sample.plain(), leftOut: sample.leftOut };
}

/** Collects unconverted records up to the limit; they are converted at the end. */
class Sample {
  leftOut = 0;
  readonly #wanted: Wanted;
  readonly #links: LinkTable;
  readonly #elapsed: () => number;
  readonly #tapped: { readonly data: Data; readonly count: number }[] = [];
  #count = 0;
  #last = -Infinity;
  #done: () => void = () => undefined;

  constructor(wanted: Wanted, links: LinkTable, elapsed: () => number) {
    this.#wanted = wanted;
    this.#links = links;
    this.#elapsed = elapsed;
  }

  take(data: Data): void {
    const size = data.port === 'csi' ? data.count : 1;
    const now = this.#elapsed();
    const room = this.#wanted.limit - this.#count;
    if (room <= 0 || now - this.#last < this.#wanted.everyMs) {
      this.leftOut += size;
      return;
    }
    this.#last = now;
    const count = this.#wanted.everyMs > 0 ? 1 : Math.min(room, size);
    this.#tapped.push({ data, count });
    this.#count += count;
    this.leftOut += size - count;
    if (this.#count >= this.#wanted.limit) this.#done();
  }

  /** Resolves when the number is reached, the time is over, or the caller disconnects. */
  async full(waitMs: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      signal.addEventListener('abort', end);
      this.#done = end;
    });
  }

  plain(): readonly object[] {
    return this.#tapped.flatMap(({ data, count }) => plainRecords(data, this.#links).slice(0, count));
  }
}
