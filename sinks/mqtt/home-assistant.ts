import type { Environment } from '../../pipeline/model/index.js';
import type { Topics } from './topics.js';

/** Payloads for Home Assistant. */
export const ENTITIES = {
  presence: 'Whether the room is occupied.',
  people: 'How many people are there.',
  fall: 'An event for each fall.',
  motion: 'Amount of movement, percent.',
  vitals: 'Breaths and heartbeats a minute.',
  link_health: 'Signal quality, and the loss of the worst link.',
} as const;

export type Entity = keyof typeof ENTITIES;

/** A message of MQTT discovery: retained, so that Home Assistant finds it whenever it starts. */
export interface Discovery {
  readonly topic: string;
  /** Empty text removes the entity. */
  readonly payload: string;
}

export interface DiscoverySettings {
  readonly prefix: string;
  readonly version: string;
  readonly wanted: readonly Entity[];
  /** Names of the components that feed the sink. */
  readonly components: readonly string[];
  /** Names of the measures that it has received. */
  readonly measures: ReadonlySet<string>;
}

/**
 * The entities of an environment as one device; those that are disabled, or that no node computes, are
 * removed. The fields are those of `binary_sensor`, `sensor` and `event` in Home Assistant's documentation of
 * MQTT discovery.
 */
export function discoveries(
  environment: Environment,
  topics: Topics,
  { prefix, version, wanted, components, measures }: DiscoverySettings,
): readonly Discovery[] {
  const node = `csiflow_${slug(environment.id)}`;
  const common = {
    availability_topic: topics.status('connection'),
    payload_available: 'online',
    payload_not_available: 'offline',
    device: {
      identifiers: [node],
      name: environment.name ?? environment.id,
      manufacturer: 'csiflow',
      model: 'Wi-Fi sensing',
      sw_version: version,
    },
    origin: { name: 'csiflow', sw_version: version },
  };
  return entitiesOf(topics).map(({ entity, component, id, by, measures: names, config }) => ({
    topic: `${prefix}/${component}/${node}/${id}/config`,
    payload:
      wanted.includes(entity) &&
      (by.some((name) => components.includes(name)) || names.some((name) => measures.has(name)))
        ? JSON.stringify({
            ...config,
            unique_id: `${node}_${id}`,
            default_entity_id: `${component}.${entityId(node)}_${id}`,
            qos: 1,
            ...common,
          })
        : '',
  }));
}

interface EntityConfig {
  readonly entity: Entity;
  readonly component: 'binary_sensor' | 'sensor' | 'event';
  readonly id: string;
  /** Components that compute it. An entity is announced if one of them feeds the sink. */
  readonly by: readonly string[];
  /** Measures for its value, from any component: measures of your own operators count once they have been received. */
  readonly measures: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
}

const entitiesOf = (topics: Topics): readonly EntityConfig[] => [
  ...peopleEntities(topics),
  ...roomEntities(topics),
  ...linkEntities(topics),
];

const peopleEntities = (topics: Topics): readonly EntityConfig[] => [
  {
    entity: 'presence',
    component: 'binary_sensor',
    id: 'presence',
    by: ['detect-motion', 'track-persons', 'detect-falls'],
    measures: ['presence'],
    config: {
      name: 'Presence',
      device_class: 'occupancy',
      state_topic: topics.status('occupancy'),
      value_template: "{{ 'ON' if value_json.occupied else 'OFF' }}",
      json_attributes_topic: topics.status('occupancy'),
      expire_after: EXPIRE_S,
    },
  },
  {
    entity: 'people',
    component: 'sensor',
    id: 'people',
    by: ['track-persons', 'infer-pose'],
    measures: [],
    config: {
      name: 'People',
      icon: 'mdi:account-group',
      state_class: 'measurement',
      unit_of_measurement: 'people',
      state_topic: topics.summary,
      value_template: '{{ value_json.persons }}',
      json_attributes_topic: topics.summary,
      expire_after: EXPIRE_S,
    },
  },
  {
    entity: 'fall',
    component: 'event',
    id: 'fall',
    by: ['detect-falls'],
    measures: [],
    config: {
      name: 'Fall',
      icon: 'mdi:human-male-board',
      event_types: ['fall_detection'],
      state_topic: topics.alert('fall_detection'),
      value_template:
        "{{ {'event_type': value_json.alert_type, 'alert_id': value_json.alert_id, 'severity': value_json.severity, 'confidence': value_json.data.confidence, 'person_id': value_json.data.person_id, 'origin': value_json.provenance.origin} | to_json }}",
    },
  },
];

