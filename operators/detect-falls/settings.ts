import type { SettingAnswers } from '../../pipeline/component/index.js';
import { confidenceOf, RULE_THRESHOLD, scoreFor } from './verdict/confidence.js';
import { readWeights } from './networks/weights.js';

let ownThreshold: number | undefined;
const methodOf = (config: Readonly<Record<string, unknown>>) => config['method'] as 'nets' | 'rule';
const defaultThreshold = (method: 'nets' | 'rule'): number =>
  method === 'rule' ? RULE_THRESHOLD : (ownThreshold ??= readWeights().threshold);

/** Six digits: sending back a displayed value changes nothing. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/** The deployment uses a confidence; the nets and the rule use scores. */
export const FALL_SETTINGS = {
  'analytics.enable_fall_detection': 'enabled',
  'analytics.alert_thresholds.fall_confidence': {
    field: 'threshold',
    show: (stored, { config }) => {
      const method = methodOf(config);
      return rounded(confidenceOf((stored as number | undefined) ?? defaultThreshold(method), method));
    },
    store: (value, { config }) => scoreFor(value as number, methodOf(config)),
  },
  'alerts.fall_detection.notification_delay_seconds': {
    field: 'notify_delay_ms',
    show: (stored) => (stored as number) / 1000,
    store: (value) => Math.round((value as number) * 1000),
  },
} satisfies SettingAnswers<'threshold' | 'notify_delay_ms'>;
