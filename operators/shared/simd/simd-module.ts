/** As far as it is used here: Node's types do not declare it. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

const PAGE_BYTES = 65_536;

/** The memory of an instance. Growing it detaches all arrays over its buffer. */
export interface SimdMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): void;
}

/** Makes a memory at least this large. */
export function reserve(memory: SimdMemory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
}

/**
 * A kernel: a function in WebAssembly with SIMD instructions, written in AssemblyScript and compiled by `npm run
 * simd`. It is made ready for the processor when it is first used.
 * @typeParam Exports what the module exports beside its memory
 */
export class SimdModule<Exports> {
  readonly #code: string;
  #module: object | undefined;
  #shared: (Exports & { readonly memory: SimdMemory }) | undefined;

  /** @param code base64 */
  constructor(code: string) {
    this.#code = code;
  }

  /** The instance of all callers in this thread that leave nothing in its memory from one call to the next. */
  get shared(): Exports & { readonly memory: SimdMemory } {
    return (this.#shared ??= this.instantiate());
  }

  /** An instance with a memory of its own. @throws Error if the processor has no SIMD */
  instantiate(): Exports & { readonly memory: SimdMemory } {
    const { exports } = new WebAssembly.Instance((this.#module ??= compile(this.#code)));
    return exports as Exports & { readonly memory: SimdMemory };
  }
}

function compile(code: string): object {
  try {
    return new WebAssembly.Module(Buffer.from(code, 'base64'));
  } catch (error) {
    throw new Error(
      'This processor has no SIMD for WebAssembly, which csiflow requires: use x86-64 with SSE 4.1, or ARM64.',
      { cause: error },
    );
  }
}
