import { connectAsync, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Environment } from '../../pipeline/model/index.js';
import { ENTITIES, type Entity } from '../../sinks/mqtt/entities.js';
import { deviceMessage, discoveryTopics, type DeviceMessage } from '../../sinks/mqtt/home-assistant.js';
import { mqtt } from '../../sinks/mqtt/mqtt.js';
import { Topics } from '../../sinks/mqtt/topics.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';
import { HOME_ASSISTANT_COMPONENTS } from '../support/home-assistant-components.js';
import { startBroker } from '../support/mqtt-broker.js';
import { measure } from '../support/records.js';
import { eventually } from '../support/waiting.js';

/**
 * Home Assistant's documentation of MQTT discovery (www.home-assistant.io/integrations: mqtt,
 * binary_sensor.mqtt, sensor.mqtt, event.mqtt), and the fields that its releases accept (`default_entity_id`
 * from 2025.10 on, `object_id` until 2026.3).
 */
const TOPIC = /^homeassistant\/device\/[a-zA-Z0-9_-]+\/config$/;

/** Fields of an entity, for all platforms; it may not repeat what the device's message has for all entities. */
const COMMON = [
  'platform',
  'unique_id',
  'default_entity_id',
  'name',
  'icon',
  'entity_category',
  'device_class',
  'state_topic',
  'value_template',
  'json_attributes_topic',
  'json_attributes_template',
];
const FIELDS: Record<string, readonly string[]> = {
  binary_sensor: [...COMMON, 'expire_after'],
  sensor: [
    ...COMMON,
    'expire_after',
    'options',
    'state_class',
    'suggested_display_precision',
    'unit_of_measurement',
  ],
  event: [...COMMON, 'event_types'],
};
const CLASSES: Record<string, readonly unknown[]> = {
  binary_sensor: ['occupancy', 'problem'],
  sensor: [undefined, 'timestamp', 'enum'],
  event: [undefined],
};

const ALL = Object.keys(ENTITIES) as Entity[];
const SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]; // prettier-ignore
const ZONES: Environment['zones'] = [
  { id: 'Bed.1', name: 'Bed', kind: 'bed', polygon: SQUARE },
  { id: 'basket', kind: 'pet', max_height: 0.8, polygon: SQUARE },
];

const message = (
  overrides: Partial<Environment> = {},
  { wanted = ALL, components = HOME_ASSISTANT_COMPONENTS, measures = ['heart_rate_bpm', 'packet_loss'] } = {},
): DeviceMessage => {
  const environment = { ...testEnvironment, name: 'The ward', zones: ZONES, ...overrides };
  const settings = { version: '1.2.3', wanted, components, measures: new Set(measures) };
  return deviceMessage(environment, new Topics('csiflow', environment.id), settings);
};
const ids = (found: DeviceMessage): string[] => Object.keys(found.components);

