/**
 * What flows on the ports other than `csi`. Their rates are a thousand times lower than that of frames, so
 * plain objects are fast enough. All are immutable and survive a structured clone.
 */

/** Where a result comes from. Part of every pose frame, event and measure; never dropped on the way. */
export interface Provenance {
  /** `live` from a radio, `replay` of a recording, `simulated` by the scene simulator. */
  readonly origin: 'live' | 'replay' | 'simulated';
  /** The model that inferred it, absent if no model was used. */
  readonly model?: ModelReference;
}

export interface ModelReference {
  readonly name: string;
  readonly version: string;
  /** What it was trained on, in words: `simulated CSI`. */
  readonly trainedOn: string;
  /** Where its accuracy is documented: a path in this repository. */
  readonly accuracy: string;
}

/** Room coordinates in metres: x and y on the floor from the origin's corner, z up. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** `[x, y, z]`, as files have it, as a {@link Point}. */
export const point = (position: readonly number[]): Point => ({
  x: position[0]!,
  y: position[1]!,
  z: position[2]!,
});

/** A stretch of event time of one environment, all its links resampled to one grid: what a network reads. */
export interface Window {
  readonly port: 'window';
  readonly environment: string;
  /** Incremented per environment. */
  readonly index: number;
  /** First grid point, microseconds; the grid is aligned to multiples of `step` since 1970. */
  readonly start: number;
  /** Grid step, microseconds. */
  readonly step: number;
  /** Number of grid points. The window ends at `start + points * step`, excluded. */
  readonly points: number;
  /** One entry for each link with frames, in the order of the environment's links. */
  readonly links: readonly WindowLink[];
  /**
   * Links that were heard before, but sent no frame for {@link SILENT_AFTER_US} or longer, nor in the window; absent
   * if there are none.
   */
  readonly silent?: readonly string[];
  readonly provenance: Provenance;
}

export interface WindowLink {
  readonly id: string;
  /** `key` of the layout that the values come from. */
  readonly layout: string;
  readonly rx: number;
  readonly tx: number;
  readonly subcarriers: Int16Array;
  readonly centreMhz: number;
  /** [points, rx, tx, subcarrier, (re, im)]. */
  readonly values: Float32Array;
  /** One per point: 1 if no frame was near enough to interpolate, and the last one is held. */
  readonly gaps: Uint8Array;
  /** Frames received in the window. */
  readonly frames: number;
  /** Mean, dBm; NaN where unknown. */
  readonly rssi: number;
  readonly quality: LinkQuality;
}

/** Whether a link is plausible, judged by its frames of the last seconds up to the window's end. */
export interface LinkQuality {
  /** Signal to noise over the carriers, decibels, -20 to 60; NaN until enough frames came, and with too few carriers. */
  readonly snrDb: number;
  /** Why it is implausible; null: no sign of a fault. */
  readonly fault: LinkFault | null;
}

/**
 * Why a link is implausible: `noise`: its frames have nothing in common; `frozen`: it repeats one frame;
 * `silent`: it sends no frames, or only zeros; `unsteady`: its level jumps from frame to frame.
 */
export const LINK_FAULTS = ['noise', 'frozen', 'silent', 'unsteady'] as const;
export type LinkFault = (typeof LINK_FAULTS)[number];

/** A link is silent once its newest frame is this much older than the present of its environment, microseconds. */
export const SILENT_AFTER_US = 5_000_000;

/** Before enough frames have arrived. */
export const UNKNOWN_QUALITY: LinkQuality = { snrDb: NaN, fault: null };

/** A link excluded from a result, and why. */
export interface LeftOutLink {
  readonly link: string;
  readonly fault: LinkFault;
}

/** The result of inference on one window. */
export interface PoseFrame {
  readonly port: 'pose';
  /** Incremented per environment: the index of its window. */
  readonly frameId: number;
  readonly environment: string;
  /** Event time of the pose, microseconds: the middle of its window. */
  readonly time: number;
  /** End of the window, microseconds: the data known at inference. */
  readonly windowEnd: number;
  /**
   * Time that the network spent on it, milliseconds. The only field that differs between two runs; stores
   * hold it separately.
   */
  readonly processingMs: number;
  readonly persons: readonly Person[];
  /**
   * Probabilities of nobody, one person, and so on; the last one means that many or more. Absent if the
   * window carried no information.
   */
  readonly counts?: readonly number[];
  /** Links of the window that were used. */
  readonly links: number;
  /** Implausible and silent links, which were not used; absent if there are none. */
  readonly leftOut?: readonly LeftOutLink[];
  /** 0 to 1: share of grid points with a frame near enough, over all links. */
  readonly signalQuality: number;
  readonly provenance: Provenance;
}

