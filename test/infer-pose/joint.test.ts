import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { halfOf, halvesOf, writeArrays } from '../../bench/joint/arrays-file.js';
import { inTurn, TABLES } from '../../bench/joint/rooms.js';
import { playRoom } from '../../bench/memory/courses.js';
import { echoOf } from '../../bench/shared/echoes.js';

// Files for training both networks together, and which rooms they hold. bench/joint/check.py compares the networks.

test.each([
  [0, 0x0000],
  [1, 0x3c00],
  [-2, 0xc000],
  [0.1, 0x2e66],
  [1 + 2 ** -11, 0x3c00],
  [1 + 3 * 2 ** -11, 0x3c02],
  [65504, 0x7bff],
  [2 ** -14, 0x0400],
  [2 ** -24, 0x0001],
  [-(2 ** -26), 0x8000],
])('%d has the nearest 16-bit float, even where two are as near', (value, bits) => {
  expect(halfOf(value)).toBe(bits);
});

test('what is too large for a 16-bit float is refused', () => {
  expect(() => halfOf(65520)).toThrow(RangeError);
});

test('a file begins with a head that says where each array is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-test-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, '1.room');
  writeArrays(
    path,
    { seed: 1 },
    {
      features: { values: halvesOf(Float32Array.of(1, -2, 0)), shape: [1, 3] },
      row: { values: Int32Array.of(-1, 7), shape: [2, 1] },
      size: { values: Float32Array.of(5.5, 4), shape: [2] },
    },
  );
  const file = readFileSync(path);
  const length = file.readUInt32LE(0);
  expect((4 + length) % 8).toBe(0);
  const head = JSON.parse(file.toString('utf8', 4, 4 + length)) as unknown;
  expect(head).toEqual({
    seed: 1,
    arrays: [
      { name: 'features', type: '<f2', shape: [1, 3], at: 0 },
      { name: 'row', type: '<i4', shape: [2, 1], at: 8 },
      { name: 'size', type: '<f4', shape: [2], at: 16 },
    ],
  });
  const at = 4 + length;
  expect([0, 2, 4].map((offset) => file.readUInt16LE(at + offset))).toEqual([0x3c00, 0xc000, 0]);
  expect([8, 12].map((offset) => file.readInt32LE(at + offset))).toEqual([-1, 7]);
  expect([16, 20].map((offset) => file.readFloatLE(at + offset))).toEqual([5.5, 4]);
  expect(file.length).toBe(at + 24);
});

test('rooms of all tables have seeds of their own, none of a report', () => {
  const seeds = Object.values(TABLES).flatMap((table) => inTurn(table).map(({ seed }) => seed));
  expect(new Set(seeds).size).toBe(seeds.length);
  expect(seeds.filter((seed) => seed >= 900_000 && seed < 2_000_000)).toEqual([]);
  const earlier = [...inTurn(TABLES.training), ...inTurn(TABLES.watched)].map(({ seed }) => seed);
  expect(Math.max(...earlier)).toBeLessThan(900_000);
});

test.each(['echoes', 'calibrated'] as const)('a room follows `%s` of its table', (setting) => {
  const [seed] = inTurn(TABLES.echoes).flatMap((room) => (echoOf(room.seed) > 6 ? [room.seed] : []));
  const [yes, no] = [true, false].map((value) => playRoom(seed!, { kind: 'walk', [setting]: value }));
  expect(yes!.asked.length).toBe(no!.asked.length);
  expect(yes!.asked[9]!.request).not.toEqual(no!.asked[9]!.request);
});

test('any beginning of a table has all rows in proportion', () => {
  const rooms = inTurn(TABLES.training);
  const shareOf = (some: typeof rooms) => some.filter(({ device }) => device).length / some.length;
  expect(shareOf(rooms.slice(0, 500))).toBeCloseTo(shareOf(rooms), 1);
  expect(shareOf(rooms)).toBeCloseTo(0.31, 1);
});

test('a third of the rooms with echoes of all strengths has usual ones, the others -4 to 14 dB', () => {
  const echoes = inTurn(TABLES.echoes).map(({ seed }) => echoOf(seed));
  const others = echoes.filter((echo) => echo !== 0);
  expect(1 - others.length / echoes.length).toBeCloseTo(0.35, 1);
  expect(Math.min(...others)).toBeCloseTo(-4, 0);
  expect(Math.max(...others)).toBeCloseTo(14, 0);
});
