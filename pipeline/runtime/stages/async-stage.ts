import { Observable, type Subscriber } from 'rxjs';
import type { Operator, Output } from '../../component/index.js';
import type { Data } from '../../model/index.js';
import type { ShedLog } from '../../state/index.js';
import type { Host, NodeRun } from '../nodes/host.js';
import { isOn } from '../../config/topology/topology.js';
import { OperatorStage, thrown, type OperatorSnapshot } from './operator-stage.js';
import { LoadShedder, type Shedding } from './shedding/load-shedder.js';
import { InOrder, type Waiting, type Work } from './shedding/work.js';
import type { DataSignal, Signal, Stage } from '../signals/signal.js';

/**
 * Lifts an operator whose `process` returns promises: at most `maxInFlight` in flight, results in the order
 * of the records.
 * @param shedding null: work that it cannot do in time holds the sources back
 */
export const asynchronous =
  (
    run: NodeRun,
    operator: Operator,
    host: Host,
    snapshot: OperatorSnapshot | undefined,
    maxInFlight: number,
    shedding: Shedding | null,
  ): Stage =>
  (input) =>
    new Observable((out) =>
      input.subscribe(new AsyncStage(run, operator, host, out, snapshot, maxInFlight, shedding)),
    );

/** A slot in the ordered output: a record and its result, or a mark waiting for its turn. */
type Slot =
  | Work
  | { readonly kind: 'watermark'; time: number; received: number }
  | { readonly kind: 'mark'; readonly emit: () => void };

/** Records per allowed record in flight before the gate is shut. */
const QUEUE_FACTOR = 4;
/** Slots, mostly marks, before the gate is shut. */
const SLOTS = 65_536;

/** Marks queue in the ordered output, so a barrier needs no drain. */
class AsyncStage extends OperatorStage {
  readonly #maxInFlight: number;
  readonly #waiting: Waiting;
  readonly #log: ShedLog | null;
  readonly #slots: Slot[] = [];
  #inFlight = 0;
  /** Records among the slots that must not be shed. */
  #required = 0;
  /** Numbers of the newest record received and the newest sent. */
  #came: number;
  #sent: number;

  constructor(
    run: NodeRun,
    operator: Operator,
    host: Host,
    out: Subscriber<Signal>,
    snapshot: OperatorSnapshot | undefined,
    maxInFlight: number,
    shedding: Shedding | null,
  ) {
    super(run, operator, host, out, snapshot);
    this.#maxInFlight = maxInFlight;
    this.#came = this.#sent = snapshot?.records ?? 0;
    this.#log = shedding?.log ?? null;
    this.#waiting = shedding ? new LoadShedder(run, host, shedding, maxInFlight) : new InOrder(maxInFlight);
  }

  override complete(): void {
    this.#waiting.end();
    super.complete();
  }

  protected override data(signal: DataSignal): void {
    this.countIn(signal.data);
    const arrived = this.host.clock.elapsed();
    const work: Work = {
      kind: 'work',
      number: ++this.#came,
      signal,
      arrived,
      lateMs: 0,
      began: arrived,
      tookMs: 0,
      isRequired: true,
      result: undefined,
    };
    this.#slots.push(work);
    this.#waiting.put(work);
    if (work.isRequired) this.#required++;
    this.#proceed();
  }

  protected override watermark(time: number, received: number): void {
    const last = this.#slots.at(-1);
    if (last?.kind === 'watermark') Object.assign(last, { time, received });
    else this.#slots.push({ kind: 'watermark', time, received });
    this.#proceed();
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

  protected override passed(epoch: number, snapshot: OperatorSnapshot): void {
    if (!this.#log) super.passed(epoch, snapshot);
    else
      this.host.passed(this.run, epoch, { ...snapshot, records: this.#sent }, this.#log.barrier(this.#sent));
  }

  #mark(emit: () => void): void {
    this.#slots.push({ kind: 'mark', emit });
    this.#proceed();
  }

  #proceed(): void {
    while (this.#inFlight < this.#waiting.limit) {
      const work = this.#waiting.take();
      if (!work) break;
      this.#start(work);
    }
    this.#emitReady();
    this.run.meter.queueDepth = this.#waiting.size + this.#inFlight;
    if (this.#required > this.#maxInFlight * QUEUE_FACTOR || this.#slots.length > SLOTS)
      this.host.gate.shut(this.run.id);
    else if (this.#required <= this.#maxInFlight * 2) this.host.gate.release(this.run.id);
  }

  #start(work: Work): void {
    const signal = work.signal!;
    const began = (work.began = this.host.clock.elapsed());
    this.#inFlight++;
    const done = (result: Output<Data>) => {
      const took = (work.tookMs = this.host.clock.elapsed() - began);
      work.result = this.checked(signal.data, result);
      this.#waiting.done(took, this.#inFlight);
      this.#inFlight--;
      this.run.meter.operatorSeconds += took / 1000;
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
    for (let slot = this.#slots[0]; slot && isReady(slot); slot = this.#slots[0]) {
      this.#slots.shift();
      if (slot.kind === 'mark') slot.emit();
      else if (slot.kind === 'watermark') super.watermark(slot.time, slot.received);
      else this.#emitWork(slot);
    }
  }

  #emitWork(work: Work): void {
    if (work.isRequired) this.#required--;
    this.#sent = work.number;
    const signal = work.signal && this.#waiting.isWanted(work) ? work.signal : null;
    this.#log?.decided(work.number, signal === null);
    if (signal) this.#emitResult(signal, work.arrived, work.result!);
  }

  #emitResult(signal: DataSignal, arrived: number, result: Output<Data>): void {
    const { traces } = this.run;
    const ended = traces ? this.host.clock.elapsed() : 0;
    traces?.begin(signal, arrived);
    this.emit(this.#settled(signal, result), signal.received, 'process');
    traces?.end(ended, result.failed?.[0]?.reason);
  }

  #settled(signal: DataSignal, result: Output<Data>): Output<Data> {
    try {
      return this.operator.settle ? this.checked(signal.data, this.operator.settle(result)) : result;
    } catch (error) {
      return thrown(signal.data, error);
    }
  }
}

const isReady = (slot: Slot): boolean =>
  slot.kind !== 'work' || slot.signal === null || slot.result !== undefined;
