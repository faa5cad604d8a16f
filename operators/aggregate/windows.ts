import type { Context } from '../../pipeline/component/index.js';
import { knownAt, type Measure, type Provenance } from '../../pipeline/model/index.js';
import { SeriesStates, type Result } from '../shared/record-series.js';
import {
  addTo,
  emptyPane,
  merged,
  needsValues,
  statisticsOf,
  type Pane,
  type Statistic,
} from './statistics.js';

/** Values of one series and hop that are held for quantiles. */
const MAX_VALUES = 10_000;
/** Values held for quantiles over all series: 8 MB. */
const MAX_ALL_VALUES = 1_000_000;

/** One series: its panes by their end, oldest first. */
interface Series {
  readonly environment: string;
  readonly subject: string | null;
  readonly provenance: Provenance;
  readonly panes: Map<number, Pane>;
}

type PaneState = Readonly<Omit<Pane, 'values'>> & { readonly values: readonly number[] };

export interface WindowsState {
  readonly closed: number | null;
  readonly series: readonly {
    readonly environment: string;
    readonly subject: string | null;
    readonly provenance: Provenance;
    readonly panes: readonly (readonly [end: number, pane: PaneState])[];
  }[];
}

/**
 * Windows of event time that overlap by whole hops. Values are collected per hop, in panes; a window consists
 * of several panes.
 */
export class Windows {
  readonly #length: number;
  readonly #hop: number;
  readonly #give: readonly Statistic[];
  readonly #withValues: boolean;
  readonly #context: Context;
  readonly #series: SeriesStates<Series>;
  /** End of the newest window that was output. */
  #closed: number | null = null;
  /**
   * End of the first window that has records and was not output; null: panes have changed, so it must be
   * searched for.
   */
  #next: number | null = null;
  /** Number of values held for quantiles. */
  #values = 0;

  /** Times in microseconds; `length` is a multiple of `hop`. */
  constructor(length: number, hop: number, give: readonly Statistic[], context: Context) {
    this.#length = length;
    this.#hop = hop;
    this.#give = give;
    this.#withValues = give.some(needsValues);
    this.#context = context;
    this.#series = new SeriesStates(context);
  }

  add(record: Result, value: number, subject: string | null): void {
    const end = (Math.floor(knownAt(record) / this.#hop) + 1) * this.#hop;
    if (this.#closed !== null && end <= this.#closed) {
      this.#context.metrics.dropped('late', 1);
      return;
    }
    const { environment, provenance } = record;
    const key = JSON.stringify([environment, subject]);
    const panes = this.#series.get(key)?.panes ?? new Map<number, Pane>();
    const pane = panes.get(end) ?? emptyPane();
    addTo(pane, record.time, value);
    if (this.#withValues) this.#keep(pane, value);
    panes.set(end, pane);
    this.#series.set(key, { environment, subject, provenance, panes });
    if (this.#next !== null) this.#next = Math.min(this.#next, this.#firstWith(end));
  }

  /** For quantiles. */
  #keep({ values }: Pane, value: number): void {
    if (values.length < MAX_VALUES && this.#values < MAX_ALL_VALUES) {
      values.push(value);
      this.#values++;
    } else this.#context.metrics.count('values_left_out', 1);
  }

  /** Event time restarts. */
  reset(): void {
    this.#series.clear();
    this.#closed = null;
    this.#next = null;
    this.#values = 0;
  }

  /** Measures of all windows that end at or before `time` (microseconds), ordered by time. */
  close(time: number, name: string): readonly Measure[] {
    const given: Measure[] = [];
    for (let end = this.#nextEnd(); end <= time + 1 && end < Infinity; end = this.#nextEnd()) {
      for (const series of this.#series.values()) given.push(...this.#measures(series, end, name));
      this.#forget(end);
      this.#closed = end;
      this.#next = null;
    }
    return given;
  }

  /**
   * End of the first window that has records and was not output; Infinity if there is none. Read before each
   * record.
   */
  #nextEnd(): number {
    if (this.#next !== null) return this.#next;
    let next = Infinity;
    for (const { panes } of this.#series.values())
      for (const end of panes.keys()) next = Math.min(next, this.#firstWith(end));
    this.#next = next;
    return next;
  }

  /** End of the first open window that contains the pane ending at `end`. */
  #firstWith(end: number): number {
    return Math.max(end, (this.#closed ?? -Infinity) + this.#hop);
  }

  #measures(series: Series, end: number, name: string): readonly Measure[] {
    const within = [...series.panes].filter(([paneEnd]) => paneEnd > end - this.#length && paneEnd <= end);
    if (within.length === 0) return [];
    const { environment, subject, provenance } = series;
    return statisticsOf(merged(within.map(([, pane]) => pane)), this.#give).map(([statistic, value]) => ({
      port: 'measure',
      name: `${name}_${statistic}`,
      environment,
      subject,
      time: end,
      value,
      source: 'csiflow',
      provenance,
    }));
  }

  /** Panes that no later window contains. */
  #forget(end: number): void {
    this.#values = 0;
    for (const [key, { panes }] of [...this.#series.entries()]) {
      for (const [paneEnd, { values }] of panes) {
        if (paneEnd <= end + this.#hop - this.#length) panes.delete(paneEnd);
        else this.#values += values.length;
      }
      if (panes.size === 0) this.#series.delete(key);
    }
  }

  snapshot(): WindowsState {
    const series = Array.from(this.#series.values(), ({ panes, ...rest }) => ({
      ...rest,
      panes: Array.from(panes, ([end, pane]) => [end, { ...pane, values: [...pane.values] }] as const),
    }));
    return { closed: this.#closed, series };
  }

  restore({ closed, series }: WindowsState): void {
    this.reset();
    this.#closed = closed;
    for (const { panes, ...rest } of series)
      this.#series.set(JSON.stringify([rest.environment, rest.subject]), {
        ...rest,
        panes: new Map(panes.map(([end, pane]) => [end, { ...pane, values: [...pane.values] }])),
      });
    for (const { panes } of series) for (const [, { values }] of panes) this.#values += values.length;
  }
}
