import fc from 'fast-check';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import type { Reader, TimeRange } from '../../pipeline/component/index.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { testContext } from '../support/context.js';
import { temporaryFolder } from '../support/flow.js';
import { poseFrame, START } from '../support/records.js';

const [PEOPLE, SECOND, HOUR] = [2, 1e6, 3_600e6];
const DAYS = 30;

interface Stored {
  readonly time: number;
  readonly frameId: number;
  readonly epoch: number;
}

/** Frames of two people, one each second, from an hour on. */
const stretch = fc.record({
  hour: fc.integer({ min: 250, max: 999 }),
  frames: fc.integer({ min: 50, max: 600 }),
});
const question = fc.record({
  offset: fc.nat(4_000),
  limit: fc.integer({ min: 1, max: 40 }),
  /** Few, so that later steps find what earlier ones have counted. */
  from: fc.constantFrom(0, 400),
  hours: fc.constantFrom(100, 500, 1_000, Infinity),
});
/** Later steps may write earlier frames than the steps before. */
const step = fc.record({
  stretches: fc.array(stretch, { minLength: 1, maxLength: 3 }),
  rewinds: fc.boolean(),
  /** At least one: retention deletes once an hour. */
  hoursLater: fc.integer({ min: 1, max: 300 }),
  asked: fc.array(question, { minLength: 1, maxLength: 5 }),
});

/** Retention deletes the first stretch, after rows behind it were counted. */
const ASKED = [{ offset: 1_300, limit: 20, from: 0, hours: Infinity }];
const DELETED = [
  {
    stretches: [300, 900].map((hour) => ({ hour, frames: 600 })),
    rewinds: false,
    hoursLater: 1,
    asked: ASKED,
  },
  { stretches: [{ hour: 950, frames: 600 }], rewinds: false, hoursLater: 100, asked: ASKED },
];

test('pages and totals are those of all rows while others of any time are written, rewound and deleted', async () => {
  const folder = temporaryFolder();
  let files = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
      let hours = 1_000;
      const clock = { now: () => START + hours * HOUR, elapsed: () => hours * 3_600e3 };
      const { context } = testContext({ folder, stateFolder: join(folder, String(files)), clock });
      const path = `${files++}.duckdb`;
      const config = Value.Default(duckdb.config, { path, retention_days: DAYS });
      const sink = duckdb.create(config as never, context);
      await sink.open();
      try {
        let stored: Stored[] = [];
        let frameId = 0;
        for (const [epoch, { stretches, rewinds, hoursLater, asked }] of steps.entries()) {
          hours += hoursLater;
          for (const { hour, frames } of stretches) {
            const added = Array.from({ length: frames }, (_, index) => ({
              time: START + hour * HOUR + index * SECOND,
              frameId: frameId++,
              epoch,
            }));
            stored.push(...added);
            await sink.write(
              added.map(({ frameId: id, time }) => poseFrame(id, { time, people: PEOPLE })),
              epoch,
            );
          }
          await sink.flush();
          await sink.flush();
          stored = stored.filter(({ time }) => time >= clock.now() - DAYS * 24 * HOUR);
          for (const one of asked) await compare(sink.reader!, stored, one);
          if (!rewinds) continue;
          await sink.rewind!(epoch - 1);
          stored = stored.filter((one) => one.epoch < epoch);
          for (const one of asked) await compare(sink.reader!, stored, one);
        }
      } finally {
        await sink.close();
      }
    }),
    { numRuns: 4, seed: 14, examples: [[DELETED]] },
  );
});

async function compare(
  reader: Reader,
  stored: readonly Stored[],
  { offset, limit, from, hours }: { offset: number; limit: number; from: number; hours: number },
): Promise<void> {
  const start = START + from * HOUR;
  const end = start + hours * HOUR;
  const range: TimeRange = { environment: 'test-room', start, ...(hours < Infinity && { end }) };
  const frames = stored
    .filter(({ time }) => time >= start && time < end)
    .toSorted((a, b) => a.time - b.time || a.frameId - b.frameId);
  const persons = frames.flatMap(({ frameId }) =>
    Array.from({ length: PEOPLE }, (_, index) => `${frameId} ${index + 1}`),
  );
  // As the service asks for both, so that each finds what the other has counted.
  const [found, total] = await Promise.all([
    reader.persons({ ...range, offset, limit }),
    reader.countPersons(range),
  ]);
  const names = found.map(({ frameId, person }) => `${frameId} ${person.track?.id}`);
  expect(names).toEqual(persons.slice(offset, offset + limit));
  expect(total).toBe(persons.length);
  expect(await reader.countPoses(range)).toBe(frames.length);
  const last = Math.max(0, persons.length - limit);
  const atEnd = await reader.persons({ ...range, offset: last, limit });
  expect(atEnd.map(({ frameId, person }) => `${frameId} ${person.track?.id}`)).toEqual(persons.slice(last));
}
