/** A sampled frame on its way through a topology. It travels beside records, never in them. */
export interface Trace {
  /** 16 bytes as hexadecimal digits. */
  readonly id: string;
  /** The last span it was in: the parent of the next. 8 bytes as hexadecimal digits. */
  readonly span: string;
  /** Event time of the frame, microseconds. */
  readonly time: number;
  /**
   * Microseconds since 1970 where the monotonic clock is 0, as it was when the trace began. All spans of the
   * trace use it, because the wall clock may be set between two of them.
   */
  readonly origin: number;
}

/** What a node did with a sampled frame. */
export interface Span {
  readonly trace: string;
  readonly id: string;
  /** Null for the first span of a trace. */
  readonly parent: string | null;
  /** `windows hold`: the node, then what it did. */
  readonly name: string;
  /** Microseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Why it failed, for people; null on success. */
  readonly error: string | null;
  /** Traces that merged into this one, or that it continues in: their id and span. */
  readonly links: readonly Pick<Trace, 'id' | 'span'>[];
}

/** Receives the spans of sampled frames. */
export interface Tracer {
  /** Share of frames that are traced, 0 to 1. */
  readonly ratio: number;
  /** Never waits and never throws: spans beyond the limit are dropped and counted. */
  record(span: Span): void;
}