export interface Person {
  /** 0 to 1, a view of `positionError`; 1 is certain. */
  readonly confidence: number;
  /** Floor point below the pelvis (z = 0), metres. */
  readonly position: Point;
  /** Calibrated scale of the floor position's error, metres: roughly the expected distance. */
  readonly positionError: number;
  /** Direction faced, radians from the x axis counter-clockwise; null if unknown. */
  readonly heading: number | null;
  /** 0 (unknown) to 1: length of the inferred heading vector. */
  readonly headingConfidence: number;
  readonly posture: Posture;
  /** 17 in COCO order ({@link KEYPOINT_NAMES}). Always given; drawn only if `articulated`. */
  readonly keypoints: readonly Keypoint3D[];
  /** False if the error scale allows no skeleton, only a disc of radius `positionError`. */
  readonly articulated: boolean;
  /** Set by track-persons. */
  readonly track: Track | null;
}

export type Posture = 'upright' | 'sitting' | 'lying';

export interface Keypoint3D extends Point {
  /** Calibrated scale of the joint's error relative to the person's root, metres. */
  readonly error: number;
}

export interface Track {
  /** The person's number in its environment, stable while the person is tracked. */
  readonly id: number;
  readonly state: 'tentative' | 'active' | 'lost' | 'ended';
  /** Pose frames since birth. */
  readonly age: number;
  /** Event time of birth, microseconds. */
  readonly since: number;
  /** Metres a second on the floor. */
  readonly velocity: { readonly x: number; readonly y: number };
}

/** Events that notify someone. */
export const ALERT_TYPES = ['fall_detection', 'inactivity', 'intrusion', 'crowd'] as const;
/** Events of daily life. */
export const ACTIVITY_TYPES = ['zone_entered', 'zone_left', 'activity_changed'] as const;
/** A possible alert, and its withdrawal. Only receivers that name these types get them. */
export const WARNING_TYPES = ['fall_suspected', 'fall_withdrawn'] as const;
/** Events about csiflow's own work. Only receivers that name these types get them. */
export const HEALTH_TYPES = ['inference_degraded', 'inference_restored'] as const;
export const EVENT_TYPES = [...ALERT_TYPES, ...ACTIVITY_TYPES, ...WARNING_TYPES, ...HEALTH_TYPES] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Least severe first. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something that happened. An alert is an event that notifies someone. Not named `Event`, which is a global type. */
export interface SensedEvent {
  readonly port: 'event';
  /** Stable: derived from environment, type and rounded event time, so that repeated runs produce the same id. */
  readonly id: string;
  readonly type: EventType;
  readonly severity: Severity;
  readonly environment: string;
  /** Event time, microseconds. */
  readonly time: number;
  readonly confidence: number;
  /** Number of the track that it is about, if any. */
  readonly person: number | null;
  readonly location: Point | null;
  /** Further facts for this type of event, snake_case. */
  readonly metadata: Readonly<Record<string, number | string | boolean>>;
  /**
   * The origin: `csiflow` for findings of this engine, otherwise the sender whose packet claims it. A claim
   * is shown as the sender's and never raises an alert.
   */
  readonly source: string;
  readonly provenance: Provenance;
}

/** A number over time. */
export interface Measure {
  readonly port: 'measure';
  /** snake_case, with the unit if it has one: `motion`, `presence`, `packet_loss`, `breathing_rate_bpm`. */
  readonly name: string;
  readonly environment: string;
  /** Link, zone or person that it is about; null for the whole environment. */
  readonly subject: string | null;
  /** Event time, microseconds. */
  readonly time: number;
  readonly value: number;
  /** `csiflow`, or the sender whose own packet claims it. */
  readonly source: string;
  readonly provenance: Provenance;
}

/** COCO-17, in order. */
export const KEYPOINT_NAMES = [
  'nose',
  'left_eye',
  'right_eye',
  'left_ear',
  'right_ear',
  'left_shoulder',
  'right_shoulder',
  'left_elbow',
  'right_elbow',
  'left_wrist',
  'right_wrist',
  'left_hip',
  'right_hip',
  'left_knee',
  'right_knee',
  'left_ankle',
  'right_ankle',
] as const;

/** Pairs of keypoints whose distance is fixed in a body: arms, legs, shoulders, hips. */
export const BONES: readonly (readonly [number, number])[] = [
  [5, 7],
  [7, 9],
  [6, 8],
  [8, 10],
  [11, 13],
  [13, 15],
  [12, 14],
  [14, 16],
  [5, 6],
  [11, 12],
];

/** Pairs of keypoints connected by the lines of a skeleton: bones, sides of the trunk, and the neck. */
export const SKELETON: readonly (readonly [number, number])[] = [...BONES, [5, 11], [6, 12], [0, 5], [0, 6]];
