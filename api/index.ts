/** The package's public API: your own components, topologies in TypeScript, and the data types. */
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
export {
  formatNamed,
  frameFormat,
  LineCutter,
  MAX_RECORD_BYTES,
  ProblemLog,
  RawBuilder,
  RecordCutter,
  type ClockKind,
  type Cutter,
  type Decoder,
  type DecoderContext,
  type Format,
  type FrameReader,
  type LineKind,
  type ReadFault,
  type ReadFrame,
  type RecordKind,
} from '../pipeline/formats/index.js';
export { lift, type Lifted } from '../pipeline/runtime/lift.js';
export { run, type Running, type RunOptions } from './run.js';
export { components } from './components.js';

// sources
export { file as fileSource } from '../pipeline/sources/file/file.js';
export { http } from '../pipeline/sources/http/http.js';
export { kafka as kafkaSource } from '../pipeline/sources/kafka/kafka.js';
export { mqtt as mqttSource } from '../pipeline/sources/mqtt/mqtt.js';
export { serial } from '../pipeline/sources/serial/serial.js';
export { simulator } from '../pipeline/sources/simulator/source.js';
export { udp } from '../pipeline/sources/udp.js';
// operators; four names collide with RxJS, so they are exported with a suffix
export { bodyVelocity } from '../operators/body-velocity/body-velocity.js';
export { calibrate } from '../operators/calibrate/calibrate.js';
export { aggregate } from '../operators/aggregate/aggregate.js';
export { conjugateMultiply } from '../operators/conjugate-multiply/conjugate-multiply.js';
export { csiRatio } from '../operators/csi-ratio/csi-ratio.js';
export { deduplicate } from '../operators/deduplicate/deduplicate.js';
export { delayUntil } from '../operators/delay-until/delay-until.js';
export { denoise } from '../operators/denoise/denoise.js';
export { detectActivity } from '../operators/detect-activity/detect-activity.js';
export { detectFalls } from '../operators/detect-falls/detect-falls.js';
export { detectInactivity } from '../operators/detect-inactivity/detect-inactivity.js';
export { detectMotion } from '../operators/detect-motion/detect-motion.js';
export { doppler } from '../operators/doppler/doppler.js';
export { enrich } from '../operators/enrich/enrich.js';
export { estimateVitals } from '../operators/estimate-vitals/estimate-vitals.js';
export { filter as filterRecords } from '../operators/filter/filter.js';
export { comparePoses } from '../operators/compare-poses/compare-poses.js';
export { inferPose } from '../operators/infer-pose/infer-pose.js';
export { join } from '../operators/join/join.js';
export { map as mapRecords } from '../operators/map/map.js';
export { measureLinks } from '../operators/measure-links/measure-links.js';
export { normalizeGain } from '../operators/normalize-gain/normalize-gain.js';
export { passOnChange } from '../operators/pass-on-change/pass-on-change.js';
export { phaseSanitize } from '../operators/phase-sanitize/phase-sanitize.js';
export { removeStatic } from '../operators/remove-static/remove-static.js';
export { resample } from '../operators/resample/resample.js';
export { route } from '../operators/route/route.js';
export { sample as sampleRecords } from '../operators/sample/sample.js';
export { script } from '../operators/script/script.js';
export { selectSubcarriers } from '../operators/select-subcarriers/select-subcarriers.js';
export { throttle as throttleRecords } from '../operators/throttle/throttle.js';
export { trackPersons } from '../operators/track-persons/track-persons.js';
export { watchZones } from '../operators/watch-zones/watch-zones.js';
export { window } from '../operators/window/window.js';
// sinks
export { console as consoleSink } from '../sinks/console.js';
export { duckdb } from '../sinks/duckdb/duckdb.js';
export { file as fileSink } from '../sinks/file.js';
export { influxdb } from '../sinks/influxdb/influxdb.js';
export { lineProtocol } from '../sinks/line-protocol/line-protocol.js';
export { kafka as kafkaSink } from '../sinks/kafka/kafka.js';
export { mcap } from '../sinks/mcap/mcap.js';
export { mqtt as mqttSink } from '../sinks/mqtt/mqtt.js';
export { nats } from '../sinks/nats/nats.js';
export { postgresql } from '../sinks/postgresql/postgresql.js';
export { webhook } from '../sinks/webhook/webhook.js';
export { webhooks } from '../sinks/webhook/webhooks.js';
export { websocket } from '../sinks/websocket.js';
