import { signal } from '@preact/signals';

const TICK_MS = 500;

/** Milliseconds since 1970, updated twice per second for displayed ages. */
export const now = signal(Date.now());

setInterval(() => {
  now.value = Date.now();
}, TICK_MS);

/** `12 s`, `3 min`, `5 h`. */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** The time of day, with the date if it is not today. */
export function timeText(time: string | number): string {
  const when = new Date(time);
  const today = when.toDateString() === new Date(now.peek()).toDateString();
  return today ? when.toLocaleTimeString() : when.toLocaleString();
}
