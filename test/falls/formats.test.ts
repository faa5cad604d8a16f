import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeMeasurement,
  parseMeasurement,
  scaleFactor,
  unpackCsi,
} from '../../pipeline/formats/devices/intel/intel5300.js';
import { entries } from '../../pipeline/formats/devices/intel/intel5300-log.js';
import {
  encodeLine,
  esp32Serial,
  esp32SerialLog,
} from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import { RawBuilder } from '../../pipeline/formats/contract/raw-builder.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext, testEnvironment } from '../support/context.js';
import type { MatValue } from '../../pipeline/formats/tables/mat-value.js';
import { readMat } from '../../pipeline/formats/tables/mat5.js';
import { sharedFile } from '../support/shared.js';

const numeric = (value: MatValue | undefined) => {
  if (value?.kind !== 'numeric') throw new Error('expected numbers');
  return value;
};
const cells = (value: MatValue | undefined) => {
  if (value?.kind !== 'cell') throw new Error('expected a cell array');
  return value.cells;
};

describe.skipIf(sharedFile('captures/intel5300') === undefined)('Intel 5300 against MATLAB', () => {
  it.each(['example', 'log.all_csi.6.7.6'])('%s: raw equal, scaled within rounding', (name) => {
    const { variables } = readMat(readFileSync(sharedFile(`captures/intel5300/${name}.mat`)!));
    const raw = cells(variables.get('csi'));
    const scaled = cells(variables.get('csi_scaled'));
    let index = 0;
    let rawError = 0;
    let scaledError = 0;
    for (const entry of entries(readFileSync(sharedFile(`captures/intel5300/${name}.dat`)!))) {
      const m = parseMeasurement(entry);
      if (typeof m === 'string') throw new Error(m);
      const record = raw[index]!;
      if (record.kind !== 'struct') throw new Error('expected a struct');
      const expected = numeric(record.elements[0]!['csi']);
      const expectedScaled = numeric(scaled[index]);
      const values = new Float64Array(m.rx * m.tx * 60);
      unpackCsi(m, values);
      const factor = scaleFactor(
        m,
        values.reduce((sum, value) => sum + value * value, 0),
      );
      for (let r = 0; r < m.rx; r++) {
        for (let t = 0; t < m.tx; t++) {
          for (let g = 0; g < 30; g++) {
            const ours = ((r * m.tx + t) * 30 + g) * 2;
            const theirs = (g * m.rx + r) * m.tx + t;
            for (const [part, offset] of [
              ['re', 0],
              ['im', 1],
            ] as const) {
              const value = values[ours + offset]!;
              rawError = Math.max(rawError, Math.abs(value - expected[part]![theirs]!));
              scaledError = Math.max(scaledError, Math.abs(factor * value - expectedScaled[part]![theirs]!));
            }
          }
        }
      }
      index++;
    }
    expect(index).toBe(raw.length);
    expect(rawError).toBe(0);
    expect(scaledError).toBeLessThan(5e-14);
  });
});

describe('Intel 5300', () => {
  it('decodes what it encodes', () => {
    const antennas = fc.integer({ min: 1, max: 3 });
    fc.assert(
      fc.property(
        antennas,
        antennas,
        fc.integer({ min: 0, max: 63 }),
        fc.infiniteStream(fc.integer({ min: -128, max: 127 })),
        (rx, tx, antennaSelection, stream) => {
          const values = Float64Array.from({ length: rx * tx * 60 }, () => stream.next().value as number);
          const fields = {
            timestamp: 7,
            count: 3,
            rx,
            tx,
            rssi: [30, 31, 32] as const,
            noise: -90,
            agc: 20,
            antennaSelection,
            rate: 0x100,
          };
          const measurement = parseMeasurement(encodeMeasurement(fields, values).subarray(2));
          if (typeof measurement === 'string') throw new Error(measurement);
          const back = new Float64Array(values.length);
          unpackCsi(measurement, back);
          expect(back).toEqual(values);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('ESP32 serial log', () => {
  const environments = [{ ...testEnvironment, links: [{ ...testEnvironment.links[0]!, sender: '*' }] }];

  /** Blocks of a log that arrives in pieces of these sizes. */
  function decode(bytes: Uint8Array, pieces: () => number = () => bytes.length): CsiBlock[] {
    const { context } = testContext({ environments, links: new LinkTable(environments) });
    const { cutter } = esp32SerialLog.open(bytes);
    const decoder = esp32Serial.decoder(context);
    const blocks: CsiBlock[] = [];
    let from = 0;
    for (let to = 0; from < bytes.length;) {
      to = Math.min(bytes.length, to + pieces());
      const builder = new RawBuilder(64, 'replay');
      const taken = cutter.cut(bytes.subarray(from, to), builder, from, to === bytes.length);
      for (const data of decoder.decode(builder.take()).data) if (data.port === 'csi') blocks.push(data);
      from += taken;
      if (taken === 0 && to === bytes.length) break;
    }
    return blocks;
  }

  const byte = fc.integer({ min: -128, max: 127 });
  const pairs = fc.array(byte, { minLength: 104, maxLength: 104 });
  const frames = fc.array(fc.record({ rssi: fc.integer({ min: -100, max: -1 }), values: pairs }), {
    minLength: 1,
    maxLength: 20,
  });

  it('decodes what it encodes, among other lines and in pieces of any size', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1 }), (given, sizes) => {
        const lines = given.flatMap(({ rssi, values }, i) => [
          `I (${i}) wifi: something else`,
          encodeLine({ sequence: i, timeMs: 10 * i, rssi }, [values]),
        ]);
        let piece = 0;
        const blocks = decode(Buffer.from(lines.join('\n') + '\n'), () => sizes[piece++ % sizes.length]!);
        const columns = <T>(of: (block: CsiBlock) => Iterable<T>) =>
          blocks.flatMap((block) => [...of(block)]);
        expect(columns(({ values }) => values)).toEqual(given.flatMap(({ values }) => values));
        expect(columns(({ rssi }) => rssi)).toEqual(given.map(({ rssi }) => rssi));
        expect(columns(({ time }) => time)).toEqual(given.map((_, i) => 10_000 * i));
        expect(columns(({ sequence }) => sequence)).toEqual(given.map((_, i) => i));
      }),
      { numRuns: 50 },
    );
  });

  it('never fails on random text, and accepts the good line after it', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('CSIRAW', '128', '256', '-40', '4294967296', 'ff'.repeat(128), ''),
      fc.integer().map(String),
    );
    const junk = fc.oneof(
      fc.array(word, { maxLength: 7 }).map((words) => words.join(' ')),
      fc.array(word, { maxLength: 7 }).map((words) => `CSIRAW ${words.join(' ')}`),
      fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    );
    const good = encodeLine({ sequence: 7, timeMs: 4_000_000_000, rssi: -40 }, [Array<number>(104).fill(77)]);
    fc.assert(
      fc.property(fc.array(junk, { maxLength: 5 }), (lines) => {
        const blocks = decode(Buffer.from([...lines, good, ''].join('\n'), 'latin1'));
        const last = blocks.at(-1)!;
        expect([...last.values.subarray(-104)]).toEqual(Array<number>(104).fill(77));
      }),
      { numRuns: 200 },
    );
  });
});
