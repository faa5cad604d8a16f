/** A record that a node rejected, with the reason. */
export interface DeadLetter {
  readonly id: number;
  readonly node: string;
  /** `decode`, `process` or `write`. */
  readonly stage: string;
  readonly code: string;
  readonly reason: string;
  readonly record: unknown;
  /** When it failed last, microseconds since 1970. */
  readonly at: number;
  /** Epoch of its first failure. */
  readonly epoch: number;
  /** How often its node has rejected it. */
  readonly attempts: number;
  /** It was marked for replay, which happens at the next start at the latest. */
  readonly replayAsked: boolean;
  /** In a scaled-out topology: the partition whose shard has the node. */
  readonly partition?: number;
}

export interface LetterQuery {
  readonly node?: string;
  readonly limit?: number;
  readonly offset?: number;
}
