import { Type } from 'typebox';
import type { SensedEvent } from '../../../pipeline/model/index.js';
import { HOUR } from '../../analytics/periods.js';
import { over, rounded } from '../../analytics/rollups.js';
import { isoTime } from '../../contract/form.js';
import { Time } from '../ranges.js';
import { domainEndpoint, type Metric, type Question } from './domain.js';
import { Count, eventsOf, Place } from './events.js';

const closed = { additionalProperties: false } as const;

/** Who comes later than that after a fall is not the answer to it. */
const LONGEST_RESPONSE = HOUR;
/** Entries that are looked at for answers to falls. */
const MOST_ENTRIES = 50_000;

const fallEvents: Metric = {
  schema: Type.Object(
    {
      count: Count('Falls.'),
      events: Type.Array(
        Type.Object(
          {
            timestamp: Time,
            person_id: Type.Integer({ description: '0 where it is not known who fell.' }),
            severity: Type.String(),
            response_time_seconds: Type.Number({
              description: 'Until somebody else came in, within an hour; 0 where nobody did.',
            }),
            location: Place,
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
    const { count, events } = await eventsOf(question, 'fall_detection');
    const responseTo = await responses(question, events);
    return {
      count,
      events: events.map((fall) => ({
        timestamp: isoTime(fall.time),
        person_id: fall.person ?? 0,
        severity: fall.severity,
        response_time_seconds: rounded(responseTo(fall)),
        location: { x: fall.location?.x ?? 0, y: fall.location?.y ?? 0 },
      })),
    };
  },
};

/** Seconds from a fall until somebody else came in; 0 where nobody did within an hour. */
async function responses(
  { reader, environment }: Question,
  falls: readonly SensedEvent[],
): Promise<(fall: SensedEvent) => number> {
  const [first, last] = [falls[0], falls.at(-1)];
  if (!first || !last) return () => 0;
  const entries = await reader.measures({
    environment: environment.id,
    names: ['person_entered'],
    start: first.time,
    end: last.time + LONGEST_RESPONSE,
    limit: MOST_ENTRIES,
  });
  return ({ time, person }) => {
    const helper = entries.find((entry) => entry.time > time && entry.subject !== String(person));
    return helper && helper.time - time <= LONGEST_RESPONSE ? (helper.time - time) / 1e6 : 0;
  };
}

const Minutes = Type.Number({ minimum: 0, description: 'Of all persons together.' });

const activitySummary: Metric = {
  schema: Type.Object(
    {
      walking_minutes: Minutes,
      sitting_minutes: Minutes,
      lying_minutes: Minutes,
      standing_minutes: Minutes,
    },
    closed,
  ),
  measures: ['walking_seconds', 'sitting_seconds', 'lying_seconds', 'standing_seconds'],
  compute: ({ rollups }) => ({
    walking_minutes: rounded(rollups.sum('walking_seconds') / 60),
    sitting_minutes: rounded(rollups.sum('sitting_seconds') / 60),
    lying_minutes: rounded(rollups.sum('lying_seconds') / 60),
    standing_minutes: rounded(rollups.sum('standing_seconds') / 60),
  }),
};

const mobilityScore: Metric = {
  schema: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share of the time in sight, without that lying, in which people moved.',
  }),
  measures: ['moving_seconds', 'presence_seconds', 'lying_seconds'],
  compute: ({ rollups }) => {
    const up = rollups.sum('presence_seconds') - rollups.sum('lying_seconds');
    return rounded(Math.min(1, over(rollups.sum('moving_seconds'), up)));
  },
};

const sleepQuality: Metric = {
  schema: Type.Object(
    {
      total_sleep_hours: Type.Number({ minimum: 0, description: 'Lying still in a zone of the kind `bed`.' }),
      sleep_efficiency: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Share of that of the time in bed.',
      }),
      restlessness_events: Count('Minutes in which somebody moved in bed.'),
    },
    closed,
  ),
  measures: ['bed_seconds', 'bed_moving_seconds', 'sleep_seconds'],
  compute: ({ rollups }) => ({
    total_sleep_hours: rounded(rollups.sum('sleep_seconds') / 3600),
    sleep_efficiency: rounded(over(rollups.sum('sleep_seconds'), rollups.sum('bed_seconds'))),
    restlessness_events: rollups.count('bed_moving_seconds'),
  }),
};

export const healthcare = domainEndpoint(
  'healthcare',
  'Falls, activity, mobility and sleep of the running hour, day, week or month.',
  {
    fall_events: fallEvents,
    activity_summary: activitySummary,
    mobility_score: mobilityScore,
    sleep_quality: sleepQuality,
  },
);
