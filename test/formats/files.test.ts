import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { FILE_FORMATS, FormatError, FORMATS } from '../../pipeline/formats/index.js';
import { testContext } from '../support/context.js';
import { batchesOf } from './batches.js';
import { cutAll } from './cut.js';

const anyRecord = fc.record({
  bytes: fc.uint8Array({ maxLength: 200 }),
  time: fc.integer({ min: 0, max: 2 ** 52 }),
  sender: fc.constantFrom('', '127.0.0.1:4000', '[::1]:80'),
});

describe('a capture', () => {
  it('returns what was written, in pieces of any size', () => {
    fc.assert(
      fc.property(
        fc.array(anyRecord, { maxLength: 40 }),
        fc.integer({ min: 1, max: 500 }),
        (records, piece) => {
          const sorted = [...records].sort((a, b) => a.time - b.time);
          const parts = batchesOf(sorted, 5).map(encodeRecords);
          const bytes = Buffer.concat([encodeHeader({ format: 'adr018', origin: 'replay' }), ...parts]);
          const cut = cutAll(bytes, piece)!;
          expect(cut.records).toEqual(sorted.map((record) => ({ ...record, bytes: [...record.bytes] })));
          expect(cut.problems).toEqual([]);
        },
      ),
    );
  });

  it('names its version if that is unknown', () => {
    const header = encodeHeader({ format: 'adr018', origin: 'replay' });
    header[8] = 9;
    expect(() => cutAll(header, 1000)).toThrow(/version 9/);
  });

  it('with a damaged header is rejected', () => {
    const header = encodeHeader({ format: 'adr018', origin: 'replay' });
    header[20]! ^= 1;
    expect(() => cutAll(header, 1000)).toThrow(FormatError);
  });
});

describe('bytes that are not a recording', () => {
  const damagedCapture = fc
    .tuple(
      fc.array(anyRecord, { minLength: 1, maxLength: 10 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5 }),
    )
    .map(([records, changes]) => {
      const header = encodeHeader({ format: 'adr018', origin: 'replay' });
      const bytes = Buffer.concat([header, ...batchesOf(records, 3).map(encodeRecords)]);
      for (const [at, value] of changes) bytes[header.length + (at % (bytes.length - header.length))] = value;
      return bytes;
    });
  const lines = fc
    .array(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc
          .record({ timestamp: fc.double(), node_id: fc.integer(), type: fc.constant('raw_csi') })
          .map((line) => JSON.stringify(line)),
      ),
    )
    .map((rest) =>
      Buffer.from(['{"timestamp": 1, "node_id": 1, "magic": "0xC5110001"}', ...rest].join('\n')),
    );

  it('are split without a crash or rejected, and the pieces are decoded without a crash', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ maxLength: 400 }), damagedCapture, lines),
        fc.integer({ min: 1, max: 300 }),
        (bytes, piece) => {
          try {
            const cut = cutAll(bytes, piece);
            for (const format of FORMATS) {
              const decoder = format.decoder(testContext().context);
              const records = (cut?.records ?? [{ bytes: [...bytes] }]).map((record) =>
                Uint8Array.from(record.bytes),
              );
              for (const raw of batchesOf(
                records.map((record) => ({ bytes: record })),
                4,
              ))
                decoder.decode(raw);
            }
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

it('every format and kind of file has a unique name', () => {
  for (const list of [FORMATS, FILE_FORMATS]) {
    expect(new Set(list.map(({ name }) => name)).size).toBe(list.length);
  }
});