describe('the device of an environment', () => {
  test.each(Object.entries(message().components))(
    'has `%s` with fields that Home Assistant documents',
    (id, one) => {
      const { platform, device_class, state_topic, expire_after, icon } = one;
      expect(Object.keys(one).filter((field) => !FIELDS[platform]!.includes(field))).toEqual([]);
      expect(CLASSES[platform]).toContain(device_class);
      expect(state_topic).toMatch(/^csiflow\/test-room\/[A-Za-z0-9._/]+$/);
      expect(one['unique_id']).toBe(`csiflow_test-room_${id}`);
      // homeassistant.core.valid_entity_id
      expect(one['default_entity_id']).toMatch(/^(?!.+__)(?!_)[\da-z_]+(?<!_)\.(?!_)[\da-z_]+(?<!_)$/);
      expect(String(one['default_entity_id']).split('.')[0]).toBe(platform);
      if (expire_after !== undefined) expect(expire_after).toBeGreaterThan(0);
      if (icon !== undefined) expect(icon).toMatch(/^mdi:[a-z-]+$/);
    },
  );

  test('lists the attributes of each entity: a whole message would be stored every second', () => {
    const whole = Object.entries(message().components).filter(
      ([, one]) => 'json_attributes_topic' in one !== 'json_attributes_template' in one,
    );
    expect(whole).toEqual([]);
  });

  test('says who it is, and where its availability is', () => {
    expect(message()).toMatchObject({
      device: { identifiers: ['csiflow_test-room'], name: 'The ward', sw_version: '1.2.3' },
      origin: { name: 'csiflow', sw_version: '1.2.3' },
      availability_topic: 'csiflow/test-room/status/connection',
      qos: 1,
    });
  });

  test('has entities of zones, but none of a pet area', () => {
    const ofZones = ids(message()).filter((id) => id.startsWith('zone_'));
    expect(ofZones).toEqual(
      ['occupancy', 'people', 'fall', 'inactivity', 'activity', 'last_seen'].map(
        (id) => `zone_Bed_2e1_${id}`,
      ),
    );
    expect(message().components['zone_Bed_2e1_fall']).toMatchObject({ name: 'Bed fall' });
    expect(message().components['zone_Bed_2e1_people']).toMatchObject({
      state_topic: 'csiflow/test-room/zones/Bed.1',
    });
  });

  test('shows the room, as each zone, as unknown if nothing says who is there', () => {
    const { presence, zone_Bed_2e1_occupancy: bed } = message().components;
    expect(presence!['value_template']).toMatch(/^\{\{ none if value_json\.occupied is none else /);
    expect(presence!['value_template']).toBe(bed!['value_template']);
    expect(presence!['json_attributes_template']).toContain("'basis': value_json.basis");
  });

  test('has those that are chosen', () => {
    expect(ids(message({}, { wanted: ['fall'] }))).toEqual(['fall']);
  });

  test.each<[string[], string[], string[]]>([
    [[], [], []],
    [['detect-motion'], [], ['presence', 'motion']],
    [['detect-falls'], [], ['presence', 'fall']],
    [['watch-zones'], [], ['presence', 'last_seen']],
    [['an-operator-of-mine'], ['occupancy'], ['presence']],
    [['estimate-vitals'], [], ['breathing_rate']],
    [['infer-pose'], [], ['people', 'signal_quality']],
    [['detect-inactivity'], [], ['inactivity']],
    [['measure-links'], [], ['link_problem', 'packet_loss']],
    [['an-operator-of-mine'], ['heart_rate_bpm'], ['heart_rate']],
  ])('has what %j compute with measures %j', (components, measures, expected) => {
    expect(ids(message({ zones: [] }, { components, measures }))).toEqual(expected);
  });

  test('with an id with dots has a topic without', () => {
    expect(discoveryTopics('homeassistant', 'ward.3').device).toMatch(TOPIC);
  });
});

describe('with a broker', () => {
  let broker: Awaited<ReturnType<typeof startBroker>>;
  let reader: MqttClient;
  let url: string;
  let seen: { topic: string; text: string; retain: boolean }[];
  const closing: (() => Promise<void>)[] = [];
  const DEVICE = 'homeassistant/device/csiflow_test-room/config';
  const OLD = 'homeassistant/binary_sensor/csiflow_test-room/presence/config';

  beforeEach(async () => {
    broker = await startBroker();
    url = `mqtt://127.0.0.1:${broker.port}`;
    seen = [];
    reader = await connectAsync(url);
    reader.on('message', (topic, payload, { retain }) => {
      seen.push({ topic, text: payload.toString(), retain });
    });
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await reader.endAsync(true);
    await broker.close();
  });

  const open = async (
    zones: Environment['zones'] = [],
    inputs = ['detect-motion', 'detect-falls', 'watch-zones'],
  ) => {
    const filled = withDefaults(mqtt, { url, protocol: '3.1.1', home_assistant: true });
    const environments = [{ ...testEnvironment, zones }];
    const sink = mqtt.create(filled as never, testContext({ inputs, environments }).context);
    closing.push(() => sink.close());
    await sink.open();
    return sink;
  };
  const listen = () =>
    reader.subscribeAsync(['homeassistant/device/+/config', 'homeassistant/+/+/+/config'], { qos: 1 });
  const devices = () => seen.filter(({ topic }) => topic === DEVICE);
  const componentsOf = (text: string) => (JSON.parse(text) as DeviceMessage).components;

  test('the device is retained for a Home Assistant that starts later', async () => {
    await open();
    await listen();
    await eventually(() => {
      expect(seen.map(({ topic, retain }) => [topic, retain])).toEqual([[DEVICE, true]]);
    });
  });

  test('it is announced again when Home Assistant starts, and when a new measure arrives', async () => {
    await listen();
    const sink = await open();
    await reader.publishAsync('homeassistant/status', 'offline', { qos: 1 });
    await reader.publishAsync('homeassistant/status', 'online', { qos: 1 });
    await eventually(() => {
      expect(devices()).toHaveLength(2);
    });
    expect(devices()[1]!.text).toBe(devices()[0]!.text);
    await sink.write([measure(0, { name: 'heart_rate_bpm' })], 1);
    await eventually(() => {
      // First, because Home Assistant stops reading at an entity that it is still setting up.
      expect(Object.keys(componentsOf(devices().at(-1)!.text))[0]).toBe('heart_rate');
    });
  });

  test('an entity that is gone is removed, and then no longer in the message', async () => {
    const first = await open([{ id: 'desk', polygon: SQUARE }]);
    await first.close();
    await listen();
    await eventually(() => {
      expect(devices()).toHaveLength(1);
    });
    await open();
    await eventually(() => {
      expect(devices()).toHaveLength(3);
    });
    const [before, between, after] = devices().map(({ text }) => componentsOf(text));
    expect(before!['zone_desk_people']).toMatchObject({
      platform: 'sensor',
      state_topic: 'csiflow/test-room/zones/desk',
    });
    expect(between!['zone_desk_people']).toEqual({ platform: 'sensor' });
    expect(after).not.toHaveProperty('zone_desk_people');
    expect(after).toHaveProperty('presence');
  });

  test('a device without entities is removed', async () => {
    const first = await open();
    await first.close();
    await listen();
    await open([], []);
    await eventually(() => {
      expect(devices().at(-1)).toMatchObject({ text: '', retain: false });
    });
  });

  test('single entities of earlier versions move to the device, and their topics are cleared', async () => {
    const old = { unique_id: 'csiflow_test-room_presence', state_topic: 'x', origin: { name: 'csiflow' } };
    await reader.publishAsync(OLD, JSON.stringify(old), { qos: 1, retain: true });
    await listen();
    await open();
    await eventually(() => {
      expect(seen.map(({ topic, text }) => [topic, text.slice(0, 26)])).toEqual([
        [OLD, '{"unique_id":"csiflow_test'],
        [OLD, '{"migrate_discovery":true}'],
        [DEVICE, expect.stringMatching(/^\{"device":/)],
        [OLD, ''],
      ]);
    });
  });

  test('what others announce below the same name stays', async () => {
    await reader.publishAsync(OLD, JSON.stringify({ origin: { name: 'another' } }), { qos: 1, retain: true });
    await listen();
    await open();
    await eventually(() => {
      expect(devices()).toHaveLength(1);
    });
    expect(seen.filter(({ topic }) => topic === OLD)).toHaveLength(1);
  });
});
