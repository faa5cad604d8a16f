import { knownAt, type Port } from '../../model/index.js';
import type { Portable } from '../../model/portable.js';
import { countOf, type DataSignal, type Signal } from './signal.js';

export class Input {
  readonly name: string;
  readonly index: number;
  watermark = -Infinity;
  readonly lanes: Lane[] = [];
  held = 0;
  barrier = false;
  behind: Signal[] = [];

  constructor(name: string, index: number) {
    this.name = name;
    this.index = index;
  }

  add(signal: DataSignal): void {
    const { data } = signal;
    const lane = this.lane(data.port === 'csi' ? data.layout.key : '', data.port);
    const floor = Math.max(lane.newest, this.watermark + 1);
    lane.queue.push({ signal, offset: 0, floor });
    const count = countOf(data);
    this.held += count;
    lane.newest = floor;
    for (let index = 0; index < count; index++) lane.newest = Math.max(lane.newest, knownAt(data, index));
  }

  /** When the oldest waiting record arrived, monotonic milliseconds; Infinity if none waits. */
  get since(): number {
    return Math.min(Infinity, ...this.lanes.map(({ queue }) => queue[0]?.signal.received ?? Infinity));
  }

  lane(key: string, port: Port): Lane {
    const found = this.lanes.find((lane) => lane.key === key && lane.port === port);
    if (found) return found;
    const made = { input: this, key, port, newest: -Infinity, queue: [] };
    this.lanes.push(made);
    return made;
  }
}

/** Records of one port and one layout of an input: their order is preserved. */
export interface Lane {
  readonly input: Input;
  /** Key of the layout. */
  readonly key: string;
  readonly port: Port;
  /** The newest event time so far: later records count as no earlier. */
  newest: number;
  readonly queue: { readonly signal: DataSignal; readonly offset: number; readonly floor: number }[];
}

export interface InputSnapshot {
  readonly name: string;
  readonly watermark: number;
  readonly lanes: readonly {
    readonly key: string;
    readonly port: Port;
    readonly newest: number;
    readonly queue: readonly { readonly data: Portable; readonly floor: number }[];
  }[];
}
