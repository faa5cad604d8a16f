import type { Environment } from '../../pipeline/model/index.js';
import { roomEntities, type Entity, type EntityConfig, type Platform } from './entities.js';
import type { Topics } from './topics.js';
import { zoneEntities } from './zone-entities.js';
import { isRecord } from '../../pipeline/base/is-record.js';

export interface DiscoverySettings {
  readonly version: string;
  readonly wanted: readonly Entity[];
  /** Names of the components that feed the sink. */
  readonly components: readonly string[];
  /** Names of the measures that it has received. */
  readonly measures: ReadonlySet<string>;
}

/** An entity of a device, by its id; with the platform alone, it is removed from Home Assistant. */
export type Components = Readonly<
  Record<string, { readonly platform: Platform; readonly [field: string]: unknown }>
>;

/** The message that announces an environment: one device with all its entities. */
export interface DeviceMessage {
  readonly device: object;
  readonly origin: object;
  readonly components: Components;
  readonly [field: string]: unknown;
}

/** Where the devices of csiflow are announced, below Home Assistant's prefix. */
export interface DiscoveryTopics {
  readonly device: string;
  /** Topics of versions that announced each entity by itself: a filter. */
  readonly single: string;
}

export const discoveryTopics = (prefix: string, environment: string): DiscoveryTopics => ({
  device: `${prefix}/device/${nodeOf(environment)}/config`,
  single: `${prefix}/+/${nodeOf(environment)}/+/config`,
});

/**
 * An environment as a device. Entities that are disabled, or that no node computes, are not in it. The fields
 * are those of `binary_sensor`, `sensor` and `event` in Home Assistant's documentation of MQTT discovery.
 */
export function deviceMessage(
  environment: Environment,
  topics: Topics,
  { version, wanted, components, measures }: DiscoverySettings,
): DeviceMessage {
  const node = nodeOf(environment.id);
  const entities = [
    ...roomEntities(topics),
    ...environment.zones.flatMap((zone) => zoneEntities(zone, slug(zone.id), topics)),
  ];
  const isComputed = ({ by, measures: names }: EntityConfig) =>
    by.some((name) => components.includes(name)) || names.some((name) => measures.has(name));
  return {
    device: {
      identifiers: [node],
      name: environment.name ?? environment.id,
      manufacturer: 'csiflow',
      model: 'Wi-Fi sensing',
      sw_version: version,
    },
    origin: { name: 'csiflow', sw_version: version },
    availability_topic: topics.status('connection'),
    payload_available: 'online',
    payload_not_available: 'offline',
    qos: 1,
    components: Object.fromEntries(
      entities
        .filter((one) => wanted.includes(one.entity) && isComputed(one))
        .map(({ platform, id, config }) => [
          id,
          {
            platform,
            ...config,
            unique_id: `${node}_${id}`,
            default_entity_id: `${platform}.${entityId(`${node}_${id}`)}`,
          },
        ]),
    ),
  };
}

/** The entities of an earlier message that are no longer in the new one, as entities to remove. */
export const removed = (earlier: Components, { components }: DeviceMessage): Components =>
  Object.fromEntries(
    Object.entries(earlier)
      .filter(([id]) => !Object.hasOwn(components, id))
      .map(([id, { platform }]) => [id, { platform }]),
  );

/**
 * The same message with entities that are not in the earlier one first. Home Assistant stops reading a message
 * at an entity that it is still setting up, so new ones behind it would be lost.
 */
export function newFirst(message: DeviceMessage, earlier: Components): DeviceMessage {
  const isNew = ([id]: readonly [string, unknown]) => !Object.hasOwn(earlier, id);
  const all = Object.entries(message.components);
  const ordered = [...all.filter(isNew), ...all.filter((one) => !isNew(one))];
  return { ...message, components: Object.fromEntries(ordered) };
}

/** The components of a device message of csiflow; null if the payload is none. */
export function componentsOf(payload: string): Components | null {
  const message = parsed(payload);
  return isOwn(message) && isRecord(message['components']) ? (message['components'] as Components) : null;
}

/** Whether the payload announces one entity, as earlier versions of csiflow did. */
export const isSingle = (payload: string): boolean => isOwn(parsed(payload));

const isOwn = (message: unknown): message is Record<string, unknown> =>
  isRecord(message) && isRecord(message['origin']) && message['origin']['name'] === 'csiflow';

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    // Not a message of csiflow.
    return null;
  }
}

const nodeOf = (environment: string): string => `csiflow_${slug(environment)}`;

/** Discovery topics allow only letters, digits, `_` and `-`; ids may contain dots. */
const slug = (id: string): string => id.replaceAll('.', '_2e');

/** Entity ids allow only lower-case letters, digits and `_`. */
const entityId = (id: string): string => id.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
