import fc from 'fast-check';
import { expect } from 'vitest';
import { FILE_FORMATS, FormatError, formatNamed } from '../../pipeline/formats/index.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { batchesOf } from './batches.js';
import { cutAll } from './cut.js';
import type { Sample } from './samples.js';

const anyChange = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 400 }) }),
  fc.record({
    kind: fc.constant('insert' as const),
    at: fc.nat(),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  }),
);

/** Damaged bytes of the sample, or random bytes. */
const damagedBytes = (good: Buffer): fc.Arbitrary<Buffer> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 6,
      arbitrary: fc.array(anyChange, { minLength: 1, maxLength: 4 }).map((changes) => {
        let bytes = Buffer.from(good);
        for (const change of changes) {
          const at = change.at % Math.max(bytes.length, 1);
          if (change.kind === 'flip') bytes[at]! ^= 1 << change.bit;
          else {
            const rest = change.kind === 'cut' ? bytes.subarray(at + change.count) : bytes.subarray(at);
            const between = change.kind === 'cut' ? [] : [change.bytes];
            bytes = Buffer.concat([bytes.subarray(0, at), ...between, rest]);
          }
        }
        return bytes;
      }),
    },
  );

/** Decodes records and returns the number of frames. Throws if a value of a frame is out of bounds. */
function framesOf(format: string, records: readonly Uint8Array[]): number {
  const decoder = formatNamed(format).decoder(testContext({ links: new LinkTable([anySender]) }).context);
  let frames = 0;
  for (const raw of batchesOf(
    records.map((bytes) => ({ bytes })),
    5,
  ))
    for (const data of decoder.decode(raw).data) if (data.port === 'csi') frames += data.count;
  decoder.restore(structuredClone(decoder.snapshot()));
  return frames;
}

/**
 * Damaged input is cut and decoded without a crash or a hang, or rejected; each problem names its location;
 * no more records come out than bytes went in; the size of the pieces does not matter.
 */
export function checkDamage({ format, kind, records }: Sample, numRuns: number): void {
  const file = FILE_FORMATS.find(({ name }) => name === kind);
  fc.assert(
    fc.property(damagedBytes(Buffer.concat(records)), fc.integer({ min: 1, max: 3000 }), (bytes, piece) => {
      if (!file) {
        framesOf(format, [bytes, ...records]);
        return;
      }
      try {
        const cut = cutAll(bytes, Math.max(piece, bytes.length >> 6), file)!;
        expect(cut).toEqual(cutAll(bytes, bytes.length, file));
        const out = cut.records.reduce((sum, record) => sum + record.bytes.length, 0);
        expect(out).toBeLessThanOrEqual(bytes.length);
        for (const problem of cut.problems) expect(problem.location).toMatch(/^(byte|line|packet) \d/);
        framesOf(
          format,
          cut.records.map((record) => Uint8Array.from(record.bytes)),
        );
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
    }),
    { numRuns },
  );
}

/** Input after damage is read: every record of the sample except those next to garbage in the middle. */
export function checkRecovery({ format, kind, records }: Sample): void {
  const file = FILE_FORMATS.find(({ name }) => name === kind)!;
  const middle = records.length >> 1;
  const garbage = Buffer.from(Array.from({ length: 97 }, (_, i) => (i * 89 + 7) & 0x7f));
  const bytes = Buffer.concat([...records.slice(0, middle), garbage, ...records.slice(middle)]);
  const cut = cutAll(bytes, 1000, file)!;
  const frames = framesOf(
    format,
    cut.records.map((record) => Uint8Array.from(record.bytes)),
  );
  expect(frames).toBeGreaterThanOrEqual(records.length - 1);
  expect(frames).toBeLessThanOrEqual(records.length);
}
