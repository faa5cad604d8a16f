import { Type, type TSchema } from 'typebox';
import { confidenceOf, RULE_THRESHOLD, scoreFor } from '../../../operators/detect-falls/confidence.js';
import { readWeights } from '../../../operators/detect-falls/weights.js';
import { DEFAULT_DOMAIN, DOMAINS, type Domain } from '../../../pipeline/model/index.js';
import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/index.js';
import {
  always,
  boundsOf,
  needs,
  nodeField,
  nodesOf,
  overrideAll,
  rounded,
  switchOf,
  type Field,
  type Value,
} from './field.js';
import { privacy } from './privacy.js';

const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Switch = (description: string) => Type.Boolean({ description });

const both = (path: string, schema: TSchema): Field['views'] => ({
  a: { path, schema },
  b: { path, schema },
});
const FOLLOW = 'Whether persons are followed from frame to frame, and numbered.';
const ENVIRONMENT = 'The environment that calls without an `environment_id` are about.';

const domain: Field = {
  name: 'domain',
  views: both(
    'domain',
    Type.Enum(Object.keys(DOMAINS), {
      description: 'What the deployment is for: it decides what people are asked to do about an alert.',
    }),
  ),
  absent: DEFAULT_DOMAIN,
  missing: always,
  read: ({ topology }) => topology.settings.domain ?? DEFAULT_DOMAIN,
  write: (value) => ({ settings: { domain: value as Domain } }),
};

const environment: Field = {
  name: 'environment_id',
  views: {
    a: { path: 'environment.id', schema: Type.String({ description: ENVIRONMENT }) },
    b: { path: 'environment_id', schema: Type.String({ description: ENVIRONMENT }) },
  },
  absent: '',
  missing: always,
  read: ({ topology, own }) => {
    const ids = topology.environments.map(({ id }) => id);
    const chosen = own.get('environment_id');
    return ids.find((id) => id === chosen) ?? ids[0]!;
  },
  refuse: (value, { environments, id }) =>
    environments.some((one) => one.id === value)
      ? null
      : `the topology ${id} senses ${environments.map((one) => one.id).join(', ')}`,
};

const environmentName: Field = {
  name: 'environment.name',
  views: {
    a: {
      path: 'environment.name',
      schema: Type.String({
        minLength: 1,
        maxLength: 128,
        description: "The environment's name for people.",
      }),
    },
  },
  absent: '',
  missing: always,
  read: ({ topology, own }) => {
    const id = environment.read({ topology, own, facts: NO_FACTS });
    const found = topology.environments.find((one) => one.id === id)!;
    return found.name ?? found.id;
  },
  fixed: ({ environments }) =>
    environments.length === 1 ? null : 'is set in the file of the environment, where there are several',
  write: (value, { environments }) => ({ names: new Map([[environments[0]!.id, String(value)]]) }),
};

const calibration: Field = {
  name: 'environment.calibration_timestamp',
  views: {
    a: {
      path: 'environment.calibration_timestamp',
      schema: Type.String({
        format: 'date-time',
        description: 'When the empty room was measured; 1970 where it was not. Cannot be set.',
      }),
    },
  },
  absent: new Date(0).toISOString(),
  missing: always,
  read: ({ facts }) => facts.calibratedAt,
  fixed: () => 'is when the empty room was measured: measure it again with csiflow calibrate',
};

/** A pose frame as the trackers count it: time between two windows, milliseconds. */
const hopOf = (topology: CheckedTopology): number =>
  (nodesOf(topology, 'window')[0]?.config['hop_ms'] as number | undefined) ?? NaN;

const detection: readonly Field[] = [
  {
    name: 'detection.confidence_threshold',
    views: both('detection.confidence_threshold', Share('Persons below it are not told of.')),
    absent: 0,
    ...nodeField('track-persons', 'min_shown_confidence'),
  },
  {
    name: 'detection.max_persons',
    views: both(
      'detection.max_persons',
      Type.Integer({ minimum: 1, maximum: 100, description: 'So many persons are told of at most.' }),
    ),
    absent: 1,
    ...nodeField('track-persons', 'max_persons'),
  },
  {
    name: 'detection.enable_tracking',
    views: {
      a: { path: 'detection.tracking_enabled', schema: Switch(FOLLOW) },
      b: { path: 'detection.enable_tracking', schema: Switch(FOLLOW) },
    },
    absent: false,
    ...nodeField('track-persons', 'follow'),
  },
  {
    name: 'detection.tracking_max_age',
    views: {
      b: {
        path: 'detection.tracking_max_age',
        schema: Type.Integer({
          minimum: 0,
          maximum: 600_000,
          description: 'Pose frames out of sight until a track ends.',
        }),
      },
    },
    absent: 0,
    ...nodeField('track-persons', 'max_age_ms', {
      show: (stored, _, topology) => Math.round((stored as number) / hopOf(topology)),
      store: (value, _, topology) => (value as number) * hopOf(topology),
    }),
    bounds: (topology) => {
      const { maximum = Infinity } = boundsOf('track-persons', 'max_age_ms', topology);
      return { maximum: Math.floor(maximum / hopOf(topology)) };
    },
    missing: (topology) => needs('track-persons')(topology) ?? needs('window')(topology),
  },
  {
    name: 'detection.tracking_min_hits',
    views: {
      b: {
        path: 'detection.tracking_min_hits',
        schema: Type.Integer({
          minimum: 1,
          maximum: 100,
          description: 'Pose frames in a row until a track is active.',
        }),
      },
    },
    absent: 1,
    ...nodeField('track-persons', 'min_hits'),
  },
];

