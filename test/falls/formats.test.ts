import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeMeasurement,
  entries,
  parseMeasurement,
  scaleFactor,
  unpackCsi,
} from '../../pipeline/formats/intel5300.js';
import { readMat, type MatValue } from '../support/mat5.js';
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
    const variables = readMat(readFileSync(sharedFile(`captures/intel5300/${name}.mat`)!));
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
