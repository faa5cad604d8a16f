import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { NodeStatus, RunningTopology } from '../../../pipeline/runtime/status.js';
import { calibratedAt } from './calibrated.js';
import { networkOf, nodesAs } from './answering.js';
import type { Facts } from './field.js';
import { NO_FACTS } from './field.js';

/**
 * Measured or loaded values. Each is determined when it is read: all calls need some value of the
 * configuration, few need these, which read files.
 * @param framesPerSecond of all sources together
 */
export function factsOf(main: RunningTopology, framesPerSecond: () => number): Facts {
  const sources = () => main.status().nodes.filter(({ kind }) => kind === 'source');
  return {
    get modelVersion() {
      return modelVersion(main.topology);
    },
    get calibratedAt() {
      return calibratedAt(main.topology)?.toISOString() ?? NO_FACTS.calibratedAt;
    },
    get samplingRate() {
      const links = most(sources(), 'active_links');
      return links === 0 ? 0 : Math.round((10 * framesPerSecond()) / links) / 10;
    },
    get antennas() {
      return most(sources(), 'antennas');
    },
    get subcarriers() {
      return most(sources(), 'subcarriers');
    },
  };
}

const most = (sources: readonly NodeStatus[], figure: string): number =>
  sources.reduce((largest, { details }) => {
    const value = details[figure];
    return typeof value === 'number' ? Math.max(largest, value) : largest;
  }, 0);

/** As loaded by its node; `none` if the topology has no pose network, or none that reports it. */
function modelVersion(topology: CheckedTopology): string {
  const [node] = nodesAs(topology, 'pose-network');
  return (node && networkOf(node)?.modelVersion(node.config as never, topology)) ?? NO_FACTS.modelVersion;
}
