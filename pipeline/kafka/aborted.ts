/** The part of kafkajs' decoded record that matters here. */
export interface FetchedRecord {
  readonly offset: string;
  readonly key: Buffer | null;
  readonly batchContext?: { readonly producerId: string; readonly inTransaction: boolean };
  /** kafkajs hides such records and continues behind them. */
  isControlRecord?: boolean;
}

export interface AbortedTransaction {
  readonly producerId: string;
  readonly firstOffset: string;
}

/**
 * Hides records of aborted transactions in a partition, as Kafka's own client does: the aborted transaction
 * of a producer reaches from its first offset to the producer's next abort marker. Brokers list transactions
 * by their end, so where several overlap the list must be sorted by their start first.
 */
export function hideAborted(records: readonly FetchedRecord[], aborted: readonly AbortedTransaction[]): void {
  if (aborted.length === 0) return;
  const starts = aborted
    .map(({ producerId, firstOffset }) => ({ producerId, first: BigInt(firstOffset) }))
    .sort((a, b) => (a.first < b.first ? -1 : 1));
  let begun = 0;
  const producers = new Set<string>();
  for (const record of records) {
    const offset = BigInt(record.offset);
    for (let next = starts[begun]; next && next.first <= offset; next = starts[++begun])
      producers.add(next.producerId);
    const { producerId, inTransaction = false } = record.batchContext ?? {};
    if (producerId === undefined || !producers.has(producerId)) continue;
    if (!record.isControlRecord) record.isControlRecord = inTransaction;
    else if (isAbortMarker(record)) producers.delete(producerId);
  }
}

/** A control record's key is its version and its type, two bytes each: 0 is an abort, 1 a commit. */
const isAbortMarker = ({ key }: FetchedRecord): boolean =>
  key !== null && key.length >= 4 && key.readInt16BE(2) === 0;
