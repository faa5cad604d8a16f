import type { CheckedNode } from '../config/topology/topology.js';
import type { NodeMeter } from '../telemetry/node-meter.js';
import { redact } from '../base/secrets.js';
import type { NodeHealth, Run } from './shard/run.js';
import type { LifecycleState, NodeStatus } from './status.js';

/** Why a run is degraded; null if it is not. */
export function degradedBy(run: Run | undefined): string | null {
  if (run?.problem) return run.problem;
  for (const node of run?.runs.values() ?? [])
    if (node.problem !== null) return `${node.id}: ${node.problem}`;
  return null;
}

/** @param run undefined if the topology is stopped @param isLive whether its input arrives now */
export function nodeStatus(
  { id, component }: CheckedNode,
  run: Run | undefined,
  meter: NodeMeter,
  state: LifecycleState,
  isLive: boolean,
): NodeStatus {
  const { watermarkLag } = meter;
  const health = run?.runs.get(id);
  return {
    id,
    type: component.name,
    kind: component.kind,
    status: health ? statusOf(health) : state === 'starting' ? 'starting' : 'stopped',
    problem: health?.problem == null ? null : redact(health.problem),
    received: meter.receivedTotal,
    sent: meter.sentTotal,
    dropped: Object.fromEntries(meter.droppedBy),
    missing: meter.missingTotal,
    failed: [...meter.failedBy.values()].reduce((sum, count) => sum + count, 0),
    queueDepth: meter.queueDepth,
    undelivered: meter.own.get('outbox_records')?.value ?? 0,
    lastRecord: health?.lastRecord ?? null,
    lagMs: health && isLive && watermarkLag !== null ? Math.round(1000 * watermarkLag) : null,
    details: redacted({
      ...run?.describe(id),
      ...(component.kind === 'source' && health?.watermark === Infinity && { ended: true }),
    }),
  };
}

const statusOf = ({ problem, status }: NodeHealth): NodeStatus['status'] =>
  problem !== null && status === 'active' ? 'degraded' : status;

function redacted<T extends object>(details: T): T {
  const text = JSON.stringify(details);
  const shown = redact(text);
  return shown === text ? details : (JSON.parse(shown) as T);
}
