/** Memory for the arrays of one file, bytes; a small file can claim any number of zeros. */
export const MAX_ARRAY_BYTES = 1_073_741_824;

/** A file's arrays take up more memory than they may. */
export class AllowanceExceeded extends Error {
  constructor() {
    super(`its arrays take up more than ${MAX_ARRAY_BYTES} bytes in memory: split it, or record a capture`);
  }
}

/** What the arrays of one file may still take up in memory. */
export class Allowance {
  #left: number;

  constructor(bytes = MAX_ARRAY_BYTES) {
    this.#left = bytes;
  }

  /** Bytes. */
  get left(): number {
    return this.#left;
  }

  /** For zlib's functions: their error is then {@link isOverlong}. */
  get zlibOptions(): { readonly maxOutputLength: number } {
    return { maxOutputLength: Math.max(1, this.#left) };
  }

  /** @param numbers held as 64-bit floats @throws Error if they do not fit */
  takeNumbers(numbers: number): void {
    this.take(numbers * 8);
  }

  /** @throws Error if that many bytes do not fit */
  take(bytes: number): void {
    if (!(bytes <= this.#left)) throw this.exceeded();
    this.#left -= bytes;
  }

  exceeded(): AllowanceExceeded {
    return new AllowanceExceeded();
  }
}

/** True for the error of one of zlib's functions that would return more than its `maxOutputLength`. */
export const isOverlong = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
