import { Type } from 'typebox';
import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/index.js';
import { setting, boundsOf } from './answering.js';
import { always, type Field } from './field.js';
import { Switch } from './field-views.js';

export const streaming: readonly Field[] = [
  {
    ...setting('streaming.restream_enabled'),
    views: {
      a: {
        path: 'streaming.restream_enabled',
        schema: Switch('Whether `kafka` sinks send results.'),
      },
    },
    absent: false,
  },
  {
    ...setting('streaming.websocket_enabled'),
    views: {
      a: { path: 'streaming.websocket_enabled', schema: Switch('Whether /ws/pose accepts clients.') },
    },
    absent: false,
  },
  {
    ...setting('streaming.mqtt_enabled'),
    views: {
      a: { path: 'streaming.mqtt_enabled', schema: Switch('Whether `mqtt` sinks publish.') },
    },
    absent: false,
  },
];

export const network: readonly Field[] = [
  {
    name: 'neural_network.model_version',
    views: {
      b: {
        path: 'neural_network.model_version',
        schema: Type.String({ description: 'Name and version of the pose network. Cannot be set.' }),
      },
    },
    absent: 'none',
    missing: always,
    read: ({ facts }) => facts.modelVersion,
    fixed: () => 'is that of the loaded weights: set `weights` of the node to use another network',
  },
  {
    ...setting('neural_network.batch_size'),
    views: {
      b: {
        path: 'neural_network.batch_size',
        schema: Type.Integer({
          minimum: 1,
          maximum: 1024,
          description: 'Largest number of windows computed together.',
        }),
      },
    },
    absent: 1,
  },
  {
    ...setting('neural_network.enable_gpu'),
    views: {
      b: {
        path: 'neural_network.enable_gpu',
        schema: Switch('Whether to compute the network on a GPU if there is one.'),
      },
    },
    absent: false,
  },
  {
    ...setting('neural_network.inference_timeout'),
    views: {
      b: {
        path: 'neural_network.inference_timeout',
        schema: Type.Integer({
          minimum: 10,
          maximum: 600_000,
          description: 'A window whose inference takes longer fails, milliseconds.',
        }),
      },
    },
    absent: 10,
  },
];

const rate = setting('hardware.csi_sampling_rate');
const isSet = (topology: CheckedTopology): boolean => rate.missing(topology) === null;

export const hardware: readonly Field[] = [
  {
    ...rate,
    views: {
      b: {
        path: 'hardware.csi_sampling_rate',
        schema: Type.Number({
          minimum: 0,
          description: 'Frames of a link per second: for the simulator as set, for hardware as measured.',
        }),
      },
    },
    absent: 0,
    missing: always,
    read: (input) => (isSet(input.topology) ? rate.read(input) : input.facts.samplingRate),
    fixed: (topology) =>
      isSet(topology)
        ? null
        : 'is determined by the senders: set it in their firmware; only the rate of a simulator can be set',
    bounds: (topology) => (isSet(topology) ? boundsOf('hardware.csi_sampling_rate', topology) : {}),
    // Measured values vary slightly.
    isSame: (sent, now) => Math.abs((sent as number) - (now as number)) <= 0.1 * (now as number),
  },
  {
    name: 'hardware.buffer_size',
    views: {
      b: {
        path: 'hardware.buffer_size',
        schema: Type.Integer({
          minimum: 1,
          maximum: 65_536,
          description: 'Batches, of at most 64 frames, that may wait behind a source.',
        }),
      },
    },
    absent: 1,
    missing: always,
    read: ({ topology }) => sourcesOf(topology)[0]!.queue?.capacity ?? 1,
    write: (value, topology) => ({
      nodes: new Map(sourcesOf(topology).map(({ id }) => [id, { queue: { capacity: value as number } }])),
    }),
  },
  fact('antenna_count', 'Receive antennas of a link, from the newest frames.', 'antennas'),
  fact('subcarrier_count', 'Subcarriers of a frame, from the newest frames.', 'subcarriers'),
];

function fact(name: string, description: string, of: 'antennas' | 'subcarriers'): Field {
  return {
    name: `hardware.${name}`,
    views: {
      b: {
        path: `hardware.${name}`,
        schema: Type.Integer({ minimum: 0, description: `${description} Cannot be set.` }),
      },
    },
    absent: 0,
    missing: always,
    read: ({ facts }) => facts[of],
    fixed: () => 'is determined by the hardware, and 0 while it sends nothing',
  };
}

export const sourcesOf = ({ nodes }: CheckedTopology): readonly CheckedNode[] =>
  nodes.filter(({ component }) => component.kind === 'source');
