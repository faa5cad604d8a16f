import type { Measure, Provenance } from '../../pipeline/model/index.js';

/** Length of a minute, microseconds. */
export const MINUTE = 60_000_000;
/** Largest number of persons that a minute distinguishes. */
const MAX_PERSONS = 1_000;

/** Sums over a minute for the whole environment, by the names of their measures, in microseconds of persons. */
const BED_SUMS = ['bed_seconds', 'bed_moving_seconds', 'sleep_seconds'] as const;
/** Counts of a minute for a zone. */
const ZONE_COUNTS = [
  'zone_visits',
  'zone_visitors',
  'zone_conversions',
  'entries_authorised',
  'entries_unauthorised',
  'entries_false',
] as const;
export type ZoneCount = (typeof ZONE_COUNTS)[number];

/**
 * Sums over one minute. Times are whole microseconds and confidences whole thousandths, so the sums are exact
 * and do not depend on how the minute was split.
 */
export interface MinuteState {
  readonly start: number;
  readonly provenance: Provenance;
  frames: number;
  detections: number;
  /** Sum of the confidences of detections, thousandths. */
  confidence: number;
  /** Time covered by pose frames, and certainty of the number of persons: thousandths times microseconds. */
  seen: number;
  sureness: number;
  /** Time with 0, 1, 2, 3, and 4 or more persons. */
  readonly withPersons: number[];
  /** For each region (the environment, then the zones): persons times microseconds, and the maximum at a time. */
  readonly presence: number[];
  readonly peak: number[];
  /** By person. */
  readonly persons: Map<number, number>;
  readonly moving: Map<number, number>;
  /** The furthest stage of the funnel that a person reached, from 1. */
  readonly stages: Map<number, number>;
  readonly bed: Record<(typeof BED_SUMS)[number], number>;
  /** By region. */
  readonly counts: Record<ZoneCount, number[]>;
}

export function newMinute(start: number, provenance: Provenance, regions: number): MinuteState {
  const zeros = () => new Array<number>(regions).fill(0);
  return {
    start,
    provenance,
    frames: 0,
    detections: 0,
    confidence: 0,
    seen: 0,
    sureness: 0,
    withPersons: [0, 0, 0, 0, 0],
    presence: zeros(),
    peak: zeros(),
    persons: new Map(),
    moving: new Map(),
    stages: new Map(),
    bed: { bed_seconds: 0, bed_moving_seconds: 0, sleep_seconds: 0 },
    counts: {
      zone_visits: zeros(),
      zone_visitors: zeros(),
      zone_conversions: zeros(),
      entries_authorised: zeros(),
      entries_unauthorised: zeros(),
      entries_false: zeros(),
    },
  };
}

/** Adds to the value of a person, as long as the minute can distinguish one more. */
export function addTo(map: Map<number, number>, person: number, value: number): void {
  const known = map.get(person);
  if (known === undefined && map.size >= MAX_PERSONS) return;
  map.set(person, (known ?? 0) + value);
}

const WITH_PERSONS = [
  'seconds_with_0_persons',
  'seconds_with_1_persons',
  'seconds_with_2_persons',
  'seconds_with_3_persons',
  'seconds_with_4_plus_persons',
] as const;

/** The rows of a finished minute, without sums of 0. @param zones ids, in the order of the regions after the first */
export function minuteRows(minute: MinuteState, environment: string, zones: readonly string[]): Measure[] {
  const { start: time, provenance } = minute;
  const rows: Measure[] = [];
  const give = (name: string, subject: string | null, value: number) => {
    rows.push({ port: 'measure', name, environment, subject, time, value, source: 'csiflow', provenance });
  };
  const giveSum = (name: string, subject: string | null, value: number) => {
    if (value > 0) give(name, subject, value);
  };

  const observed = minute.withPersons.reduce((sum, part) => sum + part, 0);
  giveSum('frames', null, minute.frames);
  giveSum('detections', null, minute.detections);
  if (minute.detections > 0)
    give('detection_confidence', null, rounded(minute.confidence / minute.detections / 1000));
  if (minute.seen > 0) give('occupancy_confidence', null, rounded(minute.sureness / minute.seen / 1000));
  giveSum('presence_seconds', null, seconds(minute.presence[0]!));
  WITH_PERSONS.forEach((name, count) => {
    giveSum(name, null, seconds(minute.withPersons[count]!));
  });
  [null, ...zones].forEach((subject, region) => {
    if (observed === 0) return;
    give('occupancy_mean', subject, rounded(minute.presence[region]! / observed));
    give('occupancy_peak', subject, minute.peak[region]!);
  });
  zones.forEach((zone, index) => {
    giveSum('zone_seconds', zone, seconds(minute.presence[index + 1]!));
    for (const name of ZONE_COUNTS) giveSum(name, zone, minute.counts[name][index + 1]!);
  });
  for (const name of BED_SUMS) giveSum(name, null, seconds(minute.bed[name]));
  for (const [person, value] of minute.persons) giveSum('person_seconds', String(person), seconds(value));
  for (const [person, value] of minute.moving) giveSum('moving_seconds', String(person), seconds(value));
  for (const [person, stage] of minute.stages) give('funnel_stage', String(person), stage);
  return rows;
}

const seconds = (microseconds: number): number => microseconds / 1e6;
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
