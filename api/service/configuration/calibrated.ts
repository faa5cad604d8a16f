import type { CalibrationFacts } from '../../../pipeline/component/index.js';
import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/index.js';

const factsOf = ({ component }: CheckedNode): CalibrationFacts | undefined =>
  component.kind === 'operator' ? component.calibration : undefined;

/** What of a topology's nodes is not calibrated, for a person; null where each knows its room. */
export function uncalibrated(topology: CheckedTopology): string | null {
  for (const node of topology.nodes) {
    const problem = factsOf(node)?.uncalibrated(node.config as never, topology) ?? null;
    if (problem !== null) return `${node.id} ${problem}`;
  }
  return null;
}

/** When the empty room was measured: the first node that tells; null where none does. */
export function calibratedAt(topology: CheckedTopology): Date | null {
  for (const node of topology.nodes) {
    const at = factsOf(node)?.calibratedAt(node.config as never, topology) ?? null;
    if (at !== null) return at;
  }
  return null;
}
