import type { Context, Logger } from '../../../pipeline/component/index.js';
import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/index.js';
import { seededRandom } from '../../../pipeline/base/random.js';
import { systemClock } from '../../../pipeline/base/clock.js';
import { LinkTable } from '../../../pipeline/model/index.js';

/** The context that a start would give a node, without log and metrics: the findings report instead. */
export const nodeContext = (topology: CheckedTopology, node: CheckedNode): Context => ({
  topology: topology.id,
  node: node.id,
  environments: topology.environments,
  inputs: node.inputs.map(({ from }) => from),
  links: new LinkTable(topology.environments),
  clock: systemClock,
  random: seededRandom(topology.settings.seed, `${topology.id}/${node.id}`),
  log: silent,
  metrics: { dropped: ignore, missing: ignore, failed: ignore, gauge: ignore, count: ignore },
  folder: topology.folder,
  stateFolder: topology.settings.stateFolder,
  provenance: { origin: 'live' },
  degrade: ignore,
});

const ignore = (): void => undefined;

const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
