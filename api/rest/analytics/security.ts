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
            zone: Type.String({ description: 'Id of the zone; of the environment where that is guarded.' }),
            person_count: Count('Persons in it when it began.'),
            threat_level: Type.String(),
            response_time_seconds: Type.Number({
              description: 'Until no more were there than may be; 0 while it lasts.',
            }),
          },
          closed,
        ),
        { description: 'The oldest first, 1,000 at most.' },
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
      total_detections: Count('Entries of zones of the kind `perimeter`.'),
      authorized_entries: Count('Of them, at hours and in numbers that are authorised.'),
      unauthorized_attempts: Count('All others.'),
      false_positives: Count(
        'Entries that began and ended out of nothing within 5 s: also among the others.',
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
      max_occupancy: Count('Persons at a time.'),
      average_occupancy: Type.Number({ minimum: 0, description: 'Over the time that was observed.' }),
      crowd_formation_events: Count('Times that `crowd_persons` of the environment were reached.'),
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
  'Intrusions, perimeter and crowds of the running hour, day, week or month.',
  {
    intrusion_events: intrusionEvents,
    perimeter_monitoring: perimeterMonitoring,
    crowd_analysis: crowdAnalysis,
  },
);
