/** What Kafka stores for a partition of a group. */
export interface CommittedOffset {
  /** Null if nothing was committed. */
  readonly offset: number | null;
  /** Who committed it: see {@link startOf}. */
  readonly owner: string;
}

/** First offset that a partition still has, and the one that its next message gets. */
export interface OffsetLimits {
  readonly low: number;
  readonly high: number;
}

export interface Start {
  readonly offset: number;
  /** Messages that were deleted before they were read. */
  readonly lost: number;
}

/**
 * Where a partition is read from. The checkpoint of this state applies as long as no other member has read
 * on: offsets are committed after it, so they may be behind it; and where an older state was put back, they
 * are before it, and it is to be read again. An offset that another member has committed comes first: what
 * lies before that was counted there.
 */
export function startOf(
  restored: number | undefined,
  committed: CommittedOffset,
  owner: string,
  limits: OffsetLimits,
  otherwise: 'earliest' | 'latest',
): Start {
  const { low, high } = limits;
  const other = committed.offset !== null && committed.owner !== owner;
  const wanted = other ? committed.offset : (restored ?? committed.offset);
  if (wanted === null) return { offset: otherwise === 'earliest' ? low : high, lost: 0 };
  if (wanted < low) return { offset: low, lost: low - wanted };
  // The topic was recreated, or a broker has lost what it had acknowledged.
  if (wanted > high) return { offset: otherwise === 'earliest' ? low : high, lost: 0 };
  return { offset: wanted, lost: 0 };
}
