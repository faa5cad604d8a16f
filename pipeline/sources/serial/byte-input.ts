/** Bytes that come one after the other, from a device or a program. */
export interface ByteInput {
  /** Ends, or throws, when nothing more can come; also when it is closed. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The other side is known to be there, before a byte has come. */
  readonly isThere: boolean;
  /** Why nothing more comes, for a person; asked when `bytes` has ended. @param error what it threw */
  reason(error: unknown): Promise<string>;
  /** Resolves when everything that was opened or started is gone. */
  close(): Promise<void>;
}

/** An input that cannot be opened: what is wrong, and how to fix it. */
export class InputError extends Error {
  /** False where trying again changes nothing until a person has done something. */
  readonly retriable: boolean;

  constructor(message: string, retriable: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'InputError';
    this.retriable = retriable;
  }
}

/** The system's code of an error: `ENOENT`. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
