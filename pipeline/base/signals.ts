import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export type EndingSignal = (typeof SIGNALS)[number];

/** Calls a listener at Ctrl-C and SIGTERM, which then do not end the process. @returns ends that */
export function onSignals(listener: (signal: EndingSignal) => void): () => void {
  const listen = (signal: NodeJS.Signals): void => {
    listener(signal as EndingSignal);
  };
  for (const signal of SIGNALS) process.on(signal, listen);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listen);
  };
}

/** Ends the process as a signal does, with 128 and its number, but calls the listeners of `exit` first. */
export const exitBy = (signal: EndingSignal): never => process.exit(128 + constants.signals[signal]);
