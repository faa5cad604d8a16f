import { Type } from 'typebox';
import { setting, boundsOf } from './answering.js';
import { rounded, type Field } from './field.js';
import { both, Share, Switch } from './field-views.js';

const FOLLOW = 'Whether to track persons from frame to frame and number them.';

export const detection: readonly Field[] = [
  {
    ...setting('detection.confidence_threshold'),
    views: both('detection.confidence_threshold', Share('Confidence below which a person is not reported.')),
    absent: 0,
  },
  {
    ...setting('detection.max_persons'),
    views: both(
      'detection.max_persons',
      Type.Integer({ minimum: 1, maximum: 100, description: 'Largest number of reported persons.' }),
    ),
    absent: 1,
  },
  {
    ...setting('detection.enable_tracking'),
    views: {
      a: { path: 'detection.tracking_enabled', schema: Switch(FOLLOW) },
      b: { path: 'detection.enable_tracking', schema: Switch(FOLLOW) },
    },
    absent: false,
  },
  {
    ...setting('detection.tracking_max_age'),
    views: {
      b: {
        path: 'detection.tracking_max_age',
        schema: Type.Integer({
          minimum: 0,
          maximum: 600_000,
          description: 'Pose frames out of sight before a track ends.',
        }),
      },
    },
    absent: 0,
    bounds: (topology) => boundsOf('detection.tracking_max_age', topology),
  },
  {
    ...setting('detection.tracking_min_hits'),
    views: {
      b: {
        path: 'detection.tracking_min_hits',
        schema: Type.Integer({
          minimum: 1,
          maximum: 100,
          description: 'Consecutive pose frames before a track is active.',
        }),
      },
    },
    absent: 1,
  },
];

export const falls: readonly Field[] = [
  {
    ...setting('analytics.enable_fall_detection'),
    views: {
      a: { path: 'alerts.fall_detection.enabled', schema: Switch('Whether to detect falls.') },
      b: { path: 'analytics.enable_fall_detection', schema: Switch('Whether to detect falls.') },
    },
    absent: false,
  },
  {
    ...setting('analytics.alert_thresholds.fall_confidence'),
    views: {
      a: {
        path: 'alerts.fall_detection.sensitivity',
        schema: Share('Falls of a confidence of at least 1 - sensitivity are reported.'),
        show: (value) => rounded(1 - (value as number)),
        read: (shown) => rounded(1 - (shown as number)),
      },
      b: {
        path: 'analytics.alert_thresholds.fall_confidence',
        schema: Share('Falls with at least this confidence are reported.'),
      },
    },
    absent: 0,
  },
  {
    ...setting('alerts.fall_detection.notification_delay_seconds'),
    views: {
      a: {
        path: 'alerts.fall_detection.notification_delay_seconds',
        schema: Type.Number({
          minimum: 0,
          maximum: 600,
          description:
            "Delay of a fall's report; the fall is dropped if the person walks again in that time.",
        }),
      },
    },
    absent: 0,
  },
];

export const inactivity: readonly Field[] = [
  {
    ...setting('alerts.inactivity_detection.enabled'),
    views: {
      a: { path: 'alerts.inactivity_detection.enabled', schema: Switch('Whether to detect inactivity.') },
    },
    absent: false,
  },
  {
    ...setting('analytics.alert_thresholds.inactivity_timeout'),
    views: {
      a: {
        path: 'alerts.inactivity_detection.threshold_minutes',
        schema: Type.Number({
          minimum: 0.001,
          maximum: 1_440,
          description: 'Time without motion before it is reported, minutes.',
        }),
        show: (value) => rounded((value as number) / 60),
        // To the millisecond: sending back a displayed value changes nothing.
        read: (shown) => Math.round((shown as number) * 60_000) / 1000,
      },
      b: {
        path: 'analytics.alert_thresholds.inactivity_timeout',
        schema: Type.Number({
          minimum: 0.06,
          maximum: 86_400,
          description: 'Time without motion before it is reported, seconds.',
        }),
      },
    },
    absent: 0.06,
  },
  {
    ...setting('analytics.enable_activity_recognition'),
    views: {
      b: {
        path: 'analytics.enable_activity_recognition',
        schema: Switch('Whether to report activities: walking, standing, sitting, lying.'),
      },
    },
    absent: false,
  },
];
