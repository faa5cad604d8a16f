import fc from 'fast-check';
import type { Measure, SensedEvent } from '../../pipeline/model/index.js';

export * from '../../pipeline/testing/kit/records.js';

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const wholeTime = fc.integer({ min: 0, max: 4_000_000_000_000_000 });
const provenance = fc.oneof(
  fc.constant({ origin: 'live' as const }),
  fc.record({
    origin: fc.constantFrom('live' as const, 'replay' as const, 'simulated' as const),
    model: fc.record({ name: text, version: text, trainedOn: text, accuracy: text }),
  }),
);

export const anyEvent: fc.Arbitrary<SensedEvent> = fc.record({
  port: fc.constant('event' as const),
  id: text,
  type: fc.constantFrom('fall_detection' as const, 'crowd' as const, 'zone_left' as const),
  severity: fc.constantFrom('low' as const, 'critical' as const),
  environment: fc.constant('test-room'),
  time: wholeTime,
  confidence: finite,
  person: fc.option(fc.nat()),
  location: fc.option(fc.record({ x: finite, y: finite, z: finite })),
  metadata: fc.dictionary(
    text.filter((key) => key !== '__proto__'),
    fc.oneof(finite, text, fc.boolean()),
    { noNullPrototype: true },
  ),
  source: text,
  provenance,
});

export const anyMeasure: fc.Arbitrary<Measure> = fc.record({
  port: fc.constant('measure' as const),
  name: text,
  environment: fc.constant('test-room'),
  subject: fc.option(text),
  time: wholeTime,
  value: finite,
  source: text,
  provenance,
});
