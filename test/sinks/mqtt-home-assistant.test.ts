import { connectAsync, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { discoveries, ENTITIES, type Entity } from '../../sinks/mqtt/home-assistant.js';
import { mqtt } from '../../sinks/mqtt/mqtt.js';
import { Topics } from '../../sinks/mqtt/topics.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';
import { startBroker } from '../support/mqtt-broker.js';
import { eventually } from '../support/waiting.js';

/**
 * Home Assistant's documentation of MQTT discovery (www.home-assistant.io/integrations: mqtt,
 * binary_sensor.mqtt, sensor.mqtt, event.mqtt), and the fields that its releases accept (`default_entity_id`
 * from 2025.10 on, `object_id` until 2026.3).
 */
const TOPIC = /^homeassistant\/(binary_sensor|sensor|event)\/[a-zA-Z0-9_-]+\/[a-zA-Z0-9_-]+\/config$/;

const COMMON = [
  'availability',
  'availability_mode',
  'availability_template',
  'availability_topic',
  'device',
  'enabled_by_default',
  'encoding',
  'entity_category',
  'icon',
  'json_attributes_template',
  'json_attributes_topic',
  'name',
  'default_entity_id',
  'origin',
  'payload_available',
  'payload_not_available',
  'qos',
  'state_topic',
  'unique_id',
  'value_template',
];
const FIELDS: Record<string, readonly string[]> = {
  binary_sensor: [
    ...COMMON,
    'device_class',
    'expire_after',
    'force_update',
    'off_delay',
    'payload_off',
    'payload_on',
  ],
  sensor: [
    ...COMMON,
    'device_class',
    'expire_after',
    'force_update',
    'last_reset_value_template',
    'state_class',
    'suggested_display_precision',
    'unit_of_measurement',
  ],
  event: [...COMMON, 'device_class', 'event_types'],
};
const DEVICE_FIELDS = [
  'configuration_url',
  'connections',
  'hw_version',
  'identifiers',
  'manufacturer',
  'model',
  'name',
  'serial_number',
  'suggested_area',
  'sw_version',
  'via_device',
];
const ORIGIN_FIELDS = ['name', 'support_url', 'sw_version'];
const STATE_CLASSES = ['measurement', 'total', 'total_increasing'];
const CATEGORIES = ['config', 'diagnostic'];
/** Of binary sensors; an unknown class prevents the entity from being created. */
const BINARY_CLASSES = ['connectivity', 'motion', 'moving', 'occupancy', 'presence', 'problem', 'safety'];

const ALL = Object.keys(ENTITIES) as Entity[];

const OPERATORS = ['detect-motion', 'track-persons', 'detect-falls', 'estimate-vitals'];
const OWN_MEASURES = new Set(['heart_rate_bpm', 'packet_loss']);

function configs(
  wanted: readonly Entity[] = ALL,
  id = 'test-room',
  components: readonly string[] = OPERATORS,
  measures: ReadonlySet<string> = OWN_MEASURES,
) {
  const environment = { ...testEnvironment, id, name: 'The ward' };
  return discoveries(environment, new Topics('csiflow', id), {
    prefix: 'homeassistant',
    version: '1.2.3',
    wanted,
    components,
    measures,
  }).map(({ topic, payload }) => ({
    topic,
    component: topic.split('/')[1]!,
    config: payload === '' ? null : (JSON.parse(payload) as Record<string, unknown>),
  }));
}

describe('MQTT discovery', () => {
  test.each(configs())(
    '$topic has the fields that Home Assistant documents',
    ({ topic, component, config }) => {
      expect(topic).toMatch(TOPIC);
      expect(Object.keys(config!).filter((field) => !FIELDS[component]!.includes(field))).toEqual([]);
      expect(config!['state_topic']).toMatch(/^csiflow\/test-room\/[a-z_/]+$/);
      expect(typeof config!['unique_id']).toBe('string');
      expect(config!['qos']).toBe(1);
      const device = config!['device'] as Record<string, unknown>;
      expect(Object.keys(device).filter((field) => !DEVICE_FIELDS.includes(field))).toEqual([]);
      expect(device['identifiers']).toEqual(['csiflow_test-room']);
      const origin = config!['origin'] as Record<string, unknown>;
      expect(Object.keys(origin).filter((field) => !ORIGIN_FIELDS.includes(field))).toEqual([]);
      expect(origin['name']).toBe('csiflow');
    },
  );

  test.each(configs())('$topic has values that Home Assistant accepts', ({ component, config }) => {
    const { state_class, entity_category, device_class, expire_after, event_types, icon } = config!;
    if (component === 'sensor') expect(STATE_CLASSES).toContain(state_class);
    if (component === 'binary_sensor') expect(BINARY_CLASSES).toContain(device_class);
    if (component === 'event') expect(event_types).toEqual(['fall_detection']);
    if (entity_category !== undefined) expect(CATEGORIES).toContain(entity_category);
    if (expire_after !== undefined)
      expect(Number.isInteger(expire_after) && Number(expire_after) > 0).toBe(true);
    if (icon !== undefined) expect(icon).toMatch(/^mdi:[a-z-]+$/);
    // Only one form of availability is allowed.
    expect(config).not.toHaveProperty('availability');
    expect(config!['availability_topic']).toBe('csiflow/test-room/status/connection');
  });

  test('all entities of an environment form one device, each with its own id', () => {
    const all = configs().map(({ config }) => config!);
    expect(new Set(all.map(({ device }) => JSON.stringify(device))).size).toBe(1);
    expect(new Set(all.map(({ unique_id }) => unique_id)).size).toBe(all.length);
  });

  test('an unwanted entity is removed by an empty message', () => {
    const some = configs(['fall']);
    expect(some.filter(({ config }) => config !== null).map(({ topic }) => topic)).toEqual([
      'homeassistant/event/csiflow_test-room/fall/config',
    ]);
    expect(some).toHaveLength(configs().length);
  });

  test('the default id of an entity is valid in Home Assistant', () => {
    for (const { component, config } of configs(ALL, 'Ward.3-b')) {
      expect(config).not.toHaveProperty('object_id');
      // homeassistant.core.valid_entity_id
      expect(config!['default_entity_id']).toMatch(/^(?!.+__)(?!_)[\da-z_]+(?<!_)\.(?!_)[\da-z_]+(?<!_)$/);
      expect(String(config!['default_entity_id']).split('.')[0]).toBe(component);
    }
  });

  test('values that no operator computes are no entities, and former ones are removed', () => {
    const idsOf = (components: readonly string[], measures: readonly string[]) =>
      configs(ALL, 'r', components, new Set(measures))
        .filter(({ config }) => config !== null)
        .map(({ topic }) => topic.split('/')[3]);
    expect(idsOf([], [])).toEqual([]);
    expect(idsOf(['detect-motion'], [])).toEqual(['presence', 'motion']);
    expect(idsOf(['detect-falls'], [])).toEqual(['presence', 'fall']);
    expect(idsOf(['estimate-vitals'], [])).toEqual(['breathing_rate']);
    expect(idsOf(['infer-pose'], [])).toEqual(['people', 'signal_quality']);
    expect(idsOf(['an-operator-of-mine'], ['heart_rate_bpm'])).toEqual(['heart_rate']);
  });

  test('an id with dots gives topics without dots', () => {
    expect(configs(ALL, 'ward.3').every(({ topic }) => TOPIC.test(topic))).toBe(true);
  });
});

describe('with a broker', () => {
  let broker: Awaited<ReturnType<typeof startBroker>>;
  let reader: MqttClient;
  let sink: Sink;
  let seen: { topic: string; retain: boolean }[];

  beforeEach(async () => {
    broker = await startBroker();
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const filled = withDefaults(mqtt, { url, protocol: '3.1.1', home_assistant: true });
    const inputs = ['detect-motion', 'track-persons', 'detect-falls'];
    sink = mqtt.create(filled as never, testContext({ inputs }).context);
    await sink.open();
    seen = [];
    reader = await connectAsync(url);
    reader.on('message', (topic, _payload, { retain }) => {
      seen.push({ topic, retain });
    });
    await reader.subscribeAsync('homeassistant/+/+/+/config', { qos: 1 });
  });
  afterEach(async () => {
    await sink.close();
    await reader.endAsync(true);
    await broker.close();
  });

  test('it is retained for a Home Assistant that starts later', async () => {
    await eventually(() => {
      expect(seen).toHaveLength(5);
    });
    expect(seen.every(({ retain }) => retain)).toBe(true);
  });

  test('it is sent again when Home Assistant announces itself', async () => {
    await eventually(() => {
      expect(seen).toHaveLength(5);
    });
    await reader.publishAsync('homeassistant/status', 'offline', { qos: 1 });
    await reader.publishAsync('homeassistant/status', 'online', { qos: 1 });
    await eventually(() => {
      // The three that nothing computes are removed again.
      expect(seen).toHaveLength(5 + 8);
    });
  });
});
