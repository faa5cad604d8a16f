/** The package's public surface: components of one's own, topologies in TypeScript, and what flows through them. */
export * from '../pipeline/model/index.js';
export * from '../pipeline/component/index.js';
export {
  CODES,
  formatProblem,
  loadTopology,
  parseTopology,
  topology,
  TopologyBuilder,
  TopologyError,
  topologySchema,
  type BuildOptions,
  type CheckedNode,
  type CheckedTopology,
  type LoadOptions,
  type LoadResult,
  type Problem,
  type QueueFields,
  type SettingsFields,
  type TopologyOptions,
} from '../pipeline/config/index.js';
