import { knownAt, PORTS, sliceBlock, type LinkTable } from '../../model/index.js';
import type { State } from '../../component/index.js';
import { fromPortable, toPortable } from '../../model/portable.js';
import { countOf, type BarrierSignal, type DataSignal, type ReanchorSignal, type Signal } from './signal.js';
import { Input, type Lane, type InputSnapshot } from './fan-in-input.js';

/** Receives the output of a {@link FanIn}. */
export interface FanInOutput {
  data(signal: DataSignal): void;
  watermark(time: number, received: number): void;
  /** All inputs have passed the barrier. */
  barrier(signal: BarrierSignal): void;
  /** All inputs have reached the event time jump. */
  reanchor(signal: ReanchorSignal): void;
}

/** Records of one input waiting for others that may still bring earlier ones. */
export interface HeldBack {
  readonly input: string;
  readonly records: number;
  /** When the oldest of them arrived, monotonic milliseconds. */
  readonly since: number;
  readonly waitsFor: readonly string[];
}

/**
 * Merges the inputs of a node. Records are released in the order (event time, port, input, layout, arrival)
 * once no input can bring an earlier one: merging by arrival would differ from run to run. A source's batch
 * yields one block for each layout, so blocks of different layouts are merged by time too; otherwise the
 * order would depend on batch sizes. A record that is late within its own port and layout counts as having
 * the time of the newest one before it. Records behind an early barrier are held until all inputs have passed
 * it.
 *
 * With `ordered` false (most sinks) it only waits for barriers.
 */
export class FanIn {
  readonly #inputs: readonly Input[];
  readonly #byName: ReadonlyMap<string, Input>;
  readonly #output: FanInOutput;
  readonly #ordered: boolean;
  #sent = -Infinity;
  #behind = 0;

  constructor(inputs: readonly string[], output: FanInOutput, ordered: boolean) {
    this.#inputs = inputs.map((name, index) => new Input(name, index));
    this.#byName = new Map(this.#inputs.map((input) => [input.name, input]));
    this.#output = output;
    this.#ordered = ordered && inputs.length > 1;
  }

