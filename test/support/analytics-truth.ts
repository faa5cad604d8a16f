import type {
  Data,
  Environment,
  EventType,
  Measure,
  PoseFrame,
  SensedEvent,
} from '../../pipeline/model/index.js';
import { testEnvironment } from './context.js';
import { poseFrame } from './records.js';

/**
 * A store whose every figure is known: a flat with a shop's corner in Berlin, on the day on which clocks go
 * forward there (29 March 2026, 23 hours long), with a little of the day before and of the month.
 */
export const ENVIRONMENT: Environment = {
  ...testEnvironment,
  id: 'flat',
  timezone: 'Europe/Berlin',
  crowd_persons: 3,
  authorised: { hours: [] },
  zones: [
    {
      id: 'bed',
      name: 'Bed',
      polygon: [
        [0, 0],
        [1, 0],
        [1, 1],
      ],
      kind: 'bed',
    },
    {
      id: 'door',
      name: 'Door',
      polygon: [
        [2, 0],
        [3, 0],
        [3, 1],
      ],
      kind: 'perimeter',
      funnel: 'entrance',
    },
    {
      id: 'shelf',
      polygon: [
        [4, 0],
        [5, 0],
        [5, 1],
      ],
      funnel: 'product_interaction',
    },
    {
      id: 'till',
      polygon: [
        [4, 2],
        [5, 2],
        [5, 3],
      ],
      funnel: 'purchase',
    },
  ],
};

const MINUTE = 60_000_000;
const at = (iso: string): number => Date.parse(`${iso}Z`) * 1000;

/** 14:30 in Berlin. */
export const NOW = at('2026-03-29T12:30:00');

const measure = (time: number, name: string, subject: string | null, value: number): Measure => ({
  port: 'measure',
  name,
  environment: ENVIRONMENT.id,
  subject,
  time,
  value,
  source: 'csiflow',
  provenance: { origin: 'simulated' },
});

interface Scene {
  /** Seconds in sight, by person. */
  readonly persons: Readonly<Record<number, number>>;
  readonly moving?: Readonly<Record<number, number>>;
  readonly peak: number;
  /** Person-seconds, by zone. */
  readonly zones?: Readonly<Record<string, number>>;
  readonly confidence?: number;
  readonly more?: readonly (readonly [name: string, subject: string | null, value: number])[];
}

/** The rows of a minute of 60 frames, like those of watch-zones and detect-activity. */
function minute(
  time: number,
  { persons, moving = {}, peak, zones = {}, confidence = 0.8, more = [] }: Scene,
): Measure[] {
  const present = Object.values(persons).reduce((sum, seconds) => sum + seconds, 0);
  // Persons arrive one after the other and leave in reverse order: the duration for which each number of them
  // is present.
  const sorted = [60, ...Object.values(persons).sort((a, b) => b - a), 0];
  const rows: [string, string | null, number][] = [
    ['frames', null, 60],
    ['detections', null, present],
    ['detection_confidence', null, present === 0 ? 0 : confidence],
    ['occupancy_confidence', null, confidence],
    ['presence_seconds', null, present],
    ...[0, 1, 2, 3].map((count): [string, null, number] => [
      `seconds_with_${count}_persons`,
      null,
      (sorted[count] ?? 0) - (sorted[count + 1] ?? 0),
    ]),
    ['occupancy_mean', null, present / 60],
    ['occupancy_peak', null, peak],
    ...ENVIRONMENT.zones.flatMap(({ id }): [string, string, number][] => [
      ['occupancy_mean', id, (zones[id] ?? 0) / 60],
      // More than the environment has, so that the two cannot be confused.
      ['occupancy_peak', id, 9],
      ['zone_seconds', id, zones[id] ?? 0],
    ]),
    ...Object.entries(persons).map(([id, seconds]): [string, string, number] => [
      'person_seconds',
      id,
      seconds,
    ]),
    ...Object.entries(moving).map(([id, seconds]): [string, string, number] => [
      'moving_seconds',
      id,
      seconds,
    ]),
    ...more.map(([name, subject, value]): [string, string | null, number] => [name, subject, value]),
  ];
  const left = /seconds|detection/;
  return rows
    .filter(([name, , value]) => value !== 0 || !left.test(name))
    .map(([name, subject, value]) => measure(time, name, subject, value));
}

const minutes = (from: string, count: number, scene: (index: number) => Scene): Measure[] =>
  Array.from({ length: count }, (_, index) => minute(at(from) + index * MINUTE, scene(index))).flat();

