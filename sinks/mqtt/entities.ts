import { bySubject, OCCUPIED, ORIGIN, subjectsWith, valuesOf } from './templates.js';
import type { Topics } from './topics.js';

/** Payloads for Home Assistant. */
export const ENTITIES = {
  presence: 'Whether the room is occupied.',
  people: 'How many people are there.',
  fall: 'An event for each fall.',
  inactivity: 'An event for each person who has not moved for a long time.',
  activity: 'What the person does whose activity changed last.',
  last_seen: 'When somebody was last there.',
  motion: 'Amount of movement, percent.',
  vitals: 'Breaths and heartbeats a minute.',
  link_health: 'Whether a link is silent or unusable, signal quality, and the loss of the worst link.',
  zones:
    'For each zone: whether it is occupied, how many people are there, falls, inactivity, activity, when somebody was last there.',
} as const;

export type Entity = keyof typeof ENTITIES;

export type Platform = 'binary_sensor' | 'sensor' | 'event';

/** An entity of Home Assistant before it is part of a device. */
export interface EntityConfig {
  readonly entity: Entity;
  readonly platform: Platform;
  readonly id: string;
  /** Components that compute it. An entity is announced if one of them feeds the sink. */
  readonly by: readonly string[];
  /** Measures for its value, from any component: measures of your own operators count once they have been received. */
  readonly measures: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
}

/** Entities of a whole environment. */
export const roomEntities = (topics: Topics): readonly EntityConfig[] => [
  ...peopleEntities(topics),
  ...alertEntities(topics),
  ...movementEntities(topics),
  ...linkEntities(topics),
];

const peopleEntities = (topics: Topics): readonly EntityConfig[] => [
  {
    entity: 'presence',
    platform: 'binary_sensor',
    id: 'presence',
    by: ['detect-motion', 'track-persons', 'detect-falls', 'watch-zones'],
    measures: ['presence', 'occupancy'],
    config: {
      name: 'Presence',
      device_class: 'occupancy',
      state_topic: topics.status('occupancy'),
      value_template: OCCUPIED,
      ...attributes(topics.status('occupancy'), {
        reasons: 'value_json.reasons',
        // Missing in a state that an earlier version left at the broker.
        basis: 'value_json.basis | default(none)',
        fall: 'value_json.fall',
        origin: ORIGIN,
      }),
      expire_after: EXPIRE_S,
    },
  },
  {
    entity: 'people',
    platform: 'sensor',
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
      ...attributes(topics.summary, {
        person_ids: 'value_json.person_ids',
        left_out: 'value_json.left_out',
        origin: ORIGIN,
      }),
      expire_after: EXPIRE_S,
    },
  },
  { ...lastSeen(topics.region(null)), entity: 'last_seen', id: 'last_seen' },
  { ...activity(topics.region(null)), entity: 'activity', id: 'activity' },
];

const alertEntities = (topics: Topics): readonly EntityConfig[] => [
  { ...fall(topics), entity: 'fall', id: 'fall' },
  { ...inactivity(topics), entity: 'inactivity', id: 'inactivity' },
];

const movementEntities = (topics: Topics): readonly EntityConfig[] => [
  {
    entity: 'motion',
    platform: 'sensor',
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
        '{% if value_json.room.motion is defined %}{{ (value_json.room.motion * 100) | round | int }}{% else %}None{% endif %}',
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
    platform: 'binary_sensor',
    id: 'link_problem',
    by: ['measure-links'],
    measures: ['link_rate_hz', 'link_usable'],
    config: {
      name: 'Link problem',
      device_class: 'problem',
      entity_category: 'diagnostic',
      state_topic: topics.analytics('link_quality'),
      // A link is well if it delivers, and if most windows could use it.
      value_template: `{{ 'ON' if (${valuesOf('link_rate_hz')} + [1]) | min == 0 or (${valuesOf('link_usable')} + [1]) | min < 0.5 else 'OFF' }}`,
      ...attributes(topics.analytics('link_quality'), {
        silent: subjectsWith('link_rate_hz', 'eq', 0),
        unusable: subjectsWith('link_usable', 'lt', 0.5),
        origin: ORIGIN,
      }),
      expire_after: EXPIRE_S,
    },
  },
  {
    entity: 'link_health',
    platform: 'sensor',
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
      value_template: '{{ (value_json.signal_quality * 100) | round | int }}',
      expire_after: EXPIRE_S,
    },
  },
  {
    entity: 'link_health',
    platform: 'sensor',
    id: 'packet_loss',
    by: ['measure-links'],
    measures: ['packet_loss'],
    config: {
      name: 'Packet loss of the worst link',
      icon: 'mdi:wifi-alert',
      entity_category: 'diagnostic',
      state_class: 'measurement',
      unit_of_measurement: '%',
      suggested_display_precision: 1,
      state_topic: topics.analytics('link_quality'),
      value_template: `{{ ((${valuesOf('packet_loss')} | max) * 100) | round(1) if ${valuesOf('packet_loss')} else None }}`,
      ...attributes(topics.analytics('link_quality'), { links: bySubject('packet_loss'), origin: ORIGIN }),
      expire_after: EXPIRE_S,
    },
  },
];

