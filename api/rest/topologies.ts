import { Type } from 'typebox';
import { toMermaid, type CheckedTopology, type Problem } from '../../pipeline/config/index.js';
import type { Plan, RunningTopology, TopologyStatus } from '../../pipeline/runtime/status.js';
import { defineEndpoint, formView } from '../contract/endpoint.js';
import { ApiError } from '../service/errors.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { pageOf, PageQuery, pagination, type PageOf } from '../contract/pages.js';
import { stepBodies, StepSchema } from '../contract/system.js';
import type { Deployment } from '../service/deployment/deployment.js';
import { TextProblems, TopologyConflict } from '../service/deployment/topologies.js';
import { ThreadBusy } from '../service/threads/thread.js';
import { errorText } from '../../pipeline/base/error-text.js';

const closed = { additionalProperties: false } as const;
const PathSchema = Type.Object({ id: Type.String() });
const shared = { limit: 'configuration' } as const;

const NodeSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    kind: Type.String(),
    status: Type.String(),
    received: Type.Integer(),
    sent: Type.Integer(),
    dropped: Type.Record(Type.String(), Type.Integer(), {
      description: 'By reason. Each record counts once, so reasons can be summed.',
    }),
    missing: Type.Integer({
      description:
        "Frames that the senders' numbers say were sent, and that were not decoded: lost on the way, or dropped before.",
    }),
    failed: Type.Integer(),
    queue_depth: Type.Integer(),
    last_record: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    details: Type.Object({}),
  },
  closed,
);

const summaryFields = {
  id: Type.String(),
  status: Type.String(),
  problem: Type.Union([Type.String(), Type.Null()]),
};
const TopologySchema = Type.Object({ ...summaryFields, nodes: Type.Array(NodeSchema) }, closed);
const SummarySchema = Type.Object({ ...summaryFields, main: Type.Boolean() }, closed);

const topologyBody = ({ id, state, problem, nodes }: TopologyStatus) => ({
  id,
  status: state,
  problem,
  nodes: nodes.map(({ queueDepth, lastRecord, ...node }) => ({
    ...node,
    queue_depth: queueDepth,
    last_record: lastRecord === null ? null : isoTime(lastRecord),
  })),
});

interface Listed {
  readonly asked: PageOf;
  readonly all: readonly (TopologyStatus & { readonly main: boolean })[];
}

const list = defineEndpoint<PageOf, Listed>({
  method: 'GET',
  path: '/topologies',
  summary: 'The topologies of the deployment, the main one first.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async (asked, { deployment: { topologies } }) => ({
    asked,
    all: topologies.list().map((one) => ({ ...one.status(), main: topologies.isMain(one.topology.id) })),
  }),
  b: formView({
    query: PageQuery,
    response: Type.Array(SummarySchema),
    read: ({ query }) => query,
    render: ({ asked, all }) => ({
      data: pageOf(all, asked).map(({ id, state, problem, main }) => ({ id, status: state, problem, main })),
      pagination: pagination(asked, all.length),
    }),
  }),
});

const show = defineEndpoint<string, TopologyStatus>({
  method: 'GET',
  path: '/topologies/:id',
  summary: 'State of a topology and of each of its nodes.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async (id, { deployment }) => topologyOf(deployment, id).status(),
  b: formView({
    path: PathSchema,
    response: TopologySchema,
    read: ({ path }) => path.id,
    render: (status) => ({ data: topologyBody(status) }),
  }),
});

interface Change {
  readonly id: string;
  readonly text: string;
  readonly hash?: string;
}

const TextSchema = Type.String({ minLength: 1, maxLength: 1 << 20, description: "The topology's new YAML." });
/** A text of the longest, with the line breaks that JSON writes in two characters and letters of three bytes. */
const largest = { bytes: 4 * 2 ** 20 };
const TextBody = Type.Object({ topology: TextSchema }, closed);

