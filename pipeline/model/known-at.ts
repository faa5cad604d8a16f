import type { Data } from './ports.js';

/** Event time at which record `index` of `data` became known: fan-in orders by it. */
export function knownAt(data: Data, index = 0): number {
  switch (data.port) {
    case 'csi':
      return data.time[index] ?? 0;
    case 'window':
      return data.start + data.step * data.points;
    case 'pose':
      return data.windowEnd;
    case 'event':
    case 'measure':
      return data.time;
  }
}

/** Whether it can be the event time of a record: microseconds that a date can express. Checks what comes from plain JavaScript. */
export const isEventTime = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) <= LATEST_US;

const LATEST_US = 8.64e18;
