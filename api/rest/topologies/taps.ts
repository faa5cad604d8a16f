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

/** What a node gave while someone looked. */
interface Seen {
  readonly node: string;
  readonly records: readonly object[];
  /** Records that passed meanwhile and are not among them; frames of CSI count one by one. */
  readonly leftOut: number;
}

/** People who look at the same time, over all nodes. */
const LOOKING = 8;

const tap = endpoint<Wanted, Seen>({
  method: 'GET',
  path: '/topologies/:id/nodes/:node/records',
  summary: 'Records that a node gives from now on, and a sink takes: a sample that never slows the pipeline.',
  access: 'operator',
  limit: 'pose_data',
  status: 200,
  // Records of people who are sensed are looked at.
  audit: ({ limit }) => ({ limit }),
  handle: look,
  b: formView({
    path: Type.Object({ id: Type.String(), node: Type.String() }),
    query: Type.Object(
      {
        limit: Type.Integer({ minimum: 1, maximum: 1000, default: 10, description: 'Records at most.' }),
        wait_ms: Type.Integer({
          minimum: 0,
          maximum: 30_000,
          default: 5_000,
          description: 'How long is waited for so many.',
        }),
        every_ms: Type.Integer({
          minimum: 0,
          maximum: 30_000,
          default: 0,
          description: 'Leave out what comes sooner than this after the last record that was taken.',
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
    throw new ApiError('RESOURCE_NOT_FOUND', `No node is named ${wanted.node}; there are ${known}`);
  }
  const others = looking.get(deployment) ?? 0;
  if (others >= LOOKING) {
    throw new ApiError('RATE_LIMIT_EXCEEDED', `${others} others look at nodes already: wait for one to end`, {
      headers: { 'Retry-After': '5' },
    });
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

/** Collects what passes as it is, up to its limit; it is made readable when all is there. */
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

  /** Resolves when there are as many as were wanted, when the time is up, and when nobody waits any longer. */
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
