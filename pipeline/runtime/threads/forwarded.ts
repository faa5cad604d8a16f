import type { Log } from '../../telemetry/log.js';
import { NodeMeter } from '../../telemetry/node-meter.js';
import type { Fields, ThreadEvent } from './messages.js';

type Report = (event: ThreadEvent) => void;

/** A log whose lines another thread writes. */
export class ForwardedLog implements Log {
  readonly #fields: Fields;
  readonly #report: Report;

  constructor(fields: Fields, report: Report) {
    this.#fields = fields;
    this.#report = report;
  }

  debug(message: string, fields: Fields = {}): void {
    this.#line('debug', message, fields);
  }

  info(message: string, fields: Fields = {}): void {
    this.#line('info', message, fields);
  }

  warn(message: string, fields: Fields = {}): void {
    this.#line('warn', message, fields);
  }

  error(message: string, fields: Fields = {}): void {
    this.#line('error', message, fields);
  }

  child(fields: Fields): Log {
    return new ForwardedLog({ ...this.#fields, ...fields }, this.#report);
  }

  #line(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: Fields): void {
    this.#report({ kind: 'log', level, message, fields: { ...this.#fields, ...fields } });
  }
}

/** Figures of a node that another thread adds to its own. */
export class ForwardedMeter extends NodeMeter {
  readonly #report: Report;

  constructor(topology: string, node: string, report: Report) {
    super(topology, node, () => undefined);
    this.#report = report;
  }

  override dropped(reason: string, count: number): void {
    this.#report({ kind: 'figure', node: this.node, figure: ['dropped', reason, count] });
  }

  override missing(count: number): void {
    this.#report({ kind: 'figure', node: this.node, figure: ['missing', count] });
  }

  override failed(stage: string, count: number): void {
    this.#report({ kind: 'figure', node: this.node, figure: ['failed', stage, count] });
  }

  override gauge(name: string, value: number, labels: Readonly<Record<string, string>> = {}): void {
    this.#report({ kind: 'figure', node: this.node, figure: ['gauge', name, value, labels] });
  }

  override count(name: string, value: number): void {
    this.#report({ kind: 'figure', node: this.node, figure: ['count', name, value] });
  }

  /** Totals since the last call. */
  take(): { readonly received: number; readonly sent: number; readonly seconds: number } {
    const totals = {
      received: this.receivedTotal,
      sent: this.sentTotal,
      seconds: this.operatorSeconds,
    };
    this.receivedTotal = this.sentTotal = this.operatorSeconds = 0;
    return totals;
  }
}
