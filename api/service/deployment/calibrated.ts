import type { CheckedTopology } from '../../../pipeline/config/index.js';
import { networkOf, nodesAs } from '../configuration/answering.js';

/** What of a topology's pose networks is not calibrated, for a person; null where each knows its room. */
export function uncalibrated(topology: CheckedTopology): string | null {
  for (const node of nodesAs(topology, 'pose-network')) {
    const problem = networkOf(node)?.uncalibrated(node.config as never, topology) ?? null;
    if (problem !== null) return `${node.id} ${problem}`;
  }
  return null;
}
