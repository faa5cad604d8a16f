/** What is sent into it becomes visible together with the checkpoint of its epoch, or never. */
export interface Transaction {
  /** Resolves when the other side has them. Waits as long as the checkpoint of an earlier epoch is not written. */
  send(epoch: number, topic: string, messages: readonly TransactionMessage[]): Promise<void>;
}

export interface TransactionMessage {
  /** Messages of one key stay in order. */
  readonly key: string;
  readonly value: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly timestamp?: number;
}
