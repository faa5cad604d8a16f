import type { Environment } from '../model/index.js';

/** Settings of a deployment that nodes can answer to. `docs/configuration.md` says what each does, and where it is shown. */
export const SETTINGS = [
  'detection.confidence_threshold',
  'detection.max_persons',
  'detection.enable_tracking',
  'detection.tracking_max_age',
  'detection.tracking_min_hits',
  'neural_network.batch_size',
  'neural_network.enable_gpu',
  'neural_network.inference_timeout',
  'hardware.csi_sampling_rate',
  'analytics.enable_fall_detection',
  'analytics.alert_thresholds.fall_confidence',
  'alerts.fall_detection.notification_delay_seconds',
  'alerts.inactivity_detection.enabled',
  'analytics.alert_thresholds.inactivity_timeout',
  'analytics.enable_activity_recognition',
  'streaming.restream_enabled',
  'streaming.websocket_enabled',
  'streaming.mqtt_enabled',
] as const;

export type SettingName = (typeof SETTINGS)[number];
export type SettingValue = number | boolean | string;

/** What a conversion may look at beside the value. */
export interface SettingNode {
  /** The node's configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Time between two pose frames, milliseconds; NaN where no node cuts time into frames. */
  readonly frameMs: number;
}

/** A field that holds a setting in another unit. */
export interface ConvertedSetting<F extends string = string> {
  readonly field: F;
  /** The setting's value, of what the field holds; undefined where it is optional and left out. */
  readonly show: (stored: unknown, node: SettingNode) => SettingValue;
  /** What the field is to hold. */
  readonly store: (value: SettingValue, node: SettingNode) => unknown;
  /** It counts in pose frames, so it needs a node that cuts time into them. */
  readonly inFrames?: boolean;
}

/**
 * How nodes of a component answer to settings: by a field of their configuration, or, as `enabled`, by being switched
 * on or off.
 */
export type SettingAnswers<F extends string = string> = Readonly<
  Partial<Record<SettingName, F | 'enabled' | ConvertedSetting<F>>>
>;

/** Where a node runs. */
export interface Site {
  /** Where relative paths of its configuration start from. */
  readonly folder: string;
  readonly environments: readonly Environment[];
}

/** What can be told of a pose network that does not run. */
export interface NetworkFacts {
  /** Name and version of the weights that it loads. @throws where they cannot be read */
  readonly modelVersion: (config: never, site: Site) => string;
}

/** What can be told of a node that is calibrated to its room, while it does not run. */
export interface CalibrationFacts {
  /** When its empty room was measured; null where it was not. */
  readonly calibratedAt: (config: never, site: Site) => Date | null;
  /** What is not calibrated, for a person; null where it knows its room. */
  readonly uncalibrated: (config: never, site: Site) => string | null;
}

/** The part of the system whose state and figures status pages show for a node. */
export type Role = 'pose-network' | 'tracker';
