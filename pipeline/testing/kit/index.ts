/** The promises of components, as cases for a test runner, and records to test them with. */
export type { Decoder, DecoderContext, Format } from '../../formats/index.js';
export type { KitCase } from './cases.js';
export { testContext, testEnvironment, type Recorded } from './context.js';
export { badCsi, csiInput } from './csi-input.js';
export { definitionCases, withDefaults } from './definition.js';
export { formatCases, type FormatDriver } from './format.js';
export { operatorCases } from './operator.js';
export type { OperatorDriver } from './operator-bench.js';
export { rawOf, type RawRecord } from './raw.js';
export * from './records.js';
export { sinkCases, type SinkBackend, type SinkDriver } from './sink.js';
export { sourceCases } from './source.js';
export type { SourceDriver, SourceInput } from './source-bench.js';
