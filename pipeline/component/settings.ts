import type { Environment } from '../model/index.js';

/** Deployment settings that nodes can follow. `docs/configuration.md` says what each does and where it is shown. */
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

/** What a conversion can read beside the value. */
export interface SettingNode {
  /** The node's configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Time between two pose frames, milliseconds; NaN if no node cuts time into frames. */
  readonly frameMs: number;
}

/** A field that holds a setting, possibly in another unit. */
export interface ConvertedSetting<F extends string = string> {
  readonly field: F;
  /** The setting's value, computed from the field; undefined if the field is optional and absent. */
  readonly show: (stored: unknown, node: SettingNode) => SettingValue;
  /** The value for the field. */
  readonly store: (value: SettingValue, node: SettingNode) => unknown;
  /** It counts pose frames, so it requires a node that cuts time into them. */
  readonly inFrames?: boolean;
}

/**
 * How nodes of a component follow settings: by a field of their configuration, or, for `enabled`, by being
 * switched on or off.
 */
export type SettingAnswers<F extends string = string> = Readonly<
  Partial<Record<SettingName, F | 'enabled' | ConvertedSetting<F>>>
>;

/** What a node finds around it. */
export interface Surroundings {
  /** What relative paths of its configuration are resolved against. */
  readonly folder: string;
  readonly environments: readonly Environment[];
}

/** The known facts of a pose network that does not run. */
export interface NetworkFacts {
  /** Name and version of the weights that it loads. @throws if they cannot be read */
  readonly modelVersion: (config: never, surroundings: Surroundings) => string;
}

/** The known facts of a node that is calibrated to its room, while it does not run. */
export interface CalibrationFacts {
  /** When its empty room was measured; null if it was not. */
  readonly calibratedAt: (config: never, surroundings: Surroundings) => Date | null;
  /** What is not calibrated, for people; null if it is calibrated for its room. */
  readonly uncalibrated: (config: never, surroundings: Surroundings) => string | null;
}

/**
 * What a node is to the rest of the system, whatever its component. Status pages show state and figures of a
 * `pose-network` and a `tracker`. The calibration of an empty room is written for the first `pose-network` that
 * reads windows and has a field `calibration`; meanwhile, the measure `presence_probability` of the first
 * `motion-detector` tells whether the room is empty.
 */
export type Role = 'pose-network' | 'tracker' | 'motion-detector';
