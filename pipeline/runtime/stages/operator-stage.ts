import { Observable, type Subscriber } from 'rxjs';
import { errorText } from '../../base/error-text.js';
import type { Operator, Output } from '../../component/index.js';
import { NOTHING } from '../../component/index.js';
import { knownAt, type Data } from '../../model/index.js';
import { FanIn } from '../signals/fan-in.js';
import type { Host, NodeRun } from '../nodes/host.js';
import { reanchor } from '../shared/move-times.js';
import { atOnce, outputFault } from '../shared/returned.js';
import { isOn } from '../../config/topology/topology.js';
import { countOf, newestOf, type DataSignal, type Signal, type Stage } from '../signals/signal.js';

/** Held records above which the pump reads from the source that is furthest behind, or waits for it. */
const HELD_LIMIT = 20_000;

/** Held records above which the pump waits, whatever the sources are: an input is stalled. */
const SHUT_LIMIT = 10 * HELD_LIMIT;

/** State of a node with inputs, as its checkpoint stores it. */
export interface OperatorSnapshot {
  readonly own: unknown;
  readonly fanIn: unknown;
  readonly watermark: number;
  readonly forwarded: number;
  /** Number of processed records, if the node may shed some. */
  readonly records?: number;
}

/** Lifts an operator whose `process` is synchronous into the streams. */
export const synchronous =
  (run: NodeRun, operator: Operator, host: Host, snapshot: OperatorSnapshot | undefined): Stage =>
  (input) =>
    new Observable((out) => input.subscribe(new OperatorStage(run, operator, host, out, snapshot)));

/** Shared by synchronous and asynchronous operators: fan-in, marks, failures, counting. */
export class OperatorStage {
  protected readonly run: NodeRun;
  protected readonly operator: Operator;
  protected readonly host: Host;
  readonly #out: Subscriber<Signal>;
  readonly #fanIn: FanIn;
  /** Watermarks: reported to the operator, and sent on. */
  #watermark = -Infinity;
  #forwarded = -Infinity;

  constructor(
    run: NodeRun,
    operator: Operator,
    host: Host,
    out: Subscriber<Signal>,
    snapshot: OperatorSnapshot | undefined,
  ) {
    this.run = run;
    this.operator = operator;
    this.host = host;
    this.#out = out;
    this.#fanIn = new FanIn(
      run.node.inputs.map(({ from }) => from),
      {
        data: (signal) => {
          this.data(signal);
        },
        watermark: (time, received) => {
          this.watermark(time, received);
        },
        barrier: ({ epoch, received }) => {
          this.barrier(epoch, received, this.#fanIn.snapshot(host.links));
        },
        reanchor: ({ by, received }) => {
          this.reanchor(by, received);
        },
      },
      true,
    );
    run.heldBack = () => this.#fanIn.heldBack;
    if (snapshot) this.#restore(snapshot);
  }

