import type { Zone } from '../../pipeline/model/index.js';
import { activity, attributes, EXPIRE_S, fall, inactivity, lastSeen, type EntityConfig } from './entities.js';
import { OCCUPIED, ORIGIN } from './templates.js';
import type { Topics } from './topics.js';

/** Entities of a zone; a pet area has none, since nobody in it counts. @param slug the zone's id as part of an entity's */
export function zoneEntities(zone: Zone, slug: string, topics: Topics): readonly EntityConfig[] {
  if (zone.kind === 'pet') return [];
  const region = topics.region(zone.id);
  const entities = {
    occupancy: occupancy(region),
    people: people(region),
    fall: fall(topics, zone.id),
    inactivity: inactivity(topics, zone.id),
    activity: { ...activity(region), by: ['watch-zones'] },
    last_seen: { ...lastSeen(region), by: ['watch-zones'] },
  };
  return Object.entries(entities).map(([id, { config, ...rest }]) => ({
    ...rest,
    entity: 'zones',
    id: `zone_${slug}_${id}`,
    config: { ...config, name: `${zone.name ?? zone.id} ${String(config['name']).toLowerCase()}` },
  }));
}

type Shared = ReturnType<typeof fall>;

const occupancy = (region: string): Shared => ({
  platform: 'binary_sensor',
  by: ['watch-zones'],
  measures: [],
  config: {
    name: 'Occupancy',
    device_class: 'occupancy',
    state_topic: region,
    value_template: OCCUPIED,
    ...attributes(region, { zone: 'value_json.zone', origin: ORIGIN }),
    expire_after: EXPIRE_S,
  },
});

const people = (region: string): Shared => ({
  platform: 'sensor',
  by: ['watch-zones'],
  measures: [],
  config: {
    name: 'People',
    icon: 'mdi:account-group',
    state_class: 'measurement',
    unit_of_measurement: 'people',
    state_topic: region,
    value_template: '{{ value_json.count }}',
    expire_after: EXPIRE_S,
  },
});
