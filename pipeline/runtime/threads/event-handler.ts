import type { Subject } from 'rxjs';
import type { Log } from '../../telemetry/log.js';
import type { Host, NodeRun } from '../nodes/host.js';
import type { Signal } from '../signals/signal.js';
import type { NodeMeter } from '../../telemetry/node-meter.js';
import type { Figure, NodeUpdate, ThreadEvent } from './messages.js';
import type { Replayed } from './replayed.js';

export interface EventHandlerOptions {
  readonly host: Host;
  readonly run: (node: string) => NodeRun;
  readonly output: (node: string) => Subject<Signal>;
  readonly replayed: Replayed;
  /** Id of the last node of the thread. */
  readonly last: string;
  readonly log: Log;
}

/** How much of a node's processing time an answer later still counts. */
const FADING = 0.9;

/** Does here what has happened in a thread: its nodes look as if they ran on this one. */
export class EventHandler {
  readonly #options: EventHandlerOptions;
  readonly #updates = new Map<string, NodeUpdate>();
  /** Recent processing time of each node, seconds. */
  readonly #busy = new Map<string, number>();

  constructor(options: EventHandlerOptions) {
    this.#options = options;
  }

  /** The last of a node; undefined before its first record. */
  of(node: string): NodeUpdate | undefined {
    return this.#updates.get(node);
  }

  /** The node that the thread spends most time on; undefined before its first answer. */
  get busiest(): string | undefined {
    let [busiest, most]: [string | undefined, number] = [undefined, -Infinity];
    for (const [id, seconds] of this.#busy) if (seconds > most) [busiest, most] = [id, seconds];
    return busiest;
  }

  update(update: NodeUpdate): void {
    const run = this.#options.run(update.id);
    const described = update.described ?? this.#updates.get(update.id)?.described;
    this.#updates.set(update.id, { ...update, ...(described && { described }) });
    this.#busy.set(update.id, (this.#busy.get(update.id) ?? 0) * FADING + update.seconds);
    run.meter.receivedTotal += update.received;
    run.meter.sentTotal += update.sent;
    run.meter.operatorSeconds += update.seconds;
    run.watermark = update.watermark;
    run.lastRecord = update.lastRecord;
  }

  handle(event: ThreadEvent): void {
    const { host, log } = this.#options;
    if (event.kind === 'log') log[event.level](event.message, event.fields);
    else if (event.kind === 'fail') host.fail(new Error(event.message), event.final);
    else this.#handleOf(this.#options.run(event.node), event);
  }

  #handleOf(run: NodeRun, event: Exclude<ThreadEvent, { kind: 'log' | 'fail' }>): void {
    const { host, output, replayed, last } = this.#options;
    switch (event.kind) {
      case 'signal':
        output(event.node).next(event.signal);
        break;
      case 'passed':
        host.passed(run, event.epoch, event.snapshot);
        if (event.node === last) replayed.barrierPassed();
        break;
      case 'failures':
        this.#failed(run, event);
        break;
      case 'recovered':
        run.failedInRow = 0;
        break;
      case 'shown':
        run.meter.show?.(event.record);
        break;
      case 'problem':
        run.context.degrade(event.text);
        break;
      case 'figure':
        add(run.meter, event.figure);
    }
  }

  /** A replayed record is known by its identity. */
  #failed(run: NodeRun, { stage, failed }: ThreadEvent & { readonly kind: 'failures' }): void {
    const known = failed.map(({ replayed, ...failure }) =>
      replayed === undefined
        ? failure
        : { ...failure, record: this.#options.replayed.get(replayed) ?? failure.record },
    );
    this.#options.host.failures(run, stage, known);
  }
}

function add(meter: NodeMeter, [name, ...values]: Figure): void {
  (meter[name] as (...values: readonly unknown[]) => void)(...values);
}
