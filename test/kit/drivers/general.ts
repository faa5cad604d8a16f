import type { Data } from '../../../pipeline/model/index.js';
import { measure, sensedEvent } from '../../support/records.js';

/** Forty events of two persons, with as many measures of two links between them: one record every 100 ms. */
export const eventsAndMeasures = (): readonly Data[] =>
  Array.from({ length: 80 }, (_, index) =>
    index % 2 === 0
      ? sensedEvent(index, { person: (index % 3) + 1, confidence: (index % 10) / 10 })
      : measure(index, { subject: `link-${(index % 3) + 1}` }),
  );

/** None has a time. */
export const timeless = (): readonly Data[] => [
  sensedEvent(-1, { time: NaN }),
  measure(-1, { time: NaN, value: NaN }),
  sensedEvent(-1, { time: Infinity, location: null, metadata: {} }),
];
