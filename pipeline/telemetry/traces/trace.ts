/** A sampled frame on its way through a topology. It travels beside records, never in them. */
export interface Trace {
  /** 16 bytes as hexadecimal digits. */
  readonly id: string;
  /** The span that it was in last: the parent of the next one. 8 bytes as hexadecimal digits. */
  readonly span: string;
  /** Event time of the frame, microseconds. */
  readonly time: number;
  /**
   * Microseconds since 1970 where the monotonic clock is 0, as it was when the trace began. It places all spans of
   * the trace: the wall clock may be set between two of them.
   */
  readonly origin: number;
}

/** What a node did with a sampled frame. */
export interface Span {
  readonly trace: string;
  readonly id: string;
  /** Null for the first one of a trace. */
  readonly parent: string | null;
  /** `windows hold`: the node, then what it did. */
  readonly name: string;
  /** Microseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Why it failed, for a person; null where it did not. */
  readonly error: string | null;
  /** Traces that this one was joined by, or goes on in: their id and span. */
  readonly links: readonly Pick<Trace, 'id' | 'span'>[];
}

/** Takes the spans of sampled frames. */
export interface Tracer {
  /** Share of frames that are followed, 0 to 1. */
  readonly ratio: number;
  /** Never waits and never throws: what finds no room is dropped and counted. */
  record(span: Span): void;
}
