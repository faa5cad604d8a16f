import { Type } from 'typebox';
import {
  choice,
  defineOperator,
  defineSink,
  defineSource,
  hostComplaints,
  inputFile,
  NOTHING,
  Registry,
} from '../../pipeline/component/index.js';
import { hostFault } from '../../pipeline/base/host.js';

/** Components that only exist in tests: small, but with every trait that configuration checks. */

const idle = { open: async () => undefined };
const swallow = { process: () => NOTHING };
const bin = {
  open: async () => undefined,
  write: async () => [],
  flush: async () => undefined,
  close: async () => undefined,
};

export const radio = defineSource({
  name: 'radio',
  summary: 'Frames from the air.',
  outputs: ['csi'],
  replayable: false,
  config: Type.Object(
    {
      port: Type.Integer({ minimum: 1, maximum: 65535, description: 'Port to listen on.' }),
      host: Type.String({ default: '127.0.0.1', description: 'Address to bind to.' }),
      buffer_bytes: Type.Integer({ default: 8388608, minimum: 4096, description: 'Receive buffer.' }),
    },
    { additionalProperties: false },
  ),
  examples: [{ title: 'Port 5005', config: { port: 5005 } }],
  check: ({ host }) => hostComplaints(['host'], hostFault(host)),
  create: () => idle,
});

export const tape = defineSource({
  name: 'tape',
  summary: 'Frames from a file.',
  outputs: ['csi', 'measure'],
  replayable: true,
  config: Type.Object(
    {
      path: Type.String({ minLength: 1, description: 'File to read.' }),
      speed: Type.Number({ default: 1, exclusiveMinimum: 0, maximum: 1000, description: 'Times real time.' }),
    },
    { additionalProperties: false },
  ),
  examples: [{ title: 'A capture', config: { path: 'a.csi' } }],
  create: () => idle,
});

export const scrub = defineOperator({
  name: 'scrub',
  summary: 'Removes outliers.',
  inputs: ['csi'],
  outputs: ['csi'],
  config: Type.Object(
    {
      method: choice(
        { hampel: 'Median of a window.', median: 'Plain median.', none: 'Leaves frames as they are.' },
        { default: 'hampel', description: 'How.' },
      ),
      threshold: Type.Number({ default: 3, minimum: 0, maximum: 20, description: 'Deviations.' }),
    },
    { additionalProperties: false },
  ),
  examples: [{ title: 'A wide threshold', config: { threshold: 5 } }],
  create: () => swallow,
});

export const slice = defineOperator({
  name: 'slice',
  summary: 'Cuts frames into windows.',
  inputs: ['csi'],
  outputs: ['window'],
  config: Type.Object(
    {
      length_ms: Type.Integer({ default: 1000, minimum: 10, maximum: 60000, description: 'Length.' }),
      hop_ms: Type.Integer({ default: 100, minimum: 1, description: 'From window to window.' }),
      band_hz: Type.Optional(
        Type.Array(Type.Number({ minimum: 0 }), {
          minItems: 2,
          maxItems: 2,
          description: 'Low and high edge.',
        }),
      ),
      keep: Type.Boolean({ default: true, description: 'Keep empty windows.' }),
      limit: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        default: null,
        description: 'Most windows; null: all.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [{ title: 'Half a second', config: { length_ms: 500 } }],
  check: (config) =>
    config.hop_ms > config.length_ms
      ? [
          {
            path: ['hop_ms'],
            message: `hop_ms (${config.hop_ms}) is longer than length_ms (${config.length_ms})`,
          },
        ]
      : [],
  create: () => swallow,
});

export const infer = defineOperator({
  name: 'infer',
  summary: 'Infers poses from windows.',
  inputs: ['window'],
  outputs: ['pose'],
  config: Type.Object(
    {
      backend: Type.Union([Type.Literal('wasm'), Type.Literal('gpu')], {
        default: 'wasm',
        description: 'Where.',
      }),
      calibration: Type.Optional(inputFile({ description: 'Profiles of the empty room.' })),
    },
    { additionalProperties: false },
  ),
  examples: [{ title: 'On the GPU', config: { backend: 'gpu' } }],
  create: () => swallow,
});

export const alarm = defineOperator({
  name: 'alarm',
  summary: 'Tells falls in windows, and places by poses.',
  inputs: ['window', 'pose'],
  requires: ['window'],
  outputs: ['event'],
  config: Type.Object({}, { additionalProperties: false }),
  examples: [{ title: 'As it comes', config: {} }],
  create: () => swallow,
});

export const contrast = defineOperator({
  name: 'contrast',
  summary: 'Compares the poses of two networks.',
  inputs: ['pose'],
  nodesRead: 2,
  outputs: ['measure'],
  config: Type.Object({}, { additionalProperties: false }),
  examples: [{ title: 'As they come', config: {} }],
  create: () => swallow,
});

export const store = defineSink({
  name: 'store',
  summary: 'Keeps records in a table.',
  inputs: ['pose', 'event', 'measure'],
  recovery: 'rewind',
  config: Type.Object(
    {
      path: Type.String({ minLength: 1, description: 'File of the store.' }),
      password: Type.Optional(Type.String({ maxLength: 20, description: 'Password of the store.' })),
    },
    { additionalProperties: false },
  ),
  examples: [{ title: 'A file', config: { path: 'data/a.db' } }],
  create: () => bin,
});

export const tapeSink = defineSink({
  name: 'tape',
  summary: 'Writes records to a file.',
  inputs: ['csi', 'pose', 'event', 'measure'],
  recovery: 'at-least-once',
  config: Type.Object(
    { path: Type.String({ minLength: 1, description: 'File to write.' }) },
    { additionalProperties: false },
  ),
  examples: [{ title: 'A file', config: { path: 'out.ndjson' } }],
  create: () => bin,
});

const broker = Type.Object(
  { broker: Type.String({ default: 'one:9092', description: 'Where it is.' }) },
  { additionalProperties: false },
);

export const stream = defineSource({
  name: 'stream',
  summary: 'Frames from partitions that processes share.',
  outputs: ['csi'],
  replayable: true,
  config: broker,
  examples: [{ title: 'A broker', config: {} }],
  partitions: () => ({
    join: async () => undefined,
    take: () => Promise.reject(new Error('it has none')),
    leave: async () => undefined,
  }),
  create: () => idle,
});

export const topic = defineSink({
  name: 'topic',
  summary: 'Writes records into the transaction of a checkpoint.',
  inputs: ['pose', 'event', 'measure'],
  recovery: 'at-least-once',
  transactional: true,
  likeSource: ['broker'],
  config: broker,
  examples: [{ title: 'A broker', config: {} }],
  create: () => bin,
});

export const testComponents = new Registry([
  ...[radio, tape, stream],
  ...[scrub, slice, infer, alarm, contrast],
  ...[store, tapeSink, topic],
]);
