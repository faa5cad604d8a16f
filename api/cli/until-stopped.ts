export interface Stop {
  readonly signal: AbortSignal;
  /** Whether an error ended the work because of the signal; others may still come after it, such as a full disk. */
  caused(error: unknown): boolean;
  /** Call it at the end. */
  release(): void;
}

/** Aborts at Ctrl-C, at SIGTERM, and after `seconds` if set. */
export function untilStopped(seconds?: number): Stop {
  const controller = new AbortController();
  const stop = () => {
    controller.abort();
  };
  const timer = seconds === undefined ? undefined : setTimeout(stop, seconds * 1000);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return {
    signal: controller.signal,
    caused: (error) => controller.signal.aborted && error === controller.signal.reason,
    release: () => {
      clearTimeout(timer);
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
