/** Data sent into it becomes visible together with the checkpoint of its epoch, or never. */
export interface Transaction {
  /** Resolves when the other side has them. Waits until the checkpoint of the previous epoch is written. */
  send(epoch: number, topic: string, messages: readonly TransactionMessage[]): Promise<void>;
}

export interface TransactionMessage {
  /** Messages with the same key stay in order. */
  readonly key: string;
  readonly value: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly timestamp?: number;
}
