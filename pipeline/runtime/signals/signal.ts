import type { Observable, OperatorFunction } from 'rxjs';
import { knownAt, type Data } from '../../model/index.js';
import type { Trace } from '../../telemetry/traces/index.js';

/** An item of the streams: data, or one of the marks that every node forwards, with or without data. */
export type Signal = DataSignal | WatermarkSignal | BarrierSignal | ReanchorSignal;

interface Mark {
  /** The node that sent it. */
  readonly from: string;
  /** Monotonic milliseconds of the arrival of the input that caused it. */
  readonly received: number;
}

export interface DataSignal extends Mark {
  readonly kind: 'data';
  readonly data: Data;
  /** The route of its node that it left by, if the node has routes. */
  readonly route?: string;
  /** Set if the record represents a sampled frame. */
  readonly trace?: Trace;
}

/** No record with a time up to and including `time` follows. Microseconds; Infinity at the end of input. */
export interface WatermarkSignal extends Mark {
  readonly kind: 'watermark';
  readonly time: number;
}

/** Everything before it belongs to the checkpoint of `epoch`, everything after it to later ones. */
export interface BarrierSignal extends Mark {
  readonly kind: 'barrier';
  readonly epoch: number;
}

/** Everything before it has times of the old clock, everything after it those of the corrected clock. */
export interface ReanchorSignal extends Mark {
  readonly kind: 'reanchor';
  /** Microseconds. */
  readonly by: number;
}

export type Stream = Observable<Signal>;
export type Stage = OperatorFunction<Signal, Signal>;

/** Records of a signal: frames for `csi`. */
export const countOf = (data: Data): number => (data.port === 'csi' ? data.count : 1);

/** The newest event time in `data`. */
export function newestOf(data: Data): number {
  if (data.port !== 'csi') return knownAt(data);
  let newest = -Infinity;
  for (let index = 0; index < data.count; index++) newest = Math.max(newest, data.time[index]!);
  return newest;
}
