export * from './builder.js';
export { CODES, type ProblemCode } from './codes.js';
export { createTopology } from './create.js';
export { describeComponent, docsPages, type DocsPage } from './docs.js';
export { toDot, toMermaid } from './draw.js';
export { topologySchema } from './editor-schema.js';
export * from './load.js';
export { formatProblem, type Place, type Problem } from './problem.js';
export * from './topology.js';
