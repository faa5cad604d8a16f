/**
 * `asked` resolves with the first Ctrl-C or SIGTERM; a second one ends the process immediately, and the next
 * start recovers.
 */
export function listenForStop(): { readonly asked: Promise<void>; forget(): void } {
  let ask: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    let before = false;
    ask = () => {
      if (before) process.exit(130);
      before = true;
      process.stderr.write('Stopping after a checkpoint; press again to end immediately.\n');
      resolve();
    };
  });
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, ask);
  return {
    asked,
    forget() {
      for (const signal of signals) process.off(signal, ask);
    },
  };
}
