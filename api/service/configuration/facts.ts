import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { chooseModel, modelFolder, readManifest } from '../../../operators/infer-pose/weights.js';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { NodeStatus, RunningTopology } from '../../../pipeline/runtime/status.js';
import { nodesOf, type Facts } from './field.js';
import { NO_FACTS } from './fields.js';

/**
 * What is measured or loaded now. Each is found out when it is read: all calls ask for some value of the
 * configuration, few for these, which look at files.
 * @param framesPerSecond of all sources together
 */
export function factsOf(main: RunningTopology, framesPerSecond: () => number): Facts {
  const { topology } = main;
  const sources = () => main.status().nodes.filter(({ kind }) => kind === 'source');
  return {
    get modelVersion() {
      return modelVersion(topology);
    },
    get calibratedAt() {
      return calibratedAt(topology);
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

/** As its node loads it; `none` where the topology has no pose network. */
function modelVersion(topology: CheckedTopology): string {
  const [node] = nodesOf(topology, 'infer-pose');
  if (!node) return NO_FACTS.modelVersion;
  const weights = node.config['weights'] as string;
  const name = weights === 'auto' ? chooseModel(topology.environments) : weights;
  const manifest = readManifest(modelFolder(name, topology.folder));
  return `${manifest.name} ${manifest.version}`;
}

/** When the file of the empty room was written. */
function calibratedAt(topology: CheckedTopology): string {
  const file = nodesOf(topology, 'infer-pose')[0]?.config['calibration'];
  if (typeof file !== 'string') return NO_FACTS.calibratedAt;
  const found = statSync(resolve(topology.folder, file), { throwIfNoEntry: false });
  return found ? found.mtime.toISOString() : NO_FACTS.calibratedAt;
}
