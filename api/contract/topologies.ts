import { Type } from 'typebox';
import { isoTime } from '../../pipeline/base/iso-time.js';
import type { TopologyStatus } from '../../pipeline/runtime/status.js';
import { StepSchema, stepBodies } from './system.js';

const closed = { additionalProperties: false } as const;

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
        "Frames that, by the senders' numbering, were sent but not decoded: lost on the way, or dropped before.",
    }),
    failed: Type.Integer(),
    queue_depth: Type.Integer(),
    undelivered: Type.Integer({ description: 'Records waiting in the outbox of a sink.' }),
    last_record: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    lag_ms: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'How far event time is behind the clock, milliseconds. Null for recordings, and before the first record.',
    }),
    details: Type.Object({}),
  },
  closed,
);

const summaryFields = {
  id: Type.String(),
  status: Type.String(),
  problem: Type.Union([Type.String(), Type.Null()]),
};
export const TopologySchema = Type.Object({ ...summaryFields, nodes: Type.Array(NodeSchema) }, closed);
export const SummarySchema = Type.Object({ ...summaryFields, main: Type.Boolean() }, closed);

export const topologyBody = ({ id, state, problem, nodes }: TopologyStatus) => ({
  id,
  status: state,
  problem,
  nodes: nodes.map(({ queueDepth, lastRecord, lagMs, ...node }) => ({
    id: node.id,
    type: node.type,
    kind: node.kind,
    status: node.status,
    received: node.received,
    sent: node.sent,
    dropped: node.dropped,
    missing: node.missing,
    failed: node.failed,
    queue_depth: queueDepth,
    undelivered: node.undelivered,
    last_record: lastRecord === null ? null : isoTime(lastRecord),
    lag_ms: lagMs,
    details: node.details,
  })),
});

export const LifecycleSchema = Type.Object(
  { id: Type.String(), status: Type.String(), session_id: Type.String(), steps: Type.Array(StepSchema) },
  closed,
);
export const lifecycleBody = ({ id, state, sessionId, steps }: TopologyStatus) => ({
  id,
  status: state,
  session_id: sessionId,
  steps: stepBodies(steps),
});

export const PlanSchema = Type.Object(
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
