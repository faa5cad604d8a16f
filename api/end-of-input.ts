import type { NodeStatus, RunningTopology } from '../pipeline/runtime/status.js';
import type { Log } from '../pipeline/telemetry/log.js';

/**
 * What to print if a run of recordings ends while a store is offline or records still wait for one; empty if all
 * are stored. Asks each sink: the topology's status names one problem only, which may be that of another node.
 */
export function undelivered(runner: Pick<RunningTopology, 'topology' | 'status'>): readonly string[] {
  const behind = runner.status().nodes.filter(isBehind);
  if (behind.length === 0) return [];
  const { id, settings } = runner.topology;
  return [
    `${id}: all input was read, but not all is stored: ${behind.map(shown).join('; ')}. The rest waits in ${settings.stateFolder}: fix the problem and run it again`,
  ];
}

/** A store that is offline may also have rows to delete. */
const isBehind = ({ undelivered, problem }: NodeStatus): boolean =>
  undelivered > 0 || (problem !== null && STORE_AWAY.test(problem));

const STORE_AWAY = /^its store is offline: /;

function shown({ id, undelivered, problem }: NodeStatus): string {
  const parts = [
    ...(problem === null ? [] : [problem]),
    ...(undelivered > 0 ? [`records left: ${undelivered}`] : []),
  ];
  return `${id}: ${parts.join(', ')}`;
}

/** Logs each node that dropped all of its input, with the reasons: nothing behind it has a result. */
export function warnOfDrops(runner: Pick<RunningTopology, 'topology' | 'status'>, log: Log): void {
  for (const { id: node, kind, received, sent, dropped } of runner.status().nodes) {
    const count = Object.values(dropped).reduce((sum, records) => sum + records, 0);
    // A sink may be switched off, and some operators drop parts of records.
    if (kind === 'sink' || received === 0 || sent > 0 || count < received) continue;
    const topology = runner.topology.id;
    log.warn('a node dropped all that it received: docs/metrics.md explains the reasons', {
      topology,
      node,
      dropped,
    });
  }
}
