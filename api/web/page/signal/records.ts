/** Values of one antenna pair by subcarrier; null: unknown. */
export type Row = readonly (number | null)[];

/** A frame of a link, as a tap shows it. */
export interface TappedFrame {
  readonly time: string;
  /** Indices of the subcarriers. */
  readonly indices: readonly number[];
  /** [rx][tx][subcarrier], in the sender's unit. */
  readonly amplitudes: readonly (readonly Row[])[];
  /** [rx][tx][subcarrier], radians. */
  readonly phases: readonly (readonly Row[])[];
}

/** Frames of a link over some seconds, oldest first, all of one layout. */
export interface Signal {
  readonly frames: readonly TappedFrame[];
  readonly indices: readonly number[];
  /** Antennas of receiver and transmitter, for each pair. */
  readonly antennas: readonly (readonly [rx: number, tx: number])[];
  /** From the first to the last frame. */
  readonly seconds: number;
  /** Frames of other layouts, which are not shown. */
  readonly others: number;
}
