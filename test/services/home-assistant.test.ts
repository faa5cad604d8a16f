import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import type { Data, Environment } from '../../pipeline/model/index.js';
import { mqtt } from '../../sinks/mqtt/mqtt.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';
import { HOME_ASSISTANT_COMPONENTS } from '../support/home-assistant-components.js';
import { measure, person, poseFrame, sensedEvent, START } from '../support/records.js';
import {
  hasHomeAssistant,
  startHomeAssistant,
  type HomeAssistant,
  type Shown,
} from '../support/servers/home-assistant.js';
import { startMosquitto, type Mosquitto } from '../support/servers/mosquitto.js';

const ZONES: Environment['zones'] = [
  { id: 'bed', name: 'Bed', kind: 'bed', polygon: [[0, 0], [2, 0], [2, 2], [0, 2]] },
  { id: 'hall', polygon: [[3, 0], [5, 0], [5, 2], [3, 2]] },
]; // prettier-ignore
const WAITING = { timeout: 60_000, interval: 500 };

const at = (seconds: number) => ({ time: START + seconds * 1e6 });
const count = (zone: string | null, value: number, seconds = 0) =>
  measure(0, { name: 'occupancy', subject: zone, value, ...at(seconds) });
const value = (name: string, amount: number, subject: string | null = null) =>
  measure(0, { name, subject, value: amount });

/** Somebody gets out of bed into the hall. */
const RECORDS: readonly Data[] = [
  poseFrame(0, { persons: [person(0, 0)], signalQuality: 0.975 }),
  value('presence', 1),
  value('motion', 0.42),
  value('breathing_rate_bpm', 14.2, 'link-1'),
  value('heart_rate_bpm', 61, 'link-1'),
  value('packet_loss', 0.015, 'link-1'),
  value('packet_loss', 0.25, 'link-2'),
  value('link_rate_hz', 50, 'link-1'),
  value('link_usable', 1, 'link-1'),
  count(null, 1),
  count('bed', 1),
  sensedEvent(0, { type: 'zone_entered', metadata: { zone: 'bed' }, ...at(0) }),
  sensedEvent(0, {
    type: 'activity_changed',
    metadata: { activity: 'lying', previous: 'sitting' },
    ...at(1),
  }),
  count('bed', 0, 20),
  sensedEvent(0, { type: 'zone_left', metadata: { zone: 'bed' }, ...at(20) }),
  count('hall', 1, 20),
  sensedEvent(0, { type: 'zone_entered', metadata: { zone: 'hall' }, ...at(20) }),
  sensedEvent(0, {
    type: 'activity_changed',
    metadata: { activity: 'walking', previous: 'lying' },
    ...at(21),
  }),
];

/** Home Assistant mentions, and ignores, that the old topic is cleared, which is part of the migration that it documents. */
const CLEARED =
  /conflicting .* received on topic homeassistant\/binary_sensor\/csiflow_test-room\/presence\/config/;

/** As version 0.4.0 announced it. */
const SINGLE = {
  topic: 'homeassistant/binary_sensor/csiflow_test-room/presence/config',
  payload: JSON.stringify({
    name: 'Presence',
    device_class: 'occupancy',
    state_topic: 'csiflow/test-room/status/occupancy',
    value_template: "{{ 'ON' if value_json.occupied else 'OFF' }}",
    unique_id: 'csiflow_test-room_presence',
    default_entity_id: 'binary_sensor.presence_of_before',
    device: { identifiers: ['csiflow_test-room'], name: 'The ward' },
    origin: { name: 'csiflow', sw_version: '0.4.0' },
  }),
};

