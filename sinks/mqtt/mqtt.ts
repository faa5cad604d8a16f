import { Type, type Static } from 'typebox';
import { choice, defineSink, type Context, type Sink } from '../../pipeline/component/index.js';
import type { Data, Failure } from '../../pipeline/model/index.js';
import { brokerFields, checkBroker } from '../../pipeline/sources/mqtt/settings.js';
import { packageVersion } from '../../pipeline/base/paths.js';
import { ENTITIES, type Entity } from './entities.js';
import { Room, type RoomSettings } from './publisher.js';

const qos = (what: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 1,
    default: 1,
    description: `Quality of service of ${what}: 1 waits for the broker's confirmation; 0 may lose messages in flight when the connection breaks.`,
  });

const prefix = (fallback: string, description: string) =>
  Type.String({
    pattern: '^[^+#/$\\s][^+#\\s]{0,200}$',
    'x-expected': 'must be a topic without spaces, + and #, that starts neither with / nor with $',
    default: fallback,
    description,
  });

const Config = Type.Object(
  {
    ...brokerFields,
    prefix: prefix('csiflow', 'First level of all topics; no `/` at its end.'),
    qos_pose: qos('messages of single people'),
    qos_state: qos('summaries, measures and status'),
    qos_alert: qos('alerts'),
    persons: Type.Boolean({
      default: true,
      description: 'Whether each person of each pose frame is published; the summary always is.',
    }),
    summary_interval_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 1000,
      description:
        'Event time between two summaries while the number of people stays the same; 0: one for each pose frame.',
    }),
    max_in_flight: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 20,
      description: 'Limit of messages in flight for one environment.',
    }),
    fall_hold_ms: Type.Integer({
      minimum: 0,
      maximum: 604_800_000,
      default: 43_200_000,
      description:
        'Event time for which a fall keeps its room occupied at `status/occupancy`; it ends earlier when the person who fell stands up.',
    }),
    home_assistant: Type.Boolean({
      default: false,
      description: 'Whether to announce each environment to Home Assistant as a device (MQTT discovery).',
    }),
    home_assistant_prefix: prefix('homeassistant', 'Discovery prefix, as set in Home Assistant.'),
    home_assistant_entities: Type.Array(choice<Entity>(ENTITIES, { description: 'An entity.' }), {
      uniqueItems: true,
      default: Object.keys(ENTITIES),
      description:
        'Entities of each device, as far as the nodes in `from` compute them; all others are removed from Home Assistant.',
    }),
  },
  { additionalProperties: false },
);

export const mqtt = defineSink({
  name: 'mqtt',
  summary: 'Publishes results to an MQTT broker, and announces them to Home Assistant.',
  description: [
    'One connection for each environment, whose last will is at `status/connection` (`online`, `offline`):',
    '',
    '| topic below `csiflow/<environment>/` | what | retained |',
    '|---|---|---|',
    '| `pose/person/<id>` | a person of a pose frame, with keypoints in metres; `untracked` without a tracker | no |',
    '| `pose/summary` | how many, who, how sure | yes |',
    '| `alerts/<type>` | an event, with a stable `alert_id` | never |',
    '| `analytics/<domain>` | the newest measures: `occupancy`, `motion`, `vitals`, `activity`, `link_quality`, `other` | yes |',
    '| `analytics/claims`, `analytics/claimed_events` | what senders say of themselves: never alerts | measures |',
    '| `status/connection`, `status/engine` | last will; the publisher | yes |',
    '| `status/room`, `zones/<zone>` | how many people are there, when somebody last was, what they do | yes |',
    '| `status/occupancy` | whether the room is occupied, or null: by `watch-zones`, without it by motion and tracks; and while somebody who fell did not get up | yes |',
    '',
    'A message of quality 1 counts as written once the broker has confirmed it. While the broker is offline, records',
    'wait in the outbox on disk and are published in order when it is back. A break may publish some twice: alerts',
    'are identified by their `alert_id`; everything else is a state, or a pose frame with its number.',
    '',
    'What the broker rejects (its access list) becomes a dead letter with the reason; its topic is not retried',
    'for a minute. Codes: `mqtt.135` (not allowed), `mqtt.144` (not a good topic), `mqtt.149` (too large),',
    "`mqtt.value.invalid` (a number that JSON does not know), `mqtt.environment` (not one of the topology's). With",
    '`protocol: "3.1.1"` a broker silently drops what is not allowed.',
    '',
    'Payloads, Home Assistant, access lists: docs/mqtt.md.',
  ].join('\n'),
  inputs: ['pose', 'event', 'measure'],
  recovery: 'at-least-once',
  privacy: ['retention', 'encryption'],
  config: Config,
  examples: [
    { title: 'A broker on this machine', config: { url: 'mqtt://localhost:1883' } },
    {
      title: 'With a password, TLS and Home Assistant',
      config: {
        url: 'mqtts://broker.example:8883',
        username: 'csiflow',
        password: '${secret:mqtt}',
        ca: 'certificates/ca.pem',
        home_assistant: true,
      },
    },
  ],
  check: checkBroker,
  settings: { 'streaming.mqtt_enabled': 'enabled' },
  create: (config, context) => new MqttSink(config, context),
});

