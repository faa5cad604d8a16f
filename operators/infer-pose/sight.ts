/** What the network says of one person, in room coordinates, before calibration and rounding. */
export interface Estimate {
  /** Floor point below the pelvis, metres. */
  readonly root: readonly [number, number];
  /** The network's scale of the root's error, metres. */
  readonly scale: number;
  /** Mean unit vector of the heading: shorter where it is less sure. */
  readonly heading: readonly [number, number];
  /** Probabilities of upright, sitting, lying. */
  readonly postures: readonly number[];
  /** Probability that the person walks about. */
  readonly moving: number;
  /** [JOINTS * 3], relative to the root, in the body's own frame. */
  readonly joints: Float32Array;
  /** The network's scale of each joint's error, metres. */
  readonly jointScales: Float32Array;
}

/** What the network says of one window. */
export interface Sight {
  /** Probabilities of nobody, one person, and so on; the last one is of that many or more. */
  readonly counts: readonly number[];
  /** Probability of each cell of the floor's grid to be where somebody is. */
  readonly cells: Float32Array;
  /** The answer if one person is there. */
  readonly alone: Estimate;
  /** The answer if as many are there as the likeliest number above one; empty where that is hardly so. */
  readonly several: readonly Estimate[];
}

/** What the network says of one window, and from what. */
export interface Seen extends Sight {
  readonly shown: Shown;
}

/** What the pose network says of one window, to be read. */
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
