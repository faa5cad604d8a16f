import { Type } from 'typebox';
import type { Problem } from '../../../pipeline/config/index.js';
import type { Plan, TopologyStatus } from '../../../pipeline/runtime/status.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { PlanSchema, topologyBody, TopologySchema } from '../../contract/topologies.js';
import { TextProblems, TopologyConflict } from '../../service/deployment/topologies.js';
import { ApiError } from '../../service/errors.js';
import { ThreadBusy } from '../../service/threads/thread.js';
import { conflict, topologyOf } from './topology-of.js';

const endpoint = endpointsWith<'topologies' | 'configuration'>();

const closed = { additionalProperties: false } as const;
const PathSchema = Type.Object({ id: Type.String() });
const shared = { limit: 'configuration' } as const;

interface Change {
  readonly id: string;
  readonly text: string;
  readonly hash?: string;
}

const TextSchema = Type.String({ minLength: 1, maxLength: 1 << 20, description: "The topology's new YAML." });
/** The longest text, with line breaks that JSON writes as two characters and letters of three bytes. */
const largest = { bytes: 4 * 2 ** 20 };
const TextBody = Type.Object({ topology: TextSchema }, closed);

export const put = endpoint<Change, TopologyStatus>({
  method: 'PUT',
  path: '/topologies/:id',
  summary: 'Adds a topology beside the main one, or changes one that is stopped. Does not start it.',
  access: 'admin',
  ...shared,
  largest,
  status: 200,
  handle: async ({ id, text }, { deployment }) =>
    (await orRefused(() => deployment.topologies.put(id, text))).status(),
  b: formView({
    path: PathSchema,
    body: TextBody,
    response: TopologySchema,
    read: ({ path, body }) => ({ id: path.id, text: body.topology }),
    render: (status) => ({ data: topologyBody(status) }),
  }),
});

export const remove = endpoint<string, null>({
  method: 'DELETE',
  path: '/topologies/:id',
  summary: 'Removes a stopped topology. Its stored data stays on disk.',
  access: 'admin',
  ...shared,
  status: 204,
  async handle(id, { deployment }) {
    topologyOf(deployment, id);
    await orRefused(() => {
      deployment.topologies.remove(id);
    });
    return null;
  },
  b: formView({
    path: PathSchema,
    response: Type.Null(),
    read: ({ path }) => path.id,
    render: () => ({ data: null }),
  }),
});

export const plan = endpoint<Change, Plan>({
  method: 'POST',
  path: '/topologies/:id/plan',
  summary: 'Shows what a new file would change in a topology, without changing anything.',
  access: 'operator',
  ...shared,
  largest,
  status: 200,
  handle: async ({ id, text }, { deployment }) => {
    const running = topologyOf(deployment, id);
    return running.plan(await orRefused(() => deployment.topologies.check(id, text)));
  },
  b: formView({
    path: PathSchema,
    body: TextBody,
    response: PlanSchema,
    read: ({ path, body }) => ({ id: path.id, text: body.topology }),
    render: (result) => ({ data: result }),
  }),
});

export const apply = endpoint<Change, TopologyStatus>({
  method: 'POST',
  path: '/topologies/:id/apply',
  summary:
    'Applies a planned change: takes a checkpoint and continues from it. Rejects the hash of a stale plan.',
  access: 'admin',
  ...shared,
  largest,
  status: 200,
  audit: ({ hash }) => ({ hash }),
  async handle({ id, text, hash }, { deployment }) {
    topologyOf(deployment, id);
    try {
      return (await deployment.topologies.apply(id, text, hash ?? '')).status();
    } catch (error) {
      throw applyRefused(error);
    } finally {
      deployment.configuration.renew();
    }
  },
  b: formView({
    path: PathSchema,
    body: Type.Object({ topology: TextSchema, hash: Type.String({ minLength: 1, maxLength: 128 }) }, closed),
    response: TopologySchema,
    read: ({ path, body }) => ({ id: path.id, text: body.topology, hash: body.hash }),
    render: (status) => ({ data: topologyBody(status) }),
  }),
});

/** 409 for a stale plan, one that could not be started, or a state without changes; otherwise like {@link orRefused}. */
export function applyRefused(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && /^(plan\.|lifecycle\.conflict$)/.test(String(error.code)))
    return new ApiError('RESOURCE_CONFLICT', error.message);
  return refused(error);
}

/** @throws what {@link refused} makes of an error */
export async function orRefused<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refused(error);
  }
}

/**
 * 503 while too many texts are being checked; 422 with each problem of a text as a field `line:column`; 409
 * for conflicts with the state.
 */
function refused(error: unknown): unknown {
  if (error instanceof ThreadBusy)
    return new ApiError('SYSTEM_NOT_READY', `Too many texts are being checked: ${error.message}`, {
      headers: { 'Retry-After': '1' },
    });
  if (error instanceof TopologyConflict) return conflict(error.message, error.state);
  if (!(error instanceof TextProblems)) return error;
  return new ApiError('VALIDATION_ERROR', error.message, {
    details: { fields: error.problems.map(fieldOf) },
  });
}

const fieldOf = ({ file, line, column, code, message, suggestion }: Problem) => ({
  field: `${file}:${line}:${column}`,
  message: `${code} ${message}`,
  received: suggestion,
});