/** A rate of the room, otherwise of the first person or link that has one. */
function vital(topics: Topics, id: string, name: string, unit: string, icon: string): EntityConfig {
  const measure = `${id}_bpm`;
  return {
    entity: 'vitals',
    platform: 'sensor',
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
      ...attributes(topics.analytics('vitals'), { subjects: bySubject(measure), origin: ORIGIN }),
      expire_after: EXPIRE_S,
    },
  };
}

/**
 * Attributes of an entity, each by its template. Home Assistant's recorder stores all of them whenever one
 * changes, so those that every message changes are left out.
 */
export function attributes(
  topic: string,
  templates: Readonly<Record<string, string>>,
): EntityConfig['config'] {
  const fields = Object.entries(templates).map(([name, template]) => `'${name}': ${template}`);
  return {
    json_attributes_topic: topic,
    json_attributes_template: `{{ {${fields.join(', ')}} | to_json }}`,
  };
}

/** A value not reported for this long is unknown: nothing measures it any more. */
export const EXPIRE_S = 300;

type Shared = Omit<EntityConfig, 'entity' | 'id'>;

/** When somebody was last in a region. It does not expire: it is of use above all when nothing is measured. */
export const lastSeen = (region: string): Shared => ({
  platform: 'sensor',
  by: ['track-persons', 'watch-zones'],
  measures: [],
  config: {
    name: 'Last seen',
    device_class: 'timestamp',
    state_topic: region,
    value_template: '{{ value_json.last_seen }}',
  },
});

export const activity = (region: string): Shared => ({
  platform: 'sensor',
  by: ['detect-activity'],
  measures: [],
  config: {
    name: 'Activity',
    icon: 'mdi:walk',
    device_class: 'enum',
    options: ['walking', 'standing', 'sitting', 'lying'],
    state_topic: region,
    value_template: '{{ value_json.activity }}',
    expire_after: EXPIRE_S,
  },
});

export const fall = (topics: Topics, zone?: string): Shared => ({
  platform: 'event',
  by: ['detect-falls'],
  measures: [],
  config: {
    name: 'Fall',
    icon: 'mdi:human-male-board',
    event_types: ['fall_detection'],
    ...alert(topics, 'fall_detection', zone),
  },
});

export const inactivity = (topics: Topics, zone?: string): Shared => ({
  platform: 'event',
  by: ['detect-inactivity'],
  measures: [],
  config: {
    name: 'Inactivity',
    icon: 'mdi:timer-alert',
    event_types: ['inactivity'],
    ...alert(topics, 'inactivity', zone),
  },
});

/** The alerts of a type, or those of them in a zone: Home Assistant ignores empty text. */
function alert(topics: Topics, type: string, zone?: string): EntityConfig['config'] {
  const event =
    "{{ {'event_type': value_json.alert_type, 'alert_id': value_json.alert_id, 'severity': value_json.severity, 'confidence': value_json.data.confidence, 'person_id': value_json.data.person_id, 'zones': value_json.zones, 'origin': value_json.provenance.origin} | to_json }}";
  return {
    state_topic: topics.alert(type),
    value_template: zone === undefined ? event : `{% if '${zone}' in value_json.zones %}${event}{% endif %}`,
  };
}
