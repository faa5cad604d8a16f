import type { CsiLayout } from '../../model/index.js';

/** What a receiver may know of a frame besides its values; NaN where unknown. */
export interface FrameFacts {
  /** dBm */
  readonly noise: number;
  /** Analogue gain of each receive antenna, dB. */
  readonly agc: ArrayLike<number>;
  /** Digital gain, dB. */
  readonly fftGain: number;
  /** Bits of each number; 0 if unknown. */
  readonly bits: number;
  /** Connector of each row of the values, from 0; 255 if unknown. */
  readonly antennas: ArrayLike<number>;
  /** The receiver's own clock, microseconds. */
  readonly deviceTime: number;
  /** The sender's number for the measurement; -1 if there is none. */
  readonly instance: number;
}

/** The frames of a table. */
export interface TableFrames {
  readonly count: number;
  /** Origin of the frames according to the file. */
  readonly origin?: 'replay' | 'simulated';
  layout(frame: number): CsiLayout;
  /** Microseconds since 1970. */
  time(frame: number): number;
  /** Empty if the table does not name one. */
  sender(frame: number): string;
  /** dBm, NaN if unknown. */
  rssi(frame: number): number;
  /** Absent if the table has no such data. */
  readonly facts?: (frame: number) => FrameFacts;
  /** [rx, tx, subcarrier, (re, im)] */
  values(frame: number): Float32Array;
}

/** The frames of a table as records of a format. */
export interface TableRecords {
  readonly count: number;
  readonly origin?: 'replay' | 'simulated';
  /** Name of the format. */
  readonly format: string;
  /** Microseconds since 1970; the reason why the frame is skipped, in words, if it has none. */
  time(frame: number): number | string;
  /** Empty if the table does not name one. */
  sender(frame: number): string;
  record(frame: number): Uint8Array;
}