const methodOf = ({ config }: CheckedNode) => config['method'] as 'nets' | 'rule';

let ownThreshold: number | undefined;
const defaultThreshold = (node: CheckedNode): number =>
  methodOf(node) === 'rule' ? RULE_THRESHOLD : (ownThreshold ??= readWeights().threshold);

const falls: readonly Field[] = [
  {
    name: 'analytics.enable_fall_detection',
    views: {
      a: { path: 'alerts.fall_detection.enabled', schema: Switch('Whether falls are looked for.') },
      b: { path: 'analytics.enable_fall_detection', schema: Switch('Whether falls are looked for.') },
    },
    ...switchOf('detect-falls'),
  },
  {
    name: 'analytics.alert_thresholds.fall_confidence',
    views: {
      a: {
        path: 'alerts.fall_detection.sensitivity',
        schema: Share('Falls of a confidence of at least 1 - sensitivity are reported.'),
        show: (value) => rounded(1 - (value as number)),
        read: (shown) => rounded(1 - (shown as number)),
      },
      b: {
        path: 'analytics.alert_thresholds.fall_confidence',
        schema: Share('Falls of at least this confidence are reported.'),
      },
    },
    absent: 0,
    ...nodeField('detect-falls', 'threshold', {
      show: (stored, node) =>
        rounded(confidenceOf((stored as number | undefined) ?? defaultThreshold(node), methodOf(node))),
      store: (value, node) => scoreFor(value as number, methodOf(node)),
    }),
  },
  {
    name: 'alerts.fall_detection.notification_delay_seconds',
    views: {
      a: {
        path: 'alerts.fall_detection.notification_delay_seconds',
        schema: Type.Number({
          minimum: 0,
          maximum: 600,
          description: 'A fall is held back for so long, and left out if the person walks again meanwhile.',
        }),
      },
    },
    absent: 0,
    ...nodeField('detect-falls', 'notify_delay_ms', {
      show: (stored) => (stored as number) / 1000,
      store: (value) => Math.round((value as number) * 1000),
    }),
  },
];

const inactivity: readonly Field[] = [
  {
    name: 'alerts.inactivity_detection.enabled',
    views: {
      a: { path: 'alerts.inactivity_detection.enabled', schema: Switch('Whether inactivity is looked for.') },
    },
    ...switchOf('detect-inactivity'),
  },
  {
    name: 'analytics.alert_thresholds.inactivity_timeout',
    views: {
      a: {
        path: 'alerts.inactivity_detection.threshold_minutes',
        schema: Type.Number({
          minimum: 0.001,
          maximum: 1_440,
          description: 'Time without motion until it is told of, minutes.',
        }),
        show: (value) => rounded((value as number) / 60),
        // To the millisecond: what was shown, and is sent back, changes nothing.
        read: (shown) => Math.round((shown as number) * 60_000) / 1000,
      },
      b: {
        path: 'analytics.alert_thresholds.inactivity_timeout',
        schema: Type.Number({
          minimum: 0.06,
          maximum: 86_400,
          description: 'Time without motion until it is told of, seconds.',
        }),
      },
    },
    absent: 0.06,
    ...nodeField('detect-inactivity', 'threshold_minutes', {
      show: (stored) => rounded((stored as number) * 60),
      store: (value) => (value as number) / 60,
    }),
  },
  {
    name: 'analytics.enable_activity_recognition',
    views: {
      b: {
        path: 'analytics.enable_activity_recognition',
        schema: Switch('Whether it is told what people do: walk, stand, sit, lie.'),
      },
    },
    ...switchOf('detect-activity'),
  },
];