const put = defineEndpoint<Change, TopologyStatus>({
  method: 'PUT',
  path: '/topologies/:id',
  summary: 'Puts a topology beside the main one, or changes one that does not run. It is not started.',
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

const remove = defineEndpoint<string, null>({
  method: 'DELETE',
  path: '/topologies/:id',
  summary: 'Forgets a topology that does not run. What it has stored stays on disk.',
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

const LifecycleSchema = Type.Object(
  { id: Type.String(), status: Type.String(), session_id: Type.String(), steps: Type.Array(StepSchema) },
  closed,
);
const lifecycleBody = ({ id, state, sessionId, steps }: TopologyStatus) => ({
  id,
  status: state,
  session_id: sessionId,
  steps: stepBodies(steps),
});

const start = defineEndpoint<string, TopologyStatus>({
  method: 'POST',
  path: '/topologies/:id/start',
  summary: 'Starts a topology. Its state tells how far it has come.',
  access: 'operator',
  ...shared,
  status: 202,
  async handle(id, { deployment }) {
    const running = topologyOf(deployment, id);
    const { state } = running.status();
    if (state !== 'stopped' && state !== 'failed')
      throw conflict(`The topology ${id} is ${state}: it can be started once it is stopped`, state);
    deployment.topologies.want(id, 'running');
    return goOn(deployment, running, running.start());
  },
  b: formView({
    path: PathSchema,
    response: LifecycleSchema,
    read: ({ path }) => path.id,
    render: (status) => ({ data: lifecycleBody(status) }),
  }),
});

interface Stop {
  readonly id: string;
  readonly force: boolean;
  readonly saveState: boolean;
}

const stop = defineEndpoint<Stop, TopologyStatus>({
  method: 'POST',
  path: '/topologies/:id/stop',
  summary: 'Stops a topology, by default after a checkpoint.',
  access: 'operator',
  ...shared,
  status: 202,
  audit: ({ force, saveState }) => ({ force, save_state: saveState }),
  async handle({ id, ...options }, { deployment }) {
    const running = topologyOf(deployment, id);
    const { state } = running.status();
    if (state === 'stopped' || (state === 'stopping' && !options.force))
      throw conflict(`The topology ${id} is ${state} already`, state);
    deployment.topologies.want(id, 'stopped');
    return goOn(deployment, running, running.stop(options));
  },
  b: formView({
    path: PathSchema,
    body: Type.Object(
      { force: Type.Optional(Type.Boolean()), save_state: Type.Optional(Type.Boolean()) },
      closed,
    ),
    response: LifecycleSchema,
    read: ({ path, body }) => ({
      id: path.id,
      force: body.force ?? false,
      saveState: body.save_state ?? true,
    }),
    render: (status) => ({ data: lifecycleBody(status) }),
  }),
});

const graph = defineEndpoint<string, CheckedTopology>({
  method: 'GET',
  path: '/topologies/:id/graph',
  summary: 'Nodes and edges of a topology, and the same as a Mermaid flow chart.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async (id, { deployment }) => topologyOf(deployment, id).topology,
  b: formView({
    path: PathSchema,
    response: Type.Object(
      {
        nodes: Type.Array(
          Type.Object({ id: Type.String(), type: Type.String(), kind: Type.String() }, closed),
        ),
        edges: Type.Array(
          Type.Object({ from: Type.String(), to: Type.String(), ports: Type.Array(Type.String()) }, closed),
        ),
        mermaid: Type.String(),
      },
      closed,
    ),
    read: ({ path }) => path.id,
    render: (topology) => ({
      data: {
        nodes: topology.nodes.map(({ id, component: { name, kind } }) => ({ id, type: name, kind })),
        edges: topology.nodes.flatMap(({ id: to, inputs }) =>
          inputs.map(({ from, ports }) => ({ from, to, ports })),
        ),
        mermaid: toMermaid(topology),
      },
    }),
  }),
});

const PlanSchema = Type.Object(
  {
    hash: Type.String(),
    changes: Type.Array(
      Type.Object(
        {
          node: Type.String(),
          change: Type.Enum(['added', 'removed', 'changed', 'unchanged']),
          state: Type.Enum(['kept', 'migrated', 'dropped', 'none']),
          fields: Type.Array(Type.String()),
        },
        closed,
      ),
    ),
  },
  closed,
);

const plan = defineEndpoint<Change, Plan>({
  method: 'POST',
  path: '/topologies/:id/plan',
  summary: 'What a new file would change in a topology; changes nothing.',
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

const apply = defineEndpoint<Change, TopologyStatus>({
  method: 'POST',
  path: '/topologies/:id/apply',
  summary:
    'Makes a planned change: takes a checkpoint and goes on from it. Refuses the hash of a stale plan.',
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
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('plan.'))
        throw new ApiError('RESOURCE_CONFLICT', error.message);
      throw refused(error);
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

/** The lifecycle of any topology; `/system/*` is that of the main one. */
export const topologyEndpoints = [list, show, put, remove, start, stop, graph, plan, apply];

/** @throws ApiError 404 for an id that no topology has. */
export function topologyOf({ topologies }: Deployment, id: string): RunningTopology {
  const found = topologies.find(id);
  if (found) return found;
  const known = topologies.list().map(({ topology }) => topology.id);
  throw new ApiError('RESOURCE_NOT_FOUND', `No topology is named ${id}; there is ${known.join(', ')}`);
}

/** The work goes on after the answer; what becomes of it shows in the state, its failure also in the log. */
function goOn(deployment: Deployment, running: RunningTopology, work: Promise<void>): TopologyStatus {
  work.catch((error: unknown) => {
    deployment.log.error('a topology could not be started or stopped', {
      topology: running.topology.id,
      reason: errorText(error),
    });
  });
  return running.status();
}

async function orRefused<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refused(error);
  }
}

/** 503 while too many are checked; 422 with each problem of a text as a field `line:column`; 409 for what does not fit the state. */
function refused(error: unknown): unknown {
  if (error instanceof ThreadBusy)
    return new ApiError('SYSTEM_NOT_READY', `Texts are checked: ${error.message}`, {
      headers: { 'Retry-After': '1' },
    });
  if (error instanceof TopologyConflict) return conflict(error.message, error.state);
  if (!(error instanceof TextProblems)) return error;
  return new ApiError('VALIDATION_ERROR', error.message, {
    details: { fields: error.problems.map(fieldOf) },
  });
}

const conflict = (message: string, state: string): ApiError =>
  new ApiError('RESOURCE_CONFLICT', message, { details: { state } });

const fieldOf = ({ file, line, column, code, message, suggestion }: Problem) => ({
  field: `${file}:${line}:${column}`,
  message: `${code} ${message}`,
  received: suggestion,
});
