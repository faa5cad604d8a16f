import { Type } from 'typebox';
import type { Problem } from '../../pipeline/config/index.js';
import type { CheckedTopology } from '../../pipeline/config/topology.js';
import type { Plan, TopologyStatus } from '../../pipeline/runtime/status.js';
import { defineEndpoint, formView } from '../contract/endpoint.js';
import { ApiError } from '../contract/errors.js';
import { isoTime } from '../contract/form.js';
import type { Deployment } from '../deployment.js';

const closed = { additionalProperties: false } as const;
const PathSchema = Type.Object({ id: Type.String() });

const NodeSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    kind: Type.String(),
    status: Type.String(),
    received: Type.Integer(),
    sent: Type.Integer(),
    dropped: Type.Record(Type.String(), Type.Integer()),
    failed: Type.Integer(),
    queue_depth: Type.Integer(),
    last_record: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    details: Type.Object({}),
  },
  closed,
);

const TopologySchema = Type.Object(
  {
    id: Type.String(),
    status: Type.String(),
    problem: Type.Union([Type.String(), Type.Null()]),
    nodes: Type.Array(NodeSchema),
  },
  closed,
);

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

const show = defineEndpoint<string, TopologyStatus>({
  method: 'GET',
  path: '/topologies/:id',
  summary: 'State of a topology and of each of its nodes.',
  access: 'viewer',
  limit: 'configuration',
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
  limit: 'configuration',
  status: 200,
  handle: async ({ id, text }, { deployment }) => topologyOf(deployment, id).plan(parse(deployment, text)),
  b: formView({
    path: PathSchema,
    body: Type.Object({ topology: TextSchema }, closed),
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
  limit: 'configuration',
  status: 200,
  audit: ({ hash }) => ({ hash }),
  async handle({ id, text, hash }, { deployment }) {
    const running = topologyOf(deployment, id);
    const next = parse(deployment, text);
    try {
      await running.apply(next, hash ?? '');
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('plan.')) {
        throw new ApiError('RESOURCE_CONFLICT', error.message);
      }
      throw error;
    }
    return running.status();
  },
  b: formView({
    path: PathSchema,
    body: Type.Object({ topology: TextSchema, hash: Type.String({ minLength: 1, maxLength: 128 }) }, closed),
    response: TopologySchema,
    read: ({ path, body }) => ({ id: path.id, text: body.topology, hash: body.hash }),
    render: (status) => ({ data: topologyBody(status) }),
  }),
});

/** DESIGN section 7: the lifecycle of any topology, beside `/system/*` of the main one. */
export const topologyEndpoints = [show, plan, apply];

/** @throws ApiError 404 for an id that no topology has. */
export function topologyOf({ main }: Deployment, id: string): Deployment['main'] {
  if (main.topology.id === id) return main;
  throw new ApiError('RESOURCE_NOT_FOUND', `No topology is named ${id}; there is ${main.topology.id}`);
}

/** @throws ApiError 422 with each problem as a field `line:column`. */
function parse(deployment: Deployment, text: string): CheckedTopology {
  const { topology, problems } = deployment.parse(text);
  if (topology) return topology;
  const fields = problems.filter(({ severity }) => severity === 'error').map(fieldOf);
  throw new ApiError(
    'VALIDATION_ERROR',
    `The topology has ${fields.length} errors; the first: ${fields[0]!.message}`,
    {
      details: { fields },
    },
  );
}

const fieldOf = ({ file, line, column, code, message, suggestion }: Problem) => ({
  field: `${file}:${line}:${column}`,
  message: `${code} ${message}`,
  received: suggestion,
});