describe.skipIf(!hasHomeAssistant)("Home Assistant's own core and MQTT integration", () => {
  let broker: Mosquitto;
  let reader: MqttClient;
  let home: HomeAssistant;
  let sink: Sink;

  const open = async (zones = ZONES) => {
    const environments = [{ ...testEnvironment, name: 'The ward', zones }];
    const config = { url: broker.url, username: 'csiflow', password: broker.password, home_assistant: true };
    sink = mqtt.create(
      withDefaults(mqtt, config) as never,
      testContext({ inputs: HOME_ASSISTANT_COMPONENTS, environments }).context,
    );
    await sink.open();
  };
  /** Waits until Home Assistant shows this. */
  const shows = (check: (shown: Shown) => void) =>
    expect
      .poll(async () => {
        const shown = await home.look();
        check(shown);
        return shown.complaints.filter((line) => !CLEARED.test(line));
      }, WAITING)
      .toEqual([]);

  beforeAll(async () => {
    broker = await startMosquitto();
    reader = await connectAsync(broker.url, { username: 'csiflow', password: broker.password });
    await reader.publishAsync(SINGLE.topic, SINGLE.payload, { qos: 1, retain: true });
    home = await startHomeAssistant(Number(new URL(broker.url).port), 'csiflow', broker.password);
  }, 180_000);
  afterAll(async () => {
    await sink.close();
    await reader.endAsync(true);
    await home.stop();
    await broker.server.stop();
  }, 120_000);

  test('knows the entity of an earlier version', async () => {
    await shows(({ entities }) => {
      expect(entities).toEqual({ 'csiflow_test-room_presence': 'binary_sensor.presence_of_before' });
    });
  }, 120_000);

  test('moves it to the device, with its id, and adds all others', async () => {
    await open();
    await sink.write(RECORDS, 1);
    await shows(({ entities, devices }) => {
      expect(devices).toEqual(['The ward']);
      expect(entities['csiflow_test-room_presence']).toBe('binary_sensor.presence_of_before');
      expect(Object.keys(entities)).toHaveLength(12 + 2 * 6);
    });
  }, 120_000);

  test('shows the state of the room, of its zones and of its links', async () => {
    const states: Record<string, string> = {
      'binary_sensor.presence_of_before': 'on',
      'sensor.csiflow_test_room_people': '1',
      'sensor.csiflow_test_room_activity': 'walking',
      'sensor.csiflow_test_room_last_seen': '2023-11-14T22:13:20+00:00',
      'sensor.csiflow_test_room_motion': '42',
      'sensor.csiflow_test_room_breathing_rate': '14.2',
      'sensor.csiflow_test_room_heart_rate': '61',
      'binary_sensor.csiflow_test_room_link_problem': 'off',
      'sensor.csiflow_test_room_packet_loss': '25.0',
      'sensor.csiflow_test_room_signal_quality': '98',
      'event.csiflow_test_room_fall': 'unknown',
      'binary_sensor.csiflow_test_room_zone_bed_occupancy': 'off',
      'sensor.csiflow_test_room_zone_bed_people': '0',
      'sensor.csiflow_test_room_zone_bed_activity': 'unknown',
      'sensor.csiflow_test_room_zone_bed_last_seen': '2023-11-14T22:13:40+00:00',
      'binary_sensor.csiflow_test_room_zone_hall_occupancy': 'on',
      'sensor.csiflow_test_room_zone_hall_people': '1',
      'sensor.csiflow_test_room_zone_hall_activity': 'walking',
    };
    await shows((shown) => {
      const found = Object.keys(states).map((id) => [id, shown.states[id]?.state]);
      expect(Object.fromEntries(found)).toEqual(states);
    });
  }, 120_000);

  test('says which link loses how much, who is there and why, and nothing that changes with every message', async () => {
    await shows(({ states }) => {
      const said = (id: string) => states[id]!.attributes;
      expect(said('sensor.csiflow_test_room_packet_loss')).toMatchObject({
        links: { 'link-1': 0.015, 'link-2': 0.25 },
      });
      expect(said('binary_sensor.csiflow_test_room_link_problem')).toMatchObject({
        silent: [],
        unusable: [],
      });
      expect(said('binary_sensor.presence_of_before')).toMatchObject({
        reasons: ['counted'],
        basis: 'occupancy',
      });
      expect(said('sensor.csiflow_test_room_people')).toMatchObject({ person_ids: [1] });
      expect(said('sensor.csiflow_test_room_people')).not.toHaveProperty('timestamp');
    });
  }, 120_000);

  test('shows a room as unknown, not as empty, while nothing says who is there', async () => {
    await sink.write([value('occupancy_known', 0)], 1);
    await shows(({ states }) => {
      expect(states['binary_sensor.presence_of_before']!.state).toBe('unknown');
      expect(states['binary_sensor.csiflow_test_room_zone_hall_occupancy']!.state).toBe('unknown');
    });
  }, 120_000);

  test('triggers a fall in the room and in its zone, and no other', async () => {
    const location = { x: 4, y: 1, z: 0 };
    await sink.write([sensedEvent(0, { location, ...at(30) }), value('link_rate_hz', 0, 'link-2')], 1);
    await shows(({ states }) => {
      const fell = (id: string) => states[id]!.attributes['event_type'];
      expect(fell('event.csiflow_test_room_fall')).toBe('fall_detection');
      expect(fell('event.csiflow_test_room_zone_hall_fall')).toBe('fall_detection');
      expect(fell('event.csiflow_test_room_zone_bed_fall')).toBe(null);
      expect(states['binary_sensor.csiflow_test_room_link_problem']).toMatchObject({
        state: 'on',
        attributes: { silent: ['link-2'] },
      });
    });
  }, 120_000);

  test('removes the entities of a zone that is gone', async () => {
    await sink.close();
    await shows(({ states }) => {
      expect(states['sensor.csiflow_test_room_zone_hall_people']!.state).toBe('unavailable');
    });
    await open(ZONES.slice(0, 1));
    await shows(({ entities }) => {
      expect(Object.keys(entities).filter((id) => id.includes('zone_hall'))).toEqual([]);
      // Without the heart rate, which no node has measured since.
      expect(Object.keys(entities)).toHaveLength(11 + 6);
    });
  }, 120_000);
});