const event = (iso: string, type: EventType, overrides: Partial<SensedEvent> = {}): SensedEvent => ({
  port: 'event',
  id: `flat-${type}-${iso}`,
  type,
  severity: 'high',
  environment: ENVIRONMENT.id,
  time: at(iso),
  confidence: 0.9,
  person: 1,
  location: { x: 1.5, y: 2, z: 0 },
  metadata: {},
  source: 'csiflow',
  provenance: { origin: 'simulated' },
  ...overrides,
});

const entered = (iso: string, person: number): Measure =>
  measure(at(iso), 'person_entered', String(person), 1);

const intrusion = (iso: string, threat: string, persons: number): SensedEvent =>
  event(iso, 'intrusion', { metadata: { zone: 'door', persons, threat_level: threat } });

/** A frame in each minute of an hour, worth 3.25 ms. */
const frames = (from: string): PoseFrame[] =>
  Array.from({ length: 60 }, (_, index) =>
    poseFrame(index, { environment: ENVIRONMENT.id, time: at(from) + index * MINUTE }),
  );

/** All records of the store. */
export const records = (): Data[] => [
  // The 28th, 23:59 in Berlin.
  ...minutes('2026-03-28T22:59:00', 1, () => ({ persons: { 9: 60 }, peak: 1, confidence: 0.5 })),
  // The 2nd.
  ...minutes('2026-03-02T12:00:00', 10, () => ({ persons: {}, peak: 0 })),
  // Midnight to 4 in Berlin is three hours; in bed, restless every tenth minute.
  ...minutes('2026-03-28T23:00:00', 180, (index) => ({
    persons: { 1: 60 },
    peak: 1,
    zones: { bed: 60 },
    moving: index % 10 === 0 ? { 1: 6 } : {},
    more: [
      ['bed_seconds', null, 60],
      ['sleep_seconds', null, index % 10 === 0 ? 54 : 60],
      ...(index % 10 === 0 ? ([['bed_moving_seconds', null, 6]] as const) : []),
      ['lying_seconds', '1', 60],
    ],
  })),
  // 9 to 10 in Berlin: two customers, one of whom buys.
  ...minutes('2026-03-29T07:00:00', 60, (index) => ({
    persons: { 1: 60, ...(index < 30 && { 2: 60 }), ...(index < 10 && { 3: 30 }) },
    peak: index < 10 ? 3 : index < 30 ? 2 : 1,
    zones: { door: 6, shelf: 30 },
    moving: { 1: 30 },
    confidence: 0.6,
    more: [
      ['walking_seconds', '1', 20],
      ['standing_seconds', '1', 30],
      ['sitting_seconds', '1', 10],
      ...(index === 5
        ? ([
            ['funnel_stage', '2', 4],
            ['funnel_stage', '3', 1],
            ['zone_visitors', 'door', 3],
            ['zone_visitors', 'shelf', 2],
            ['zone_visitors', 'till', 1],
            ['zone_conversions', 'door', 1],
            ['zone_conversions', 'shelf', 1],
            ['zone_conversions', 'till', 1],
            ['entries_unauthorised', 'door', 3],
            ['entries_false', 'door', 1],
          ] as const)
        : []),
      ...(index === 8 ? ([['funnel_stage', '2', 2]] as const) : []),
    ],
  })),
  entered('2026-03-29T07:00:00', 2),
  entered('2026-03-29T07:00:00.500', 3),
  entered('2026-03-29T07:12:30', 3),
  event('2026-03-29T07:10:00', 'fall_detection', { severity: 'critical' }),
  // Only the person who fell returns within the hour.
  event('2026-03-29T08:00:00', 'fall_detection', { person: null, location: null }),
  event('2026-03-27T12:00:00', 'fall_detection'),
  intrusion('2026-03-29T07:00:02', 'medium', 1),
  intrusion('2026-03-29T07:30:00', 'high', 2),
  measure(at('2026-03-29T07:00:02'), 'intrusion_seconds', 'door', 41.5),
  event('2026-03-29T07:05:00', 'crowd', { person: null, severity: 'medium' }),
  event('2026-03-29T07:06:00', 'zone_left', { severity: 'low' }),
  event('2026-03-29T07:07:00', 'activity_changed', { severity: 'low' }),
  ...frames('2026-03-29T07:00:00'),
];

/** A call, and its expected body. Paths without the base address. */
export interface AnalyticsCase {
  readonly name: string;
  readonly path: string;
  /** The body in Form A; `data` of the body in Form B. */
  readonly expected: object;
}

const traffic = (visits: number, persons: number, minutesEach: number) => ({
  total_visitors: visits,
  unique_visitors: persons,
  peak_hour: '09:00-10:00',
  peak_count: 3,
  average_dwell_time_minutes: minutesEach,
});

