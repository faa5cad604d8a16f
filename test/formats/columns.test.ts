import { expect, it } from 'vitest';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { formatNamed } from '../../pipeline/formats/index.js';
import { encodeMeasurement } from '../../pipeline/formats/devices/intel/intel5300.js';
import {
  allocateBlock,
  csiLayout,
  LinkTable,
  sliceBlock,
  storedBlock,
  type CsiBlock,
} from '../../pipeline/model/index.js';
import { testContext, testEnvironment } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { batchOf } from './batches.js';

/** Frames that a decoder makes of one record. */
function decoded(format: string, bytes: Uint8Array): CsiBlock {
  const links = new LinkTable([format === 'adr018' ? testEnvironment : anySender]);
  const { context } = testContext({ links });
  return formatNamed(format).decoder(context).decode(batchOf({ bytes })).data[0] as CsiBlock;
}

const intel = (antennaSelection: number, rx: number): CsiBlock => {
  const header = { timestamp: 7_000_001, count: 5, rx, tx: 1, rssi: [30, 31, 32] as const, noise: -90 };
  const entry = encodeMeasurement(
    { ...header, agc: 33, antennaSelection, rate: 0x100 },
    new Float32Array(rx * 60),
  );
  return decoded('intel5300', entry.subarray(2));
};

it('an Intel 5300 provides its gain, clock, bits and connectors', () => {
  const block = intel(0b00_01_10, 3);
  expect(block).toMatchObject({
    deviceTime: Float64Array.of(7_000_001),
    agc: Float32Array.of(33, 33, 33),
    fftGain: Float32Array.of(NaN),
    bits: Uint8Array.of(8),
    antenna: Uint8Array.of(0, 1, 2),
    instance: Int32Array.of(-1),
  });
  expect(block.layout.measurement).toBe('channel-estimate');
});

it.each([
  [0b10, 1, [2]],
  [0b10_00, 2, [0, 2]],
  [0b01_01_01, 3, [255, 255, 255]],
])('connectors of antenna_sel %i with %i chains are %j', (selection, rx, expected) => {
  expect([...intel(selection, rx).antenna]).toEqual(expected);
});

it('an ADR-018 frame has the clock of its node if it has one', () => {
  const header = { node: 1, bins: 64, mhz: 2437, sequence: 1, rssi: -40, noise: -90 };
  const pairs = new Int8Array(128);
  expect(decoded('adr018', encodePairs(header, pairs)).deviceTime).toEqual(Float64Array.of(NaN));
  const stamped = encodePairs({ ...header, timestamp: 5_000_000_000n }, pairs);
  expect(decoded('adr018', stamped)).toMatchObject({
    deviceTime: Float64Array.of(5_000_000_000),
    bits: Uint8Array.of(8),
  });
});

it.each([1, 2, 3])('columns of a block with %i antennas do not overlap', (rx) => {
  const { subcarriers, ...rest } = intel(0, 1).layout;
  const block = allocateBlock(csiLayout({ ...rest, subcarriers, rx }), 5);
  const columns = Object.values(block).filter((column) => ArrayBuffer.isView(column)) as Float32Array[];
  expect(columns).toHaveLength(12);
  for (const [i, column] of columns.entries()) column.fill(i);
  for (const [i, column] of columns.entries()) expect(new Set(column)).toEqual(new Set([i]));
  expect([block.agc, block.antenna, block.time].map(({ length }) => length)).toEqual([5 * rx, 5 * rx, 5]);
});

it('a block is cut and copied with all of its columns', () => {
  const block = storedBlock(intel(0b10_01_00, 3), [0, 0, 0]);
  block.agc.set([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(sliceBlock(block, 1, 2).agc).toEqual(Float32Array.of(4, 5, 6));
  expect(storedBlock(block, [2, 0])).toMatchObject({ count: 2, agc: Float32Array.of(7, 8, 9, 1, 2, 3) });
});
