import { Type } from 'typebox';
import { isRefused, type Asked } from '../../../pipeline/component/index.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { ownerOf, storeFiles, type OwnedStore } from '../../service/backup/make-export.js';
import { ApiError } from '../../service/errors.js';
import type { Topologies } from '../../service/deployment/topologies.js';

const endpoint = endpointsWith<'topologies'>();

const closed = { additionalProperties: false } as const;

interface Wanted {
  readonly store: string | undefined;
  readonly sql: string;
  readonly maxRows: number;
  readonly seconds: number;
}

/** Bytes of rows as JSON: an answer is held in memory as a whole. */
const MAX_BYTES = 16 * 2 ** 20;
/** Queries at a time over all stores: each may use all of a store's memory. */
const AT_ONCE = 2;

const running = new WeakMap<object, number>();

const query = endpoint<Wanted, Asked>({
  method: 'POST',
  path: '/query',
  summary:
    'Runs one SELECT on the tables of a DuckDB store of this csiflow while it writes them. Reads these tables only: no files, no settings.',
  access: 'operator',
  limit: 'analytics',
  status: 200,
  // It reveals records of people. The text may hold names, so only the store is noted.
  audit: ({ store }) => ({ store: store ?? null }),
  async handle({ store, sql, maxRows, seconds }, { deployment, signal }) {
    const { running: topology, node } = storeOf(deployment.topologies, store);
    return inTurn(deployment.topologies, async () => {
      const late = AbortSignal.timeout(seconds * 1000);
      const reader = (await topology.openReaders()).get(node)?.until(AbortSignal.any([signal, late]));
      if (!reader?.ask) throw new ApiError('RESOURCE_CONFLICT', `The store of ${node} is not open`);
      try {
        return await reader.ask(sql, { maxRows, maxBytes: MAX_BYTES });
      } catch (error) {
        if (late.aborted)
          throw new ApiError(
            'TIMEOUT',
            `No answer within ${seconds} s: read a shorter range, or allow more time`,
          );
        throw isRefused(error)
          ? new ApiError('BAD_REQUEST', `The query was refused: ${error.message}`)
          : error;
      }
    });
  },
  b: formView({
    body: Type.Object(
      {
        store: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 4096,
            description: 'Absolute path of the file, as this csiflow sees it. Default: the only store.',
          }),
        ),
        sql: Type.String({ minLength: 1, maxLength: 65_536, description: 'One SELECT.' }),
        max_rows: Type.Integer({ minimum: 1, maximum: 100_000, default: 1_000 }),
        timeout_s: Type.Integer({ minimum: 1, maximum: 60, default: 10 }),
      },
      closed,
    ),
    response: Type.Object(
      {
        columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() }, closed)),
        rows: Type.Array(Type.Array(Type.Unknown())),
        truncated: Type.Boolean({
          description: 'There are more rows than `max_rows`, or than 16 MiB hold.',
        }),
      },
      closed,
    ),
    read: ({ body }) => ({
      store: body.store,
      sql: body.sql,
      maxRows: body.max_rows,
      seconds: body.timeout_s,
    }),
    render: (asked) => ({ data: asked }),
  }),
});

export const storeQueryEndpoints = [query];

/** The store of that path; without one, the only one. */
function storeOf(topologies: Topologies, store: string | undefined): OwnedStore {
  const all = topologies.list();
  const known = all.flatMap((one) =>
    [...storeFiles(one.topology)].map(([node, path]) => ({ running: one, node, path })),
  );
  const own = known.length > 0 ? `its stores are ${known.map(({ path }) => path).join(', ')}` : 'it has none';
  if (store !== undefined) {
    const owner = ownerOf(store, all);
    if (owner) return owner;
    throw new ApiError('RESOURCE_NOT_FOUND', `This csiflow has no store ${store}: ${own}`);
  }
  const [first] = known;
  if (known.length === 1 && first) return first;
  throw new ApiError('RESOURCE_NOT_FOUND', `Name the store: ${own}`);
}

async function inTurn<T>(owner: object, work: () => Promise<T>): Promise<T> {
  const others = running.get(owner) ?? 0;
  if (others >= AT_ONCE)
    throw new ApiError('RATE_LIMIT_EXCEEDED', `There are already ${others} queries: wait for one to end`, {
      headers: { 'Retry-After': '5' },
    });
  running.set(owner, others + 1);
  try {
    return await work();
  } finally {
    running.set(owner, running.get(owner)! - 1);
  }
}
