import { bodyVelocity } from '../operators/body-velocity/body-velocity.js';
import { calibrate } from '../operators/calibrate/calibrate.js';
import { aggregate } from '../operators/aggregate/aggregate.js';
import { conjugateMultiply } from '../operators/conjugate-multiply/conjugate-multiply.js';
import { csiRatio } from '../operators/csi-ratio/csi-ratio.js';
import { deduplicate } from '../operators/deduplicate/deduplicate.js';
import { delayUntil } from '../operators/delay-until/delay-until.js';
import { denoise } from '../operators/denoise/denoise.js';
import { detectActivity } from '../operators/detect-activity/detect-activity.js';
import { detectFalls } from '../operators/detect-falls/detect-falls.js';
import { detectInactivity } from '../operators/detect-inactivity/detect-inactivity.js';
import { detectMotion } from '../operators/detect-motion/detect-motion.js';
import { doppler } from '../operators/doppler/doppler.js';
import { enrich } from '../operators/enrich/enrich.js';
import { estimateVitals } from '../operators/estimate-vitals/estimate-vitals.js';
import { filter } from '../operators/filter/filter.js';
import { comparePoses } from '../operators/compare-poses/compare-poses.js';
import { inferPose } from '../operators/infer-pose/infer-pose.js';
import { join } from '../operators/join/join.js';
import { map } from '../operators/map/map.js';
import { measureLinks } from '../operators/measure-links/measure-links.js';
import { normalizeGain } from '../operators/normalize-gain/normalize-gain.js';
import { passOnChange } from '../operators/pass-on-change/pass-on-change.js';
import { phaseSanitize } from '../operators/phase-sanitize/phase-sanitize.js';
import { removeStatic } from '../operators/remove-static/remove-static.js';
import { resample } from '../operators/resample/resample.js';
import { route } from '../operators/route/route.js';
import { sample } from '../operators/sample/sample.js';
import { script } from '../operators/script/script.js';
import { selectSubcarriers } from '../operators/select-subcarriers/select-subcarriers.js';
import { throttle } from '../operators/throttle/throttle.js';
import { trackPersons } from '../operators/track-persons/track-persons.js';
import { watchZones } from '../operators/watch-zones/watch-zones.js';
import { window } from '../operators/window/window.js';
import { Registry } from '../pipeline/component/index.js';
import { file as fileSource } from '../pipeline/sources/file/file.js';
import { http } from '../pipeline/sources/http/http.js';
import { kafka as kafkaSource } from '../pipeline/sources/kafka/kafka.js';
import { mqtt as mqttSource } from '../pipeline/sources/mqtt/mqtt.js';
import { serial } from '../pipeline/sources/serial/serial.js';
import { simulator } from '../pipeline/sources/simulator/source.js';
import { udp } from '../pipeline/sources/udp.js';
import { console as consoleSink } from '../sinks/console.js';
import { duckdb } from '../sinks/duckdb/duckdb.js';
import { file as fileSink } from '../sinks/file.js';
import { influxdb } from '../sinks/influxdb/influxdb.js';
import { lineProtocol } from '../sinks/line-protocol/line-protocol.js';
import { kafka as kafkaSink } from '../sinks/kafka/kafka.js';
import { mcap } from '../sinks/mcap/mcap.js';
import { mqtt as mqttSink } from '../sinks/mqtt/mqtt.js';
import { nats } from '../sinks/nats/nats.js';
import { postgresql } from '../sinks/postgresql/postgresql.js';
import { webhook } from '../sinks/webhook/webhook.js';
import { webhooks } from '../sinks/webhook/webhooks.js';
import { websocket } from '../sinks/websocket.js';

/**
 * The components that topologies may name. Adding one is an import and a line here. This file and api/main.ts
 * are the only ones that know all of them. A component's module loads its heavy libraries when it is opened,
 * not when it is imported, because every command imports this list.
 */
export const components = new Registry([
  // sources
  fileSource,
  http,
  kafkaSource,
  mqttSource,
  serial,
  simulator,
  udp,
  // operators
  bodyVelocity,
  calibrate,
  aggregate,
  conjugateMultiply,
  csiRatio,
  deduplicate,
  delayUntil,
  denoise,
  detectActivity,
  detectFalls,
  detectInactivity,
  detectMotion,
  doppler,
  enrich,
  estimateVitals,
  filter,
  comparePoses,
  inferPose,
  join,
  map,
  measureLinks,
  normalizeGain,
  passOnChange,
  phaseSanitize,
  removeStatic,
  resample,
  route,
  sample,
  script,
  selectSubcarriers,
  throttle,
  trackPersons,
  watchZones,
  window,
  // sinks
  consoleSink,
  duckdb,
  fileSink,
  influxdb,
  lineProtocol,
  kafkaSink,
  mcap,
  mqttSink,
  nats,
  postgresql,
  webhook,
  webhooks,
  websocket,
]);
