import type { RoomCalibration } from '../../../operators/infer-pose/model/calibration.js';
import type { Registry } from '../../../pipeline/component/index.js';
import type { LearntLinks } from './learning.js';

export interface HearSettings {
  /** Seconds of event time to listen for. */
  readonly seconds: number;
  readonly print: (line: string) => void;
  /** Called after each window, with the seconds of event time received so far. */
  readonly progress?: (seconds: number) => void;
}

export interface CalibrateSettings extends HearSettings {
  /** Output file. */
  readonly out: string;
  /** Id of the window operator; default: the one that the first calibrated pose network reads. */
  readonly node?: string;
  /** Default: the shipped components. */
  readonly registry?: Registry;
  /** Measure the echo of one person who walks about, instead of the empty room. */
  readonly walker?: boolean;
}

/** Content of a calibration file. */
export interface Measured extends RoomCalibration {
  /** Links of the frames, for `calibrate`: a list of layouts each. */
  readonly links: LearntLinks;
}
