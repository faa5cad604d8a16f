import type { AnySource } from '../../component/index.js';
import type { Pattern } from '../schema/pattern.js';
import type { Location } from '../problems/problem.js';
import type { InlineRecord } from '../schema/test-schema.js';

/** A checked test, as `csiflow test` runs it. */
export interface CheckedTest {
  readonly name: string;
  readonly location: Location;
  /** By source. */
  readonly input: ReadonlyMap<string, TestInput>;
  /** By sink. */
  readonly faults: ReadonlyMap<string, SinkFaults>;
  /** How long sinks may retry after the end of the input, milliseconds. */
  readonly runOnMs: number;
  readonly expect: readonly Expectation[];
}

export type TestInput =
  | {
      readonly kind: 'source';
      readonly component: AnySource;
      readonly config: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'records'; readonly records: readonly InlineRecord[] };

/** The faults of a sink. */
export interface SinkFaults {
  readonly refuse: Pattern | null;
  /** Per record; null: always. */
  readonly refuseTimes: number | null;
  readonly retriable: boolean;
  readonly failWrites: number;
  readonly hangWrites: number;
  /** Milliseconds after the start of the input. */
  readonly away: { readonly fromMs: number; readonly toMs: number } | null;
}

export interface Expectation {
  readonly location: Location;
  readonly subject: Subject;
  /** Only matching records are considered; null: all. */
  readonly matching: Pattern | null;
  readonly rule: Rule;
}

export type Subject = RecordsOf | { readonly of: 'state' | 'has_been' };

export interface RecordsOf {
  readonly of: 'records' | 'dead_letters' | 'outbox' | 'figures';
  readonly node: string;
}

export type Rule =
  | { readonly rule: 'contains'; readonly pattern: Pattern; readonly within: Within | null }
  | { readonly rule: 'none' | 'every'; readonly pattern: Pattern }
  | { readonly rule: 'in_order'; readonly patterns: readonly Pattern[] }
  | { readonly rule: 'count'; readonly atLeast: number; readonly atMost: number }
  | { readonly rule: 'is'; readonly state: string };

/** The record is sent at most `ms` after the mark. */
export interface Within {
  readonly ms: number;
  readonly after: Mark;
}

export type Mark =
  | { readonly mark: 'own_time' }
  | { readonly mark: 'time'; readonly atMs: number }
  | { readonly mark: 'activity'; readonly source: string; readonly activity: string; readonly person: number }
  | { readonly mark: 'record'; readonly node: string; readonly pattern: Pattern };