const range = (start: string, end: string) => `start_time=${start}Z&end_time=${end}Z`;
const MORNING = range('2026-03-29T07:00:00', '2026-03-29T08:00:00');
const DST_DAY = range('2026-03-28T23:00:00', '2026-03-29T22:00:00');
const EMPTY = range('2025-01-01T00:00:00', '2025-01-02T00:00:00');

export const FORM_A: readonly AnalyticsCase[] = [
  {
    name: 'health of the day',
    path: '/analytics/healthcare',
    expected: {
      period: 'day',
      date: '2026-03-29',
      metrics: {
        fall_events: {
          count: 2,
          events: [
            {
              timestamp: '2026-03-29T07:10:00.000Z',
              person_id: 1,
              severity: 'critical',
              response_time_seconds: 150,
              location: { x: 1.5, y: 2 },
            },
            {
              timestamp: '2026-03-29T08:00:00.000Z',
              person_id: 0,
              severity: 'high',
              response_time_seconds: 0,
              location: { x: 0, y: 0 },
            },
          ],
        },
        activity_summary: {
          walking_minutes: 20,
          sitting_minutes: 10,
          lying_minutes: 180,
          standing_minutes: 30,
        },
        // Half an hour and 108 s of 5700 s.
        mobility_score: 0.335,
        sleep_quality: { total_sleep_hours: 2.97, sleep_efficiency: 0.99, restlessness_events: 18 },
      },
    },
  },
  {
    name: 'chosen metrics of the week, which began on Monday',
    path: '/analytics/healthcare?period=week&metrics=activity_summary,%20sleep_quality',
    expected: {
      period: 'week',
      date: '2026-03-23',
      metrics: {
        activity_summary: {
          walking_minutes: 20,
          sitting_minutes: 10,
          lying_minutes: 180,
          standing_minutes: 30,
        },
        sleep_quality: { total_sleep_hours: 2.97, sleep_efficiency: 0.99, restlessness_events: 18 },
      },
    },
  },
  {
    name: 'trade of the day',
    path: '/analytics/retail',
    expected: {
      period: 'day',
      date: '2026-03-29',
      metrics: {
        // 1 was there before, 2 came once, 3 twice; 275 minutes.
        traffic: traffic(4, 3, 68.75),
        zones: [
          {
            zone_id: 'bed',
            zone_name: 'Bed',
            visitor_count: 1,
            avg_dwell_time_minutes: 180,
            conversion_rate: 0,
          },
          {
            zone_id: 'door',
            zone_name: 'Door',
            visitor_count: 3,
            avg_dwell_time_minutes: 2,
            conversion_rate: 0.333,
          },
          {
            zone_id: 'shelf',
            zone_name: 'shelf',
            visitor_count: 2,
            avg_dwell_time_minutes: 15,
            conversion_rate: 0.5,
          },
          {
            zone_id: 'till',
            zone_name: 'till',
            visitor_count: 1,
            avg_dwell_time_minutes: 0,
            conversion_rate: 1,
          },
        ],
        conversion_funnel: { entrance: 2, product_interaction: 1, checkout_area: 1, purchase: 1 },
        heat_map: {
          high_traffic_areas: [
            { zone: 'bed', intensity: 0.655 },
            { zone: 'shelf', intensity: 0.109 },
            { zone: 'door', intensity: 0.022 },
          ],
        },
      },
    },
  },
  {
    name: 'trade of the month',
    path: '/analytics/retail?period=month&metrics=traffic',
    expected: { period: 'month', date: '2026-03-01', metrics: { traffic: traffic(5, 4, 55.2) } },
  },
  {
    name: 'security of the day',
    path: '/analytics/security?period=day',
    expected: {
      period: 'day',
      date: '2026-03-29',
      metrics: {
        intrusion_events: {
          count: 2,
          events: [
            {
              timestamp: '2026-03-29T07:00:02.000Z',
              zone: 'door',
              person_count: 1,
              threat_level: 'medium',
              response_time_seconds: 41.5,
            },
            {
              timestamp: '2026-03-29T07:30:00.000Z',
              zone: 'door',
              person_count: 2,
              threat_level: 'high',
              response_time_seconds: 0,
            },
          ],
        },
        perimeter_monitoring: {
          total_detections: 3,
          authorized_entries: 0,
          unauthorized_attempts: 3,
          false_positives: 1,
        },
        // 275 person-minutes in 240.
        crowd_analysis: { max_occupancy: 3, average_occupancy: 1.146, crowd_formation_events: 1 },
      },
    },
  },
];

const nobody = { detections: 0, unique_persons: 0, average_confidence: 0 };
const hour = (iso: string, detections: number, persons: number, confidence: number) => ({
  hour: `2026-03-${iso}:00:00.000Z`,
  detections,
  unique_persons: persons,
  average_confidence: confidence,
});

