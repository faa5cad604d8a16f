type Zstd = typeof import('@bokuweb/zstd-wasm');
let loading: Promise<Zstd> | undefined;

/** Compiled once per process. */
export function loadZstd(): Promise<Zstd> {
  loading ??= (async () => {
    const library = await import('@bokuweb/zstd-wasm');
    await library.init();
    return library;
  })();
  return loading;
}
