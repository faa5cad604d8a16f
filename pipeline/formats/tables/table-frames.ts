import type { CsiLayout } from '../../model/index.js';

/** The frames of a table. */
export interface TableFrames {
  readonly count: number;
  /** What the file says of where they come from. */
  readonly origin?: 'replay' | 'simulated';
  layout(frame: number): CsiLayout;
  /** Microseconds since 1970. */
  time(frame: number): number;
  /** Empty where the table names none. */
  sender(frame: number): string;
  /** dBm, NaN where unknown. */
  rssi(frame: number): number;
  /** [rx, tx, subcarrier, (re, im)] */
  values(frame: number): Float32Array;
}