export const FORM_B: readonly AnalyticsCase[] = [
  {
    name: 'summary of a day of 23 hours, by hour',
    path: `/analytics/summary?${DST_DAY}`,
    expected: {
      time_period: { start: '2026-03-28T23:00:00.000Z', end: '2026-03-29T22:00:00.000Z', duration_hours: 23 },
      detection_stats: {
        total_detections: 16_500,
        unique_persons: 3,
        average_confidence: 0.75,
        peak_occupancy: 3,
        peak_occupancy_time: '2026-03-29T07:00:00.000Z',
      },
      activity_stats: {
        total_movement_events: 2,
        fall_detections: 2,
        alert_count: 5,
        average_activity_level: 0.116,
      },
      system_stats: {
        // 240 of the 808 minutes until two minutes ago.
        uptime_percentage: 29.703,
        average_processing_time: 3.25,
        frames_processed: 14_400,
        error_count: 0,
      },
      hourly_breakdown: [
        hour('28T23', 3600, 1, 0.8),
        hour('29T00', 3600, 1, 0.8),
        hour('29T01', 3600, 1, 0.8),
        hour('29T07', 5700, 3, 0.6),
      ],
    },
  },
  {
    name: 'summary by local day',
    path: `/analytics/summary?${range('2026-03-28T00:00:00', '2026-03-29T22:00:00')}&granularity=day`,
    expected: {
      hourly_breakdown: [hour('27T23', 60, 1, 0.5), hour('28T23', 16_500, 3, 0.75)],
    },
  },
  {
    name: 'summary by local week',
    path: `/analytics/summary?${range('2026-03-01T00:00:00', '2026-03-29T22:00:00')}&granularity=week`,
    expected: {
      hourly_breakdown: [
        { hour: '2026-03-01T23:00:00.000Z', ...nobody },
        {
          hour: '2026-03-22T23:00:00.000Z',
          detections: 16_560,
          unique_persons: 4,
          average_confidence: 0.749,
        },
      ],
    },
  },
  {
    name: 'summary of nothing',
    path: `/analytics/summary?${EMPTY}`,
    expected: {
      time_period: { start: '2025-01-01T00:00:00.000Z', end: '2025-01-02T00:00:00.000Z', duration_hours: 24 },
      detection_stats: {
        total_detections: 0,
        unique_persons: 0,
        average_confidence: 0,
        peak_occupancy: 0,
        peak_occupancy_time: '2025-01-01T00:00:00.000Z',
      },
      activity_stats: {
        total_movement_events: 0,
        fall_detections: 0,
        alert_count: 0,
        average_activity_level: 0,
      },
      system_stats: { uptime_percentage: 0, average_processing_time: 0, frames_processed: 0, error_count: 0 },
      hourly_breakdown: [],
    },
  },
  {
    name: 'occupancy of a morning',
    path: `/analytics/occupancy?${MORNING}&interval=15min`,
    expected: {
      summary: {
        average_occupancy: 1.583,
        peak_occupancy: 3,
        peak_time: '2026-03-29T07:00:00.000Z',
        total_person_hours: 1.583,
      },
      time_series: ['00', '15', '30', '45'].map((minutesPast, quarter) => ({
        timestamp: `2026-03-29T07:${minutesPast}:00.000Z`,
        occupancy: quarter < 2 ? 2 : 1,
        confidence: 0.6,
      })),
      distribution: {
        '0_persons': 0,
        '1_person': 50,
        '2_persons': 41.667,
        '3_persons': 8.333,
        '4_plus_persons': 0,
      },
    },
  },
  {
    name: 'occupancy by the hour, without hours that were not observed',
    path: `/analytics/occupancy?${DST_DAY}&interval=1hour`,
    expected: {
      time_series: ['28T23', '29T00', '29T01', '29T07'].map((start) => ({
        timestamp: `2026-03-${start}:00:00.000Z`,
        occupancy: start === '29T07' ? 2 : 1,
        confidence: start === '29T07' ? 0.6 : 0.8,
      })),
    },
  },
  {
    name: 'occupancy of nothing',
    path: `/analytics/occupancy?${EMPTY}`,
    expected: {
      summary: {
        average_occupancy: 0,
        peak_occupancy: 0,
        peak_time: '2025-01-01T00:00:00.000Z',
        total_person_hours: 0,
      },
      time_series: [],
      distribution: {
        '0_persons': 0,
        '1_person': 0,
        '2_persons': 0,
        '3_persons': 0,
        '4_plus_persons': 0,
      },
    },
  },
];
