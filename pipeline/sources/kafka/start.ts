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
 * Returns the offset from which to read a partition. The checkpoint of this state applies unless another
 * member has read further. Offsets are committed after the checkpoint, so they may be behind it. If an older
 * state was restored, the offsets are ahead of the checkpoint, and the input in between is read again. An
 * offset that another member has committed takes precedence: that member counted what lies before it.
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
  // The topic was recreated, or a broker lost acknowledged messages.
  if (wanted > high) return { offset: otherwise === 'earliest' ? low : high, lost: 0 };
  return { offset: wanted, lost: 0 };
}