class MqttSink implements Sink {
  readonly #config: Static<typeof Config>;
  readonly #context: Context;
  #rooms: ReadonlyMap<string, Room> = new Map();

  constructor(config: Static<typeof Config>, context: Context) {
    this.#config = config;
    this.#context = context;
  }

  async open(): Promise<void> {
    const version = packageVersion();
    this.#rooms = new Map(
      this.#context.environments.map((environment) => [
        environment.id,
        new Room(environment, this.#settings(environment.id, version), this.#context),
      ]),
    );
    // If several processes share a topology, each connects for the environments that it receives.
    if (this.#context.transaction) return;
    await Promise.all([...this.#rooms.values()].map((room) => room.open()));
  }

  async write(records: readonly Data[]): Promise<readonly Failure[]> {
    const failures: Failure[] = [];
    const byRoom = new Map<Room, Data[]>();
    for (const record of records) {
      const room = 'environment' in record ? this.#rooms.get(record.environment) : undefined;
      if (!room) failures.push(homeless(record));
      else if (!byRoom.get(room)?.push(record)) byRoom.set(room, [record]);
    }
    const written = await Promise.allSettled([...byRoom].map(([room, own]) => room.write(own)));
    const rejected = written.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as Error] : [],
    );
    if (rejected.length > 0 && rejected.length === byRoom.size && failures.length === 0) throw rejected[0]!;
    [...byRoom.values()].forEach((own, index) => {
      const result = written[index]!;
      if (result.status === 'fulfilled') failures.push(...result.value);
      else failures.push(...own.map((record) => later(record, result.reason as Error)));
    });
    return failures;
  }

  /** Nothing to wait for: `write` has waited until the broker confirmed. */
  async flush(): Promise<void> {
    await Promise.resolve();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#rooms.values()].map((room) => room.close()));
  }

  describe(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#rooms].map(([id, room]) => [id, room.describe()]));
  }

  #settings(environment: string, version: string): RoomSettings {
    const config = this.#config;
    const { topology, node, domain } = this.#context;
    return {
      broker: config,
      clientId: `${config.client_id ?? `csiflow-${topology}-${node}`}-${environment}`,
      prefix: config.prefix,
      qos: { pose: level(config.qos_pose), state: level(config.qos_state), alert: level(config.qos_alert) },
      persons: config.persons,
      summaryInterval: config.summary_interval_ms * 1000,
      fallHold: config.fall_hold_ms * 1000,
      maxInFlight: config.max_in_flight,
      homeAssistant: config.home_assistant
        ? { prefix: config.home_assistant_prefix, entities: config.home_assistant_entities }
        : null,
      version,
      ...(domain && { domain }),
    };
  }
}

const level = (value: number): 0 | 1 => (value === 0 ? 0 : 1);

const homeless = (record: Data): Failure => ({
  record,
  code: 'mqtt.environment',
  reason: `the topology has no environment for this ${record.port} record: topics are named by environments`,
  retriable: false,
});

const later = (record: Data, error: Error): Failure => ({
  record,
  code: 'mqtt.connection',
  reason: error.message,
  retriable: true,
});
