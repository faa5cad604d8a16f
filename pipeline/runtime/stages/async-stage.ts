import { Observable, type Subscriber } from 'rxjs';
import type { Operator, Output } from '../../component/index.js';
import type { Data } from '../../model/index.js';
import type { Host, NodeRun } from '../host.js';
import { isOn } from '../live.js';
import { OperatorStage, thrown, type KeptOperator } from './operator-stage.js';
import type { DataSignal, Signal, Stage } from './signal.js';

/** Lifts an operator whose `process` returns promises: at most `maxInFlight` under way, results in the order of the records. */
export const asynchronous =
  (
    run: NodeRun,
    operator: Operator,
    host: Host,
    kept: KeptOperator | undefined,
    maxInFlight: number,
  ): Stage =>
  (input) =>
    new Observable((out) => input.subscribe(new AsyncStage(run, operator, host, out, kept, maxInFlight)));

/** A place in the ordered output: a record and its result, or a mark that waits for its turn. */
type Slot = Work | { readonly kind: 'mark'; readonly emit: () => void };

interface Work {
  readonly kind: 'work';
  readonly signal: DataSignal;
  /** Monotonic milliseconds. */
  readonly arrived: number;
  result: Output<Data> | undefined;
}

/** Slots for each record that may be under way, until the gate is shut. */
const QUEUE_FACTOR = 4;

/** Marks queue in the ordered output, so nothing has to drain for a barrier. */
class AsyncStage extends OperatorStage {
  readonly #maxInFlight: number;
  readonly #slots: Slot[] = [];
  /** Slots before this one were started. */
  #started = 0;
  #inFlight = 0;
  /** Records among the slots. */
  #records = 0;

  constructor(
    run: NodeRun,
    operator: Operator,
    host: Host,
    out: Subscriber<Signal>,
    kept: KeptOperator | undefined,
    maxInFlight: number,
  ) {
    super(run, operator, host, out, kept);
    this.#maxInFlight = maxInFlight;
  }

  protected override data(signal: DataSignal): void {
    this.countIn(signal.data);
    this.#slots.push({ kind: 'work', signal, arrived: this.host.clock.elapsed(), result: undefined });
    this.#records++;
    this.#proceed();
  }

  protected override watermark(time: number, received: number): void {
    this.#mark(() => {
      super.watermark(time, received);
    });
  }

  protected override barrier(epoch: number, received: number, fanIn: unknown): void {
    this.#mark(() => {
      super.barrier(epoch, received, fanIn);
    });
  }

  protected override reanchor(by: number, received: number): void {
    this.#mark(() => {
      super.reanchor(by, received);
    });
  }

  #mark(emit: () => void): void {
    this.#slots.push({ kind: 'mark', emit });
    this.#proceed();
  }

  #proceed(): void {
    for (; this.#started < this.#slots.length && this.#inFlight < this.#maxInFlight; this.#started++) {
      const slot = this.#slots[this.#started]!;
      if (slot.kind === 'work') this.#start(slot);
    }
    this.#emitReady();
    this.run.meter.queueDepth = this.#records;
    if (this.#records > this.#maxInFlight * QUEUE_FACTOR) this.host.gate.shut(this.run.id);
    else if (this.#records <= this.#maxInFlight * 2) this.host.gate.release(this.run.id);
  }

  #start(slot: Work): void {
    const { signal } = slot;
    const began = this.host.clock.elapsed();
    this.#inFlight++;
    const done = (result: Output<Data>) => {
      slot.result = result;
      this.#inFlight--;
      this.run.meter.operatorSeconds += (this.host.clock.elapsed() - began) / 1000;
      this.#proceed();
    };
    let answer: Promise<Output<Data>>;
    try {
      answer = Promise.resolve(
        isOn(this.run.node) ? this.operator.process(signal.data, signal.from) : this.passedBy(signal.data),
      );
    } catch (error) {
      answer = Promise.resolve(thrown(signal.data, error));
    }
    answer
      .catch((error: unknown) => thrown(signal.data, error))
      .then(done)
      .catch((error: unknown) => {
        this.host.fail(new Error(`the stage of ${this.run.id} failed`, { cause: error }));
      });
  }

  #emitReady(): void {
    while (this.#slots.length > 0 && this.#started > 0) {
      const slot = this.#slots[0]!;
      if (slot.kind === 'work' && !slot.result) break;
      this.#slots.shift();
      this.#started--;
      if (slot.kind === 'mark') slot.emit();
      else {
        this.#records--;
        this.#emitResult(slot.signal, slot.arrived, slot.result!);
      }
    }
  }

  #emitResult(signal: DataSignal, arrived: number, result: Output<Data>): void {
    const { traces } = this.run;
    const ended = traces ? this.host.clock.elapsed() : 0;
    traces?.begin(signal, arrived);
    this.emit(result, signal.received, 'process');
    traces?.end(ended, result.failed?.[0]?.reason);
  }
}
