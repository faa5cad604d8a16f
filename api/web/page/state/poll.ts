import { useSignal, useSignalEffect } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { link } from './live.js';
import { ageText } from './time.js';

export interface Polled<T> {
  readonly value: T | null;
  /** Why the newest try failed; empty: it did not. */
  readonly problem: string;
}

/**
 * Asks the service again and again while a view is shown and the service is connected; at once where something that
 * `ask` reads has changed. What was there stays while it cannot be had.
 */
export function usePolled<T>(ask: () => Promise<T>, everyMs: number): ReadonlySignal<Polled<T>> {
  const polled = useSignal<Polled<T>>({ value: null, problem: '' });
  useSignalEffect(() => {
    const { connected } = link.value;
    if (!connected) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (asked: Promise<T>): void => {
      asked
        .then(
          (value) => ({ value, problem: '' }),
          (error: unknown) => ({
            value: polled.peek().value,
            problem: error instanceof Error ? error.message : String(error),
          }),
        )
        .then((next) => {
          if (over) return;
          polled.value = next;
          timer = setTimeout(() => {
            again(ask());
          }, everyMs);
        }, reportError);
    };
    again(ask());
    return () => {
      over = true;
      clearTimeout(timer);
    };
  });
  return polled;
}

export const numberText = (value: number | null | undefined, digits = 0, unit = ''): string =>
  value === null || value === undefined ? '–' : `${value.toFixed(digits)}${unit}`;

/** How long ago, as of the newest record: recordings have times of their own. */
export const lagText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : ageText(milliseconds);
