import { useSignal, useSignalEffect } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { link } from './connection.js';
import { ageText } from './time.js';
import { errorText } from '../../../client/errors.js';

export interface Polled<T> {
  readonly value: T | null;
  /** Why the last attempt failed; empty if it succeeded. */
  readonly problem: string;
}

/** At least, after a request that failed: asking again at once would fail again. */
const FAILED_MS = 5_000;

/**
 * Polls the service while a view is visible and the service is connected, and immediately after a change of
 * anything that `ask` reads. Earlier data stays visible while requests fail; they are repeated
 * every five seconds.
 */
export function usePolled<T>(
  ask: () => Promise<T>,
  everyMs: number | (() => number),
): ReadonlySignal<Polled<T>> {
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
            problem: errorText(error),
          }),
        )
        .then((next) => {
          if (over) return;
          polled.value = next;
          const usual = typeof everyMs === 'number' ? everyMs : everyMs();
          const wait = next.problem === '' ? usual : Math.max(usual, FAILED_MS);
          timer = setTimeout(() => {
            again(ask());
          }, wait);
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

/** Age relative to the newest record: recordings have their own times. */
export const lagText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : ageText(milliseconds);
