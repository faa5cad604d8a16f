import { Type } from 'typebox';
import { rounded, WITH_PERSONS } from '../../service/queries/analytics/rollups.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import { Time } from '../requests/ranges.js';
import { domainEndpoint, type Metric } from './domain.js';
import { Count, eventsOf } from './events.js';

const closed = { additionalProperties: false } as const;

const intrusionEvents: Metric = {
  schema: Type.Object(
    {
      count: Count('Intrusions.'),
      events: Type.Array(
        Type.Object(
          {
            timestamp: Time,
            zone: Type.String({ description: 'Id of the zone; of the environment if that is guarded.' }),
            person_count: Count('Persons in it at the beginning.'),
            threat_level: Type.String(),
            response_time_seconds: Type.Number({
              description: 'Until the number of persons was permitted again; 0 while it lasts.',
            }),
          },
          closed,
        ),
        { description: 'Oldest first, at most 1,000.' },
      ),
    },
    closed,
  ),
  measures: [],
  async compute(question) {
    const { reader, environment } = question;
    const { count, events } = await eventsOf(question, 'intrusion');
    const [first, last] = [events[0], events.at(-1)];
    const listed = { environment: environment.id, start: first?.time ?? 0, end: (last?.time ?? -1) + 1 };
    const ends = await reader.measures({ ...listed, names: ['intrusion_seconds'] });
    const seconds = new Map(
      ends.map(({ time, subject, value }) => [`${time} ${subject ?? environment.id}`, value]),
    );
    return {
      count,
      events: events.map(({ time, severity, metadata }) => ({
        timestamp: isoTime(time),
        zone: String(metadata['zone'] ?? environment.id),
        person_count: Number(metadata['persons'] ?? 0),
        threat_level: String(metadata['threat_level'] ?? severity),
        response_time_seconds: rounded(seconds.get(`${time} ${String(metadata['zone'])}`) ?? 0),
      })),
    };
  },
};

const perimeterMonitoring: Metric = {
  schema: Type.Object(
    {
      total_detections: Count('Entries into zones of kind `perimeter`.'),
      authorized_entries: Count('Those at authorised hours and in authorised numbers.'),
      unauthorized_attempts: Count('All others.'),
      false_positives: Count(
        'Entries that began and ended out of sight within 5 s: also counted among the others.',
      ),
    },
    closed,
  ),
  measures: ['entries_authorised', 'entries_unauthorised', 'entries_false'],
  compute: ({ environment, rollups }) => {
    const perimeter = environment.zones.filter(({ kind }) => kind === 'perimeter');
    const sum = (name: string) => perimeter.reduce((total, { id }) => total + rollups.sumOf(name, id), 0);
    const [authorised, unauthorised] = [sum('entries_authorised'), sum('entries_unauthorised')];
    return {
      total_detections: authorised + unauthorised,
      authorized_entries: authorised,
      unauthorized_attempts: unauthorised,
      false_positives: sum('entries_false'),
    };
  },
};

const crowdAnalysis: Metric = {
  schema: Type.Object(
    {
      max_occupancy: Count('Largest number of persons at a time.'),
      average_occupancy: Type.Number({ minimum: 0, description: 'Mean over the observed time.' }),
      crowd_formation_events: Count('Times when `crowd_persons` of the environment was reached.'),
    },
    closed,
  ),
  measures: ['occupancy_peak', 'presence_seconds', ...WITH_PERSONS],
  compute: async ({ reader, environment, range, rollups }) => ({
    max_occupancy: rollups.max('occupancy_peak', null),
    average_occupancy: rounded(rollups.occupancy),
    crowd_formation_events: await reader.countEvents({
      environment: environment.id,
      ...range,
      types: ['crowd'],
    }),
  }),
};

export const security = domainEndpoint(
  'security',
  'Intrusions, perimeter and crowds of the current hour, day, week or month.',
  {
    intrusion_events: intrusionEvents,
    perimeter_monitoring: perimeterMonitoring,
    crowd_analysis: crowdAnalysis,
  },
);
