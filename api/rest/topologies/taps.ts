import { Type } from 'typebox';
import {
  compileRecordFilter,
  ExpressionFault,
  MAX_EXPRESSION,
} from '../../../operators/shared/expression.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import type { Data, LinkTable } from '../../../pipeline/model/index.js';
import { endpointsWith, formView, type Call } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { shownOf } from '../../service/deployment/anonymous.js';
import { tappedRecords, type Tapped } from './decoded-frame.js';
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
  /** Which records to show; undefined: all. */
  readonly where: string | undefined;
  readonly values: boolean;
}

/** Output of a node while somebody watches. */
interface Seen {
  readonly node: string;
  readonly records: readonly object[];
  /** Number of further records that passed in the meantime; frames of CSI count individually. */
  readonly leftOut: number;
  /** Records of the node meanwhile, whether they match or not. */
  readonly seen: number;
  /** Why the expression failed for a record, the first time. */
  readonly problem: string | null;
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
        where: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: MAX_EXPRESSION,
            description:
              'A CEL expression over `csi`, `window`, `pose`, `event` or `measure`: only records of this kind for which it is true.',
          }),
        ),
        values: Type.Boolean({
          default: false,
          description:
            'CSI frames with `indices`, `amplitudes` and `phases` (radians), [rx][tx][subcarrier]; at most 100 records.',
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
        seen: Type.Integer({
          description: 'Records of the node in this time, including those for which `where` is not true.',
        }),
        problem: Type.Union([Type.String(), Type.Null()], {
          description: 'Why `where` failed for a record; such records are skipped.',
        }),
      },
      closed,
    ),
    read: ({ path, query }) => ({
      id: path.id,
      node: path.node,
      limit: query.limit,
      waitMs: query.wait_ms,
      everyMs: query.every_ms,
      where: query.where,
      values: query.values,
    }),
    render: ({ node, records, leftOut, seen, problem }) => ({
      data: { node, records, left_out: leftOut, seen, problem },
    }),
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
  requireValues(wanted, running.topology.settings.privacy?.anonymizeData ?? false);
  const filter = filterOf(wanted.where);
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
  const sample = new Sample(wanted, filter, running.links, () => deployment.clock.elapsed());
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
  const { leftOut, seen, problem } = sample;
  return { node: wanted.node, records: sample.plain(), leftOut, seen, problem };
}

type Filter = (record: Tapped) => boolean;

/** @throws ApiError 400 with the location of a fault in the expression */
function filterOf(where: string | undefined): Filter | null {
  if (where === undefined) return null;
  try {
    return compileRecordFilter(where);
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    const { message, span, suggestion } = error;
    const hint = suggestion === undefined ? '' : `; did you mean \`${suggestion}\`?`;
    throw new ApiError('BAD_REQUEST', `where, column ${span.start + 1}: ${message}${hint}`);
  }
}

/** Channel values tell how somebody moves, so anonymous deployments show none. */
function requireValues({ values, limit }: Wanted, anonymous: boolean): void {
  if (!values) return;
  if (anonymous)
    throw new ApiError(
      'RESOURCE_CONFLICT',
      'Values of CSI are not shown with settings.privacy.anonymize_data',
    );
  if (limit > MAX_VALUES)
    throw new ApiError('BAD_REQUEST', `limit must be ${MAX_VALUES} at most with values (got ${limit})`);
}

/** Records with values per answer: a frame of 160 MHz has thousands of numbers. */
const MAX_VALUES = 100;

/** Collects unconverted records up to the limit; they are converted at the end. */
class Sample {
  leftOut = 0;
  seen = 0;
  readonly #wanted: Wanted;
  readonly #links: LinkTable;
  readonly #elapsed: () => number;
  /** Why the filter failed, the first time. */
  problem: string | null = null;
  readonly #filter: Filter | null;
  readonly #tapped: { readonly data: Data; readonly count: number; readonly plain?: readonly Tapped[] }[] =
    [];
  #count = 0;
  #last = -Infinity;
  #done: () => void = () => undefined;

  constructor(wanted: Wanted, filter: Filter | null, links: LinkTable, elapsed: () => number) {
    this.#wanted = wanted;
    this.#filter = filter;
    this.#links = links;
    this.#elapsed = elapsed;
  }

  take(data: Data): void {
    const arrived = data.port === 'csi' ? data.count : 1;
    this.seen += arrived;
    const plain = this.#filter ? this.#matching(data, this.#filter) : undefined;
    if (plain?.length === 0) return;
    const size = plain?.length ?? arrived;
    const now = this.#elapsed();
    const room = this.#wanted.limit - this.#count;
    if (room <= 0 || now - this.#last < this.#wanted.everyMs) {
      this.leftOut += size;
      return;
    }
    this.#last = now;
    const count = this.#wanted.everyMs > 0 ? 1 : Math.min(room, size);
    this.#tapped.push({ data, count, ...(plain && { plain }) });
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
    return this.#tapped.flatMap(({ data, count, plain }) => (plain ?? this.#records(data)).slice(0, count));
  }

  #records(data: Data): readonly Tapped[] {
    return tappedRecords(data, this.#links, this.#wanted.values);
  }

  #matching(data: Data, filter: Filter): readonly Tapped[] {
    return this.#records(data).filter((record) => {
      try {
        return filter(record);
      } catch (error) {
        this.problem ??= errorText(error);
        return false;
      }
    });
  }
}
