import { Type } from 'typebox';
import type { Measure, SensedEvent } from '../../../pipeline/model/index.js';
import { HOUR } from '../../service/queries/analytics/periods.js';
import { over, rounded } from '../../service/queries/analytics/rollups.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import { Time } from '../requests/ranges.js';
import { domainEndpoint, type Metric, type Question } from './domain.js';
import { Count, eventsOf, FloorLocation } from './events.js';

const closed = { additionalProperties: false } as const;

/** A person who arrives later than this after a fall does not count as a response to it. */
const MAX_RESPONSE = HOUR;
/** Page size when searching entries for responses to falls. */
const PAGE = 1_000;

const fallEvents: Metric = {
  schema: Type.Object(
    {
      count: Count('Falls.'),
      events: Type.Array(
        Type.Object(
          {
            timestamp: Time,
            person_id: Type.Integer({ description: '0 if the person is unknown.' }),
            severity: Type.String(),
            response_time_seconds: Type.Number({
              description: 'Time until somebody else entered, within an hour; 0 if nobody did.',
            }),
            location: FloorLocation,
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
    const { count, events } = await eventsOf(question, 'fall_detection');
    const responses = await responsesTo(events, question);
    return {
      count,
      events: events.map((fall, index) => ({
        timestamp: isoTime(fall.time),
        person_id: fall.person ?? 0,
        severity: fall.severity,
        response_time_seconds: rounded(responses[index]!),
        location: { x: fall.location?.x ?? 0, y: fall.location?.y ?? 0 },
      })),
    };
  },
};

/** All entries between two moments. */
interface Entries {
  readonly from: number;
  readonly until: number;
  readonly rows: readonly Measure[];
}

/** Seconds from each fall, oldest first, until somebody else entered; 0 if nobody did within an hour. */
async function responsesTo(falls: readonly SensedEvent[], question: Question): Promise<readonly number[]> {
  const last = (falls.at(-1)?.time ?? 0) + MAX_RESPONSE;
  const seconds: number[] = [];
  let entries: Entries = { from: Infinity, until: -Infinity, rows: [] };
  for (const { time, person } of falls) {
    const answers = (entry: Measure) => entry.time > time && entry.subject !== String(person);
    if (entries.from > time || entries.until < time) entries = await entriesFrom(time, last, question);
    let helper = entries.rows.find(answers);
    while (!helper && entries.until < time + MAX_RESPONSE) {
      entries = await entriesFrom(entries.until, last, question);
      helper = entries.rows.find(answers);
    }
    const waited = (helper?.time ?? Infinity) - time;
    seconds.push(waited <= MAX_RESPONSE ? waited / 1e6 : 0);
  }
  return seconds;
}

async function entriesFrom(from: number, end: number, { reader, environment }: Question): Promise<Entries> {
  const names = ['person_entered'];
  const rows = await reader.measures({ environment: environment.id, names, start: from, end, limit: PAGE });
  const until = rows.length < PAGE ? Infinity : rows.at(-1)!.time;
  return { from, until, rows };
}

const Minutes = Type.Number({ minimum: 0, description: 'For all persons together.' });

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
    description: 'Share of the time in sight, except lying, in which people moved.',
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
      total_sleep_hours: Type.Number({
        minimum: 0,
        description: 'Time lying still in a zone of kind `bed`.',
      }),
      sleep_efficiency: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'That time as a share of the time in bed.',
      }),
      restlessness_events: Count('Minutes with movement in bed.'),
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
  'Falls, activity, mobility and sleep of the current hour, day, week or month.',
  {
    fall_events: fallEvents,
    activity_summary: activitySummary,
    mobility_score: mobilityScore,
    sleep_quality: sleepQuality,
  },
);