const streaming: readonly Field[] = [
  {
    name: 'streaming.restream_enabled',
    views: {
      a: {
        path: 'streaming.restream_enabled',
        schema: Switch('Whether `kafka` sinks pass results on to other systems.'),
      },
    },
    ...switchOf('kafka'),
  },
  {
    name: 'streaming.websocket_enabled',
    views: {
      a: { path: 'streaming.websocket_enabled', schema: Switch('Whether /ws/pose takes clients.') },
    },
    ...switchOf('websocket'),
  },
  {
    name: 'streaming.mqtt_enabled',
    views: {
      a: { path: 'streaming.mqtt_enabled', schema: Switch('Whether `mqtt` sinks publish.') },
    },
    ...switchOf('mqtt'),
  },
];

const GPU_BACKENDS: readonly unknown[] = ['auto', 'tensorflow-gpu'];

const network: readonly Field[] = [
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
    fixed: () => 'is that of the loaded weights: another network is named by `weights` of infer-pose',
  },
  {
    name: 'neural_network.batch_size',
    views: {
      b: {
        path: 'neural_network.batch_size',
        schema: Type.Integer({
          minimum: 1,
          maximum: 1024,
          description: 'Windows that are computed together at most.',
        }),
      },
    },
    absent: 1,
    ...nodeField('infer-pose', 'max_batch'),
  },
  {
    name: 'neural_network.enable_gpu',
    views: {
      b: {
        path: 'neural_network.enable_gpu',
        schema: Switch('Whether the network is computed on a GPU where there is one.'),
      },
    },
    absent: false,
    ...nodeField('infer-pose', 'backend', {
      show: (stored) => GPU_BACKENDS.includes(stored),
      store: (value, { config: { backend } }) =>
        value === GPU_BACKENDS.includes(backend) ? backend : value === true ? 'auto' : 'wasm',
    }),
  },
  {
    name: 'neural_network.inference_timeout',
    views: {
      b: {
        path: 'neural_network.inference_timeout',
        schema: Type.Integer({
          minimum: 10,
          maximum: 600_000,
          description: 'A window whose inference takes longer has failed, milliseconds.',
        }),
      },
    },
    absent: 10,
    ...nodeField('infer-pose', 'timeout_ms'),
  },
];

const hardware: readonly Field[] = [
  {
    name: 'hardware.csi_sampling_rate',
    views: {
      b: {
        path: 'hardware.csi_sampling_rate',
        schema: Type.Number({
          minimum: 0,
          description: 'Frames of a link a second: of the simulator as set, of hardware as measured.',
        }),
      },
    },
    absent: 0,
    missing: always,
    read: ({ topology, facts }) => {
      const [simulator] = nodesOf(topology, 'simulator');
      return simulator ? (simulator.config['rate_hz'] as number) : facts.samplingRate;
    },
    fixed: (topology) =>
      nodesOf(topology, 'simulator').length > 0
        ? null
        : 'is what the senders send: it is set in their firmware; only the rate of a simulator can be set',
    write: (value, topology) => overrideAll(topology, ['simulator'], () => ({ config: { rate_hz: value } })),
    bounds: (topology) => boundsOf('simulator', 'rate_hz', topology),
    // What is measured differs a little from one look to the next.
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
          description: 'Batches, of 64 frames at most, that may wait behind a source.',
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
  fact('antenna_count', 'Receive antennas of a link, as the newest frames have them.', 'antennas'),
  fact('subcarrier_count', 'Subcarriers of a frame, as the newest frames have them.', 'subcarriers'),
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
    fixed: () => 'is what the hardware sends, and 0 while it sends nothing',
  };
}

/** Every field of both forms, in the order in which the forms show them. */
export const FIELDS: readonly Field[] = [
  domain,
  environment,
  environmentName,
  calibration,
  ...detection,
  ...network,
  ...hardware,
  ...falls,
  ...inactivity,
  ...privacy,
  ...streaming,
];

export const NO_FACTS = {
  modelVersion: 'none',
  calibratedAt: new Date(0).toISOString(),
  samplingRate: 0,
  antennas: 0,
  subcarriers: 0,
};

/** Whether it can have a value of the configuration's own. */
export const isKept = ({ write, refuse }: Field): boolean => write !== undefined || refuse !== undefined;

/** What a field may be, in the unit in which it is kept. */
export function keptSchema({ name, views }: Field): TSchema {
  const view = [views.b, views.a].find((each) => each && !each.read);
  if (!view) throw new RangeError(`no form shows ${name} as it is kept`);
  return view.schema;
}

/** What is read is measured or loaded, not configured. */
export const isFact = (field: Field, topology: CheckedTopology): boolean =>
  field.fixed !== undefined && field.fixed(topology) !== null;

const sourcesOf = ({ nodes }: CheckedTopology): readonly CheckedNode[] =>
  nodes.filter(({ component }) => component.kind === 'source');

/** Whether a value that was sent is the one that is there. */
export const sameValue = (field: Field, sent: Value, now: Value, topology: CheckedTopology): boolean =>
  field.isSame && isFact(field, topology) ? field.isSame(sent, now) : sent === now;
