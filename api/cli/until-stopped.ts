/** Aborts at Ctrl-C, at SIGTERM, and after `seconds` if set. Call `release` at the end. */
export function untilStopped(seconds?: number): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const stop = () => {
    controller.abort();
  };
  const timer = seconds === undefined ? undefined : setTimeout(stop, seconds * 1000);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
