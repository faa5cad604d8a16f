import type { CalibrationFacts } from '../../../pipeline/component/index.js';
import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/index.js';

const factsOf = ({ component }: CheckedNode): CalibrationFacts | undefined =>
  component.kind === 'operator' ? component.calibration : undefined;

/** The uncalibrated nodes of a topology, for people; null if there are none. */
export function uncalibrated(topology: CheckedTopology): string | null {
  for (const node of topology.nodes) {
    const problem = factsOf(node)?.uncalibrated(node.config as never, topology) ?? null;
    if (problem !== null) return `${node.id} ${problem}`;
  }
  return null;
}

/** When the empty room was measured, from the first node that knows it; null if none does. */
export function calibratedAt(topology: CheckedTopology): Date | null {
  for (const node of topology.nodes) {
    const at = factsOf(node)?.calibratedAt(node.config as never, topology) ?? null;
    if (at !== null) return at;
  }
  return null;
}
