import { Type } from 'typebox';
import { FUNNEL_STAGES } from '../../../pipeline/model/index.js';
import { hourName, localBuckets, startOfPeriod } from '../../service/queries/analytics/periods.js';
import { byStart, over, rounded } from '../../service/queries/analytics/rollups.js';
import { domainEndpoint, type Metric, type Question } from './domain.js';
import { Count } from './events.js';

const closed = { additionalProperties: false } as const;

const traffic: Metric = {
  schema: Type.Object(
    {
      total_visitors: Count('Visits: a person who comes twice counts twice.'),
      unique_visitors: Count('Distinct persons.'),
      peak_hour: Type.String({
        description: 'Local hour with the most persons, `14:00-15:00`; empty without any.',
      }),
      peak_count: Count('Persons in that hour.'),
      average_dwell_time_minutes: Type.Number({ minimum: 0, description: 'Mean over visits.' }),
    },
    closed,
  ),
  measures: ['person_seconds', 'person_entered', 'presence_seconds'],
  async compute(question) {
    const { rollups } = question;
    const persons = rollups.subjects('person_seconds', 'person_entered');
    // Persons already present at the start of the range also count once.
    const comings = rollups.sums('person_entered');
    const visits = [...persons].reduce((sum, person) => sum + Math.max(1, comings.get(person) ?? 0), 0);
    const peak = await busiestHour(question);
    return {
      total_visitors: visits,
      unique_visitors: persons.size,
      peak_hour: peak.hour,
      peak_count: peak.persons,
      average_dwell_time_minutes: rounded(over(rollups.sum('presence_seconds') / 60, visits)),
    };
  },
};

/** The first local hour with the largest number of persons. */
async function busiestHour({
  reader,
  environment,
  range,
  figures: { running, measuredUntil },
}: Question): Promise<{ hour: string; persons: number }> {
  const { id, timezone } = environment;
  const rows = await reader.aggregates({
    environment: id,
    start: range.start,
    end: measuredUntil,
    names: ['person_seconds'],
    ...localBuckets(range, environment),
  });
  const hours = byStart([...rows, ...running], (time) => startOfPeriod('hour', timezone, time)).map(
    ([start, rollups]) => ({
      hour: hourName(timezone, start),
      persons: rollups.subjects('person_seconds').size,
    }),
  );
  return hours.reduce((most, hour) => (hour.persons > most.persons ? hour : most), { hour: '', persons: 0 });
}

const zones: Metric = {
  schema: Type.Array(
    Type.Object(
      {
        zone_id: Type.String(),
        zone_name: Type.String(),
        visitor_count: Count('Visitors; several entries during one visit count once.'),
        avg_dwell_time_minutes: Type.Number({ minimum: 0, description: 'Mean per visitor, in the zone.' }),
        conversion_rate: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Share of its visitors who continued to a zone of the stage `purchase`.',
        }),
      },
      closed,
    ),
  ),
  measures: ['zone_visitors', 'zone_seconds', 'zone_conversions'],
  compute: ({ environment, rollups }) =>
    environment.zones.map(({ id, name }) => {
      const seconds = rollups.sumOf('zone_seconds', id);
      // Persons already in it at the start of the range are visitors, too.
      const visitors = Math.max(rollups.sumOf('zone_visitors', id), seconds > 0 ? 1 : 0);
      return {
        zone_id: id,
        zone_name: name ?? id,
        visitor_count: visitors,
        avg_dwell_time_minutes: rounded(over(seconds / 60, visitors)),
        conversion_rate: rounded(Math.min(1, over(rollups.sumOf('zone_conversions', id), visitors))),
      };
    }),
};

const conversionFunnel: Metric = {
  schema: Type.Object(Object.fromEntries(FUNNEL_STAGES.map((stage) => [stage, Count('Persons.')])), {
    ...closed,
    description: 'Persons who reached a zone of this stage or a later one.',
  }),
  measures: ['funnel_stage'],
  compute: ({ rollups }) => {
    const furthest = [...rollups.greatest('funnel_stage').values()];
    return Object.fromEntries(
      FUNNEL_STAGES.map((stage, index) => [stage, furthest.filter((reached) => reached > index).length]),
    );
  },
};

const heatMap: Metric = {
  schema: Type.Object(
    {
      high_traffic_areas: Type.Array(
        Type.Object(
          {
            zone: Type.String({ description: 'Id of the zone.' }),
            intensity: Type.Number({ minimum: 0, maximum: 1, description: "Share of all persons' time." }),
          },
          closed,
        ),
        { description: 'Zones with visitors, most frequented first.' },
      ),
    },
    closed,
  ),
  measures: ['zone_seconds', 'presence_seconds'],
  compute: ({ environment, rollups }) => {
    const all = rollups.sum('presence_seconds');
    const areas = environment.zones.map(({ id }) => ({
      zone: id,
      intensity: rounded(Math.min(1, over(rollups.sumOf('zone_seconds', id), all))),
    }));
    return {
      high_traffic_areas: areas
        .filter(({ intensity }) => intensity > 0)
        .sort((a, b) => b.intensity - a.intensity),
    };
  },
};

export const retail = domainEndpoint(
  'retail',
  'Visitors, zones, funnel and heat map of the current hour, day, week or month.',
  { traffic, zones, conversion_funnel: conversionFunnel, heat_map: heatMap },
);
