/** The network's output for one person, in room coordinates, before calibration and rounding. */
export interface Estimate {
  /** Floor point below the pelvis, metres. */
  readonly root: readonly [number, number];
  /** The network's scale of the root's error, metres. */
  readonly scale: number;
  /** Mean unit vector of the heading: shorter if uncertain. */
  readonly heading: readonly [number, number];
  /** Probabilities of upright, sitting, lying. */
  readonly postures: readonly number[];
  /** Probability that the person is walking. */
  readonly moving: number;
  /** [JOINTS * 3], relative to the root, in the body's own axes. */
  readonly joints: Float32Array;
  /** The network's scale of each joint's error, metres. */
  readonly jointScales: Float32Array;
}

/** The network's output for one window. */
export interface Sight {
  /** Probabilities of nobody, one person, and so on; the last one means that many or more. */
  readonly counts: readonly number[];
  /** Probability of each cell of the floor's grid that somebody is there. */
  readonly cells: Float32Array;
  /** The result if one person is present. */
  readonly alone: Estimate;
  /** The result for the most probable number of people above one; empty if that is improbable. */
  readonly several: readonly Estimate[];
}

/** The network's output for one window, and its inputs. */
export interface Seen extends Sight {
  readonly shown: Shown;
}

/** The pose network's data of one window, for reading. */
export interface Shown {
  /** [CELLS, WIDTHS.joined] */
  readonly joined: Float32Array;
  /** Tokens of the links by mean and by maximum: [2 * WIDTHS.token] */
  readonly tokens: Float32Array;
  readonly links: number;
  readonly cells: Float32Array;
  readonly counts: readonly number[];
  readonly alone: Estimate;
}
