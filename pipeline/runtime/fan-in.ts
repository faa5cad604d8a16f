import { PORTS, sliceBlock, type LinkTable } from '../model/index.js';
import type { State } from '../component/index.js';
import { fromPortable, toPortable, type Portable } from './portable.js';
import { countOf, timeOf, type BarrierSignal, type DataSignal, type Signal } from './signal.js';

/** Where a {@link FanIn} sends what it releases. */
export interface FanInOutput {
  data(signal: DataSignal): void;
  watermark(time: number, received: number): void;
  /** All inputs have passed the barrier. */
  barrier(signal: BarrierSignal): void;
}

/**
 * Brings the inputs of a node together. Records are released in the order (event time, port, input,
 * sequence) once no input can bring an earlier one: merging by arrival would differ from run to run.
 * Within an input the order stays; a record that is late there counts as having the time of the newest
 * one before it. Records behind an early barrier are held until all inputs have passed it.
 *
 * With `ordered` false (sinks) only barriers are waited for.
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
        input.barrier = true;
        if (this.#inputs.every(({ barrier }) => barrier)) this.#align(signal);
    }
  }

  /** Held, unreleased records belong to the snapshot of the node. Taken at the barrier. */
  snapshot(links: LinkTable): State {
    return this.#inputs.map(({ name, watermark, newest, queue }) => ({
      name,
      watermark,
      newest,
      queue: queue.map(({ signal, offset, floor }) => ({
        data: toPortable(rest(signal, offset).data, links),
        floor,
      })),
    }));
  }

  /** What the snapshot says of inputs that are no longer there is left out. */
  restore(state: State, links: LinkTable, received: number): void {
    for (const kept of state as KeptInput[]) {
      const input = this.#byName.get(kept.name);
      if (!input) continue;
      input.watermark = kept.watermark;
      input.newest = kept.newest;
      for (const { data, floor } of kept.queue) {
        const restored = fromPortable(data, links);
        if (!restored) continue;
        const signal: DataSignal = { kind: 'data', data: restored, from: kept.name, received };
        input.queue.push({ signal, offset: 0, floor });
        input.held += countOf(restored);
      }
    }
    this.#sent = this.#reached();
  }

  #align(barrier: BarrierSignal): void {
    this.#output.barrier(barrier);
    this.#behind = 0;
    const waiting = this.#inputs.map((input) => {
      const { behind } = input;
      input.barrier = false;
      input.behind = [];
      return behind;
    });
    for (const signals of waiting) for (const signal of signals) this.push(signal);
  }

  #release(): void {
    for (let next = this.#earliest(); next; next = this.#earliest()) {
      const { signal, offset, floor } = next.queue[0]!;
      const end = this.#runEnd(next, signal, offset, floor);
      const whole = end === countOf(signal.data);
      next.held -= end - offset;
      if (whole) next.queue.shift();
      else next.queue[0] = { signal, offset: end, floor: Math.max(floor, timeOf(signal.data, end - 1)) };
      this.#output.data(offset === 0 && whole ? signal : part(signal, offset, end));
    }
  }

  /** The input whose head goes next; undefined while one without a head could bring an earlier record. */
  #earliest(): Input | undefined {
    let first: Input | undefined;
    for (const input of this.#inputs) {
      if (input.queue.length > 0 && (!first || before(input, first))) first = input;
    }
    if (!first) return undefined;
    const key = headTime(first);
    for (const input of this.#inputs) if (input.queue.length === 0 && input.watermark < key) return undefined;
    return first;
  }

  /** How far the frames of a block go before another input's turn. */
  #runEnd(input: Input, signal: DataSignal, offset: number, floor: number): number {
    const count = countOf(signal.data);
    let end = offset + 1;
    let newest = Math.max(floor, timeOf(signal.data, offset));
    for (; end < count; end++) {
      newest = Math.max(newest, timeOf(signal.data, end));
      for (const other of this.#inputs) {
        if (other === input) continue;
        if (other.queue.length === 0 ? other.watermark < newest : !precedes(input, newest, other)) return end;
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

  /** Up to here nothing more can be released. */
  #reached(): number {
    let reached = Infinity;
    for (const input of this.#inputs) {
      reached = Math.min(reached, input.queue.length > 0 ? headTime(input) - 1 : input.watermark);
    }
    return reached;
  }
}

class Input {
  readonly name: string;
  readonly index: number;
  watermark = -Infinity;
  /** The newest event time so far: later records count as no earlier. */
  newest = -Infinity;
  queue: { readonly signal: DataSignal; readonly offset: number; readonly floor: number }[] = [];
  held = 0;
  barrier = false;
  behind: Signal[] = [];

  constructor(name: string, index: number) {
    this.name = name;
    this.index = index;
  }

  add(signal: DataSignal): void {
    const floor = Math.max(this.newest, this.watermark + 1);
    this.queue.push({ signal, offset: 0, floor });
    const count = countOf(signal.data);
    this.held += count;
    this.newest = floor;
    for (let index = 0; index < count; index++)
      this.newest = Math.max(this.newest, timeOf(signal.data, index));
  }
}

interface KeptInput {
  readonly name: string;
  readonly watermark: number;
  readonly newest: number;
  readonly queue: readonly { readonly data: Portable; readonly floor: number }[];
}

const headTime = ({ queue }: Input): number =>
  Math.max(queue[0]!.floor, timeOf(queue[0]!.signal.data, queue[0]!.offset));

const rank = (input: Input): number => PORTS.indexOf(input.queue[0]!.signal.data.port);

const before = (a: Input, b: Input): boolean => precedes(a, headTime(a), b);

/** A record at `time` of the head block of `a` goes before the head of `b`. */
function precedes(a: Input, time: number, b: Input): boolean {
  const other = headTime(b);
  if (time !== other) return time < other;
  return rank(a) === rank(b) ? a.index < b.index : rank(a) < rank(b);
}

const rest = (signal: DataSignal, offset: number): DataSignal =>
  offset === 0 ? signal : part(signal, offset, countOf(signal.data));

function part(signal: DataSignal, start: number, end: number): DataSignal {
  const { data } = signal;
  return data.port === 'csi' ? { ...signal, data: sliceBlock(data, start, end) } : signal;
}