  /** An error thrown while the graph is built would reach streams that nobody handles errors of yet. */
  #restore(snapshot: OperatorSnapshot): void {
    const { host, run } = this;
    try {
      atOnce('restore', this.operator.restore?.(snapshot.own));
    } catch (error) {
      host.fail(new Error(`${run.id} could not restore its state: ${errorText(error)}`, { cause: error }));
      return;
    }
    this.#fanIn.restore(snapshot.fanIn, host.links, host.clock.elapsed());
    this.#watermark = snapshot.watermark;
    this.#forwarded = snapshot.forwarded;
    run.watermark = snapshot.forwarded;
  }

  next(signal: Signal): void {
    this.#fanIn.push(signal);
    if (this.run.node.inputs.length > 1) this.#bound();
  }

  complete(): void {
    this.#out.complete();
  }

  error(error: unknown): void {
    this.#out.error(error);
  }

  protected data(signal: DataSignal): void {
    this.countIn(signal.data);
    if (!isOn(this.run.node)) {
      this.emit(this.passedBy(signal.data), signal.received, 'process');
      return;
    }
    // Before each record the operator receives its time as a watermark, so that its timed actions happen at
    // the same point however records and marks arrive.
    if (this.operator.watermark) this.tell(knownAt(signal.data) - 1, signal.received);
    const started = this.host.clock.elapsed();
    this.run.traces?.begin(signal, started);
    const output = this.process(signal);
    const ended = this.host.clock.elapsed();
    this.run.meter.operatorSeconds += (ended - started) / 1000;
    this.emit(output, signal.received, 'process');
    this.run.traces?.end(ended, output.failed?.[0]?.reason);
  }

  protected watermark(time: number, received: number): void {
    this.tell(time, received);
    const forward = this.held(time);
    if (forward <= this.#forwarded) return;
    this.#forwarded = forward;
    this.run.watermark = forward;
    this.#out.next({ kind: 'watermark', time: forward, from: this.run.id, received });
  }

  protected barrier(epoch: number, received: number, fanIn: unknown): void {
    let own: unknown;
    try {
      own = atOnce('snapshot', this.operator.snapshot?.());
    } catch (error) {
      this.host.fail(
        new Error(`${this.run.id} could not take a snapshot of its state: ${errorText(error)}`, {
          cause: error,
        }),
      );
      return;
    }
    const snapshot: OperatorSnapshot = { own, fanIn, watermark: this.#watermark, forwarded: this.#forwarded };
    this.passed(epoch, snapshot);
    this.#out.next({ kind: 'barrier', epoch, from: this.run.id, received });
  }

  protected passed(epoch: number, snapshot: OperatorSnapshot): void {
    this.host.passed(this.run, epoch, snapshot);
  }

  /** Event time jumps: closes what is aligned to the time grid, and moves the rest of the state. */
  protected reanchor(by: number, received: number): void {
    const { component } = this.run.node;
    try {
      const closed = component.kind === 'operator' && reanchor(component, this.operator, by);
      if (closed) this.emit(this.checked(null, closed), received, 'process');
    } catch (error) {
      this.host.fail(
        new Error(`${this.run.id} could not follow the clock: ${errorText(error)}`, { cause: error }),
      );
      return;
    }
    this.#watermark = this.#forwarded = this.run.watermark = -Infinity;
    if (this.run.lastRecord !== null) this.run.lastRecord += by;
    this.#out.next({ kind: 'reanchor', by, from: this.run.id, received });
  }

  /** Reports to the operator that event time has reached `time`. */
  protected tell(time: number, received: number): void {
    if (time <= this.#watermark) return;
    this.#watermark = time;
    if (!this.operator.watermark || !isOn(this.run.node)) return;
    const started = this.host.clock.elapsed();
    const output = this.atTime(time);
    const ended = this.host.clock.elapsed();
    this.run.meter.operatorSeconds += (ended - started) / 1000;
    this.emit(output, received, 'process');
    this.run.traces?.end(ended);
  }

  protected emit(output: Output<Data>, received: number, stage: string): void {
    const { data, routes, failed } = output;
    if (failed && failed.length > 0) this.host.failures(this.run, stage, failed);
    else this.run.failedInRow = 0;
    for (const [index, record] of data.entries()) {
      this.run.meter.sentTotal += countOf(record);
      this.run.meter.show?.(record);
      const trace = this.run.traces?.of(record);
      const route = routes?.[index];
      this.#out.next({
        kind: 'data',
        data: record,
        from: this.run.id,
        received,
        ...(route !== undefined && { route }),
        ...(trace && { trace }),
      });
    }
  }

  /** A disabled node passes a record if the node itself could have produced it. */
  protected passedBy(data: Data): Output<Data> {
    const { component } = this.run.node;
    return component.kind === 'operator' && component.outputs.includes(data.port)
      ? { data: [data] }
      : NOTHING;
  }

  protected countIn(data: Data): void {
    this.run.meter.receivedTotal += countOf(data);
    this.run.lastRecord = Math.max(this.run.lastRecord ?? -Infinity, newestOf(data));
  }

  /** The output, unless it is none: then its record becomes a dead letter, and nothing of it goes on. */
  protected checked(record: Data | null, output: Output<Data> | Promise<Output<Data>>): Output<Data> {
    const fault = outputFault(this.run.node.component, output);
    return fault === null ? (output as Output<Data>) : failedOutput(record, 'operator.output', fault);
  }

  private process(signal: DataSignal): Output<Data> {
    try {
      return this.checked(signal.data, this.operator.process(signal.data, signal.from));
    } catch (error) {
      return thrown(signal.data, error);
    }
  }

  private atTime(time: number): Output<Data> {
    try {
      return this.checked(null, this.operator.watermark!(time));
    } catch (error) {
      return thrown(null, error);
    }
  }

  private held(time: number): number {
    if (time === Infinity || !isOn(this.run.node)) return time;
    try {
      return atOnce('holdWatermark', this.operator.holdWatermark?.(time)) ?? time;
    } catch (error) {
      this.emit(thrown(null, error), this.host.clock.elapsed(), 'process');
      return -Infinity;
    }
  }

  #bound(): void {
    this.run.meter.queueDepth = this.#fanIn.held;
    const { held, behindBarrier } = this.#fanIn;
    this.run.crowded = held > HELD_LIMIT;
    if (held > SHUT_LIMIT) {
      this.host.gate.shut(this.run.id);
      this.run.problems.set(
        'stands_still',
        `it holds ${held} records because one of its inputs is stalled: ${this.run.node.inputs.map(({ from }) => from).join(', ')}`,
      );
    } else {
      this.run.problems.set('stands_still', null);
      if (behindBarrier > HELD_LIMIT) this.host.gate.shut(this.run.id);
      else this.host.gate.release(this.run.id);
    }
  }
}

/** A throwing operator does not end the stream: its record becomes a dead letter. */
export const thrown = (record: Data | null, error: unknown): Output<never> =>
  failedOutput(
    record,
    'operator.threw',
    `the operator threw an error, which it must not do for any input: ${errorText(error)}`,
  );

const failedOutput = (record: Data | null, code: string, reason: string): Output<never> => ({
  ...NOTHING,
  failed: [{ record, code, reason, retriable: false }],
});