const roomEntities = (topics: Topics): readonly EntityConfig[] => [
  {
    entity: 'motion',
    component: 'sensor',
    id: 'motion',
    by: ['detect-motion'],
    measures: ['motion'],
    config: {
      name: 'Motion',
      icon: 'mdi:motion-sensor',
      state_class: 'measurement',
      unit_of_measurement: '%',
      suggested_display_precision: 0,
      state_topic: topics.analytics('motion'),
      value_template:
        '{% if value_json.room.motion is defined %}{{ (value_json.room.motion * 100) | round(1) }}{% else %}None{% endif %}',
      expire_after: EXPIRE_S,
    },
  },
  {
    ...vital(topics, 'breathing_rate', 'Breathing rate', 'breaths/min', 'mdi:lungs'),
    by: ['estimate-vitals'],
  },
  vital(topics, 'heart_rate', 'Heart rate', 'bpm', 'mdi:heart-pulse'),
];

const linkEntities = (topics: Topics): readonly EntityConfig[] => [
  {
    entity: 'link_health',
    component: 'sensor',
    id: 'signal_quality',
    by: ['track-persons', 'infer-pose'],
    measures: [],
    config: {
      name: 'Signal quality',
      icon: 'mdi:wifi',
      entity_category: 'diagnostic',
      state_class: 'measurement',
      unit_of_measurement: '%',
      suggested_display_precision: 0,
      state_topic: topics.summary,
      value_template: '{{ (value_json.signal_quality * 100) | round(1) }}',
      expire_after: EXPIRE_S,
    },
  },
  {
    entity: 'link_health',
    component: 'sensor',
    id: 'packet_loss',
    by: [],
    measures: ['packet_loss'],
    config: {
      name: 'Packet loss of the worst link',
      icon: 'mdi:wifi-alert',
      entity_category: 'diagnostic',
      state_class: 'measurement',
      unit_of_measurement: '%',
      suggested_display_precision: 1,
      state_topic: topics.analytics('link_quality'),
      value_template: `{{ ((${valuesOf('packet_loss')} | max) * 100) | round(2) if ${valuesOf('packet_loss')} else None }}`,
      json_attributes_topic: topics.analytics('link_quality'),
      expire_after: EXPIRE_S,
    },
  },
];

/** A rate of the room, otherwise of the first person or link that has one. */
function vital(topics: Topics, id: string, name: string, unit: string, icon: string): EntityConfig {
  const measure = `${id}_bpm`;
  return {
    entity: 'vitals',
    component: 'sensor',
    id,
    by: [],
    measures: [measure],
    config: {
      name,
      icon,
      state_class: 'measurement',
      unit_of_measurement: unit,
      suggested_display_precision: 0,
      state_topic: topics.analytics('vitals'),
      value_template: `{{ value_json.room.${measure} if value_json.room.${measure} is defined else (${valuesOf(measure)} | first | default(None)) }}`,
      json_attributes_topic: topics.analytics('vitals'),
      expire_after: EXPIRE_S,
    },
  };
}

/** A template of Home Assistant: a measure of all subjects, as a list. */
const valuesOf = (measure: string): string =>
  `(value_json.subjects.values() | map(attribute='${measure}') | select('defined') | list)`;

/** A value not reported for this long is unknown: nothing measures it any more. */
const EXPIRE_S = 300;

/** Discovery topics allow only letters, digits, `_` and `-`; an environment's id may contain dots. */
const slug = (id: string): string => id.replaceAll('.', '_2e');

/** Entity ids allow only lower-case letters, digits and `_`. */
const entityId = (node: string): string => node.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
