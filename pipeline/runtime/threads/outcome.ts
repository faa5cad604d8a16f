import type { Subject } from 'rxjs';
import type { Data } from '../../model/index.js';
import type { Log } from '../../telemetry/log.js';
import type { Host, NodeRun } from '../nodes/host.js';
import type { Signal } from '../signals/signal.js';
import type { NodeMeter } from '../../telemetry/node-meter.js';
import type { Figure, NodeNews, ThreadEvent } from './messages.js';

export interface OutcomeOptions {
  readonly host: Host;
  readonly run: (node: string) => NodeRun;
  readonly output: (node: string) => Subject<Signal>;
  /** A replayed record by its number. */
  readonly replayed: (number: number) => Data | undefined;
  readonly onPassed: (node: string) => void;
  readonly log: Log;
}

/** Does here what has happened in a thread: its nodes look as if they ran on this one. */
export class Outcome {
  readonly #options: OutcomeOptions;
  readonly #news = new Map<string, NodeNews>();

  constructor(options: OutcomeOptions) {
    this.#options = options;
  }

  /** The last of a node; undefined before its first record. */
  of(node: string): NodeNews | undefined {
    return this.#news.get(node);
  }

  learn(news: NodeNews): void {
    const run = this.#options.run(news.id);
    const described = news.described ?? this.#news.get(news.id)?.described;
    this.#news.set(news.id, { ...news, ...(described && { described }) });
    run.meter.receivedTotal += news.received;
    run.meter.sentTotal += news.sent;
    run.meter.operatorSeconds += news.seconds;
    run.watermark = news.watermark;
    run.lastRecord = news.lastRecord;
  }

  happened(event: ThreadEvent): void {
    const { host, log } = this.#options;
    if (event.kind === 'log') log[event.level](event.message, event.fields);
    else if (event.kind === 'fail') host.fail(new Error(event.message));
    else this.#happenedTo(this.#options.run(event.node), event);
  }

  #happenedTo(run: NodeRun, event: Exclude<ThreadEvent, { kind: 'log' | 'fail' }>): void {
    const { host, output, onPassed } = this.#options;
    switch (event.kind) {
      case 'signal':
        output(event.node).next(event.signal);
        break;
      case 'passed':
        host.passed(run, event.epoch, event.snapshot);
        onPassed(event.node);
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
        : { ...failure, record: this.#options.replayed(replayed) ?? failure.record },
    );
    this.#options.host.failures(run, stage, known);
  }
}

function add(meter: NodeMeter, [name, ...values]: Figure): void {
  (meter[name] as (...values: readonly unknown[]) => void)(...values);
}
