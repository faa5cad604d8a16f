/** A stream of bytes from a device or a program. */
export interface ByteInput {
  /** Ends, or throws, when no more data can arrive, and also when it is closed. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Resolves when the other side is known to exist, even before the first byte. */
  readonly isThere: boolean;
  /** Why the input ended, for a person; called after `bytes` has ended. @param error what it threw */
  reason(error: unknown): Promise<string>;
  /** Resolves when everything that was opened or started is closed. */
  close(): Promise<void>;
}

/** An input that cannot be opened: what is wrong, and how to fix it. */
export class InputError extends Error {
  /** False if retrying is pointless until a person changes something. */
  readonly retriable: boolean;

  constructor(message: string, retriable: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'InputError';
    this.retriable = retriable;
  }
}
