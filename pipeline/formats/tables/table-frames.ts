import type { CsiLayout } from '../../model/index.js';

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
  /** [rx, tx, subcarrier, (re, im)] */
  values(frame: number): Float32Array;
}