  /** Records held until other inputs catch up. */
  get held(): number {
    let held = this.#behind;
    for (const input of this.#inputs) held += input.held;
    return held;
  }

  /** The input whose records have waited longest, and the inputs that may still bring earlier ones. */
  get heldBack(): HeldBack | null {
    let longest: HeldBack | null = null;
    for (const { name, held, since, lanes } of this.#inputs) {
      if (since >= (longest?.since ?? Infinity)) continue;
      const time = Math.min(...lanes.filter(({ queue }) => queue.length > 0).map(headTime));
      const others = this.#inputs.filter((input) => input.name !== name && mayBring(input, time));
      const waitsFor = others.map((input) => input.name);
      if (waitsFor.length > 0) longest = { input: name, records: held, since, waitsFor };
    }
    return longest;
  }

  /** Records behind an early barrier, of `held`. */
  get behindBarrier(): number {
    return this.#behind;
  }

  push(signal: Signal): void {
    const input = this.#byName.get(signal.from)!;
    if (input.barrier) {
      input.behind.push(signal);
      if (signal.kind === 'data') this.#behind += countOf(signal.data);
      return;
    }
    switch (signal.kind) {
      case 'data':
        if (!this.#ordered) {
          this.#output.data(signal);
          return;
        }
        input.add(signal);
        this.#release();
        break;
      case 'watermark':
        input.watermark = Math.max(input.watermark, signal.time);
        if (this.#ordered) this.#release();
        this.#forward(signal.received);
        break;
      case 'barrier':
      case 'reanchor':
        // All inputs receive these marks in the same order: they enter all sources together.
        input.barrier = true;
        if (this.#inputs.every(({ barrier }) => barrier)) this.#align(signal);
    }
  }

  /**
   * Releases the earliest records until only `limit` are held, even if an input could bring earlier ones.
   * Records behind an early barrier stay: they belong to a later checkpoint.
   */
  letGo(limit: number): void {
    while (this.held - this.#behind > limit) this.#send(this.#first()!);
  }

  /** Held records belong to the node's snapshot, taken at the barrier. */
  snapshot(links: LinkTable): State {
    return this.#inputs.map(({ name, watermark, lanes }): InputSnapshot => ({
      name,
      watermark,
      lanes: lanes.map(({ key, port, newest, queue }) => ({
        key,
        port,
        newest,
        queue: queue.map(({ signal, offset, floor }) => ({
          data: toPortable(rest(signal, offset).data, links),
          floor,
        })),
      })),
    }));
  }

  /** Returns records of inputs that no longer exist, or all of them if order no longer matters. */
  restore(state: State, links: LinkTable, received: number): readonly DataSignal[] {
    const left: DataSignal[] = [];
    for (const snapshot of state as readonly InputSnapshot[]) {
      const input = this.#ordered ? this.#byName.get(snapshot.name) : undefined;
      if (input) input.watermark = snapshot.watermark;
      for (const { key, port, newest, queue } of snapshot.lanes) {
        const lane = input?.lane(key, port);
        if (lane) lane.newest = newest;
        for (const { data, floor } of queue) {
          const restored = fromPortable(data, links);
          if (!restored) continue;
          const signal: DataSignal = { kind: 'data', data: restored, from: snapshot.name, received };
          if (!input || !lane) {
            left.push(signal);
            continue;
          }
          lane.queue.push({ signal, offset: 0, floor });
          input.held += countOf(restored);
        }
      }
    }
    this.#sent = this.#reached();
    return left;
  }

  #align(mark: BarrierSignal | ReanchorSignal): void {
    if (mark.kind === 'barrier') this.#output.barrier(mark);
    else {
      this.#beginAnew();
      this.#output.reanchor(mark);
    }
    this.#behind = 0;
    const waiting = this.#inputs.map((input) => {
      const { behind } = input;
      input.barrier = false;
      input.behind = [];
      return behind;
    });
    for (const signals of waiting) for (const signal of signals) this.push(signal);
  }

  /** No input can bring a record before this time. */
  #beginAnew(): void {
    for (const input of this.#inputs) input.watermark = Infinity;
    this.#release();
    for (const input of this.#inputs) {
      input.watermark = -Infinity;
      for (const lane of input.lanes) lane.newest = -Infinity;
    }
    this.#sent = -Infinity;
  }

  #release(): void {
    for (let next = this.#earliest(); next; next = this.#earliest()) this.#send(next);
  }

  #send(lane: Lane): void {
    const { signal, offset, floor } = lane.queue[0]!;
    const end = this.#runEnd(lane, signal, offset, floor);
    const whole = end === countOf(signal.data);
    lane.input.held -= end - offset;
    if (whole) lane.queue.shift();
    else lane.queue[0] = { signal, offset: end, floor: Math.max(floor, knownAt(signal.data, end - 1)) };
    this.#output.data(offset === 0 && whole ? signal : part(signal, offset, end));
  }

  /** The lane whose head is next; undefined while an input could bring an earlier record. */
  #earliest(): Lane | undefined {
    const first = this.#first();
    if (!first) return undefined;
    const time = headTime(first);
    for (const input of this.#inputs) if (mayBring(input, time)) return undefined;
    return first;
  }

  /** The lane with the earliest head. */
  #first(): Lane | undefined {
    let first: Lane | undefined;
    for (const { lanes } of this.#inputs) {
      for (const lane of lanes) if (lane.queue.length > 0 && (!first || before(lane, first))) first = lane;
    }
    return first;
  }

  /** How many frames of a block precede another lane's turn. */
  #runEnd(lane: Lane, signal: DataSignal, offset: number, floor: number): number {
    const count = countOf(signal.data);
    let end = offset + 1;
    let newest = Math.max(floor, knownAt(signal.data, offset));
    for (; end < count; end++) {
      newest = Math.max(newest, knownAt(signal.data, end));
      for (const input of this.#inputs) {
        if (mayBring(input, newest)) return end;
        for (const other of input.lanes)
          if (other !== lane && other.queue.length > 0 && !precedes(lane, newest, other)) return end;
      }
    }
    return end;
  }

  #forward(received: number): void {
    const reached = this.#reached();
    if (reached <= this.#sent) return;
    this.#sent = reached;
    this.#output.watermark(reached, received);
  }

  /** Nothing more can be released up to here. */
  #reached(): number {
    let reached = Infinity;
    for (const { lanes, watermark } of this.#inputs) {
      let head = Infinity;
      let bounded = true;
      for (const lane of lanes) {
        if (lane.queue.length === 0) continue;
        head = Math.min(head, headTime(lane) - 1);
        bounded &&= lane.port === 'csi';
      }
      reached = Math.min(reached, head === Infinity || bounded ? Math.min(head, watermark) : head);
    }
    return reached;
  }
}

/**
 * Whether an input may still bring a record of `time` or before. An input with records is not waited for, so
 * that a pose does not wait for the next one; but blocks of other layouts may follow a block of frames.
 */
function mayBring({ lanes, watermark }: Input, time: number): boolean {
  if (watermark >= time) return false;
  let heads = 0;
  for (const { queue, port } of lanes) {
    if (queue.length === 0) continue;
    if (port === 'csi') return true;
    heads++;
  }
  return heads === 0;
}

const headTime = ({ queue }: Lane): number =>
  Math.max(queue[0]!.floor, knownAt(queue[0]!.signal.data, queue[0]!.offset));

const before = (a: Lane, b: Lane): boolean => precedes(a, headTime(a), b);

/** A record at `time` of the head of `a` goes before the head of `b`. */
function precedes(a: Lane, time: number, b: Lane): boolean {
  const other = headTime(b);
  if (time !== other) return time < other;
  if (a.port !== b.port) return PORTS.indexOf(a.port) < PORTS.indexOf(b.port);
  return a.input === b.input ? a.key < b.key : a.input.index < b.input.index;
}

const rest = (signal: DataSignal, offset: number): DataSignal =>
  offset === 0 ? signal : part(signal, offset, countOf(signal.data));

function part(signal: DataSignal, start: number, end: number): DataSignal {
  const { data } = signal;
  return data.port === 'csi' ? { ...signal, data: sliceBlock(data, start, end) } : signal;
}
