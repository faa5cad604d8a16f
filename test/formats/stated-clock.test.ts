import { expect, test } from 'vitest';
import { csiJsonLines } from '../../pipeline/formats/json/csi-json.js';
import { RawBuilder } from '../../pipeline/formats/index.js';
import { cutAll } from './cut.js';

const START = Date.parse('2026-03-01T08:00:00Z');

/** A file of lines that state these times, seconds after {@link START}. */
const fileOf = (stated: readonly number[]): Buffer =>
  Buffer.from(
    stated
      .map((s) => `{"timestamp":"${new Date(START + s * 1000).toISOString()}","antenna_data":[]}\n`)
      .join(''),
  );

const secondsOf = (time: number): number => Math.round(time / 1e3 - START) / 1e3;

/** Times of the records, seconds after {@link START}, and the line and code of each problem. */
function read(stated: readonly number[]) {
  const { records, problems } = cutAll(fileOf(stated), 1000, csiJsonLines)!;
  return {
    times: records.map(({ time }) => secondsOf(time)),
    problems: problems.map(({ code, location }) => `${/line \d+/.exec(location)?.[0]} ${code}`),
  };
}

/** The same of a file that is being written, after each of its lines. */
function readGrowing(stated: readonly number[]) {
  const file = fileOf(stated);
  const { cutter } = csiJsonLines.open(file);
  const builder = new RawBuilder(1000, 'live', -Infinity, undefined, true);
  let offset = 0;
  for (let end = file.indexOf('\n') + 1; end > 0; end = file.indexOf('\n', end) + 1)
    offset += cutter.cut(file.subarray(offset, end), builder, offset, false);
  const problems = builder.takeProblems();
  const { time } = builder.take();
  return { times: [...time].map(secondsOf), problems: problems.map(({ code }) => code) };
}

const range = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index);

test.each([
  ['come once in some minutes', [0, 200, 400, 600], [0, 200, 400, 600]],
  ['are a little out of order', [0, 1, 0.5, 2], [0, 1, 1, 2]],
  ['pause for a day', [0, 1, 86_400, 86_401], [0, 1, 86_400, 86_401]],
])('no line is skipped or reported if the lines of a file %s', (_, stated, expected) => {
  expect(read(stated)).toEqual({ times: expected, problems: [] });
});

test.each([
  ['at first', [1e8, 0, 1, 2], [0, 0, 1, 2], [1]],
  ['two at first', [1e8, 1e8 + 1, 0, 1, 2], [0, 0, 0, 1, 2], [1, 2]],
  ['ahead', [0, 1, 1e5, 2, 3], [0, 1, 1, 2, 3], [3]],
  ['two ahead', [0, 1, 1e5, 1e5 + 1, 2, 3, 4], [0, 1, 1, 1, 2, 3, 4], [3, 4]],
  ['behind', [0, 1, -1e5, 2, 3], [0, 1, 1, 2, 3], [3]],
  ['at last, behind', [0, 1, -1e5], [0, 1, 1], [3]],
  ['among rare ones', [0, 200, 1e6, 400, 600], [0, 200, 200, 400, 600], [3]],
])('wrong times are reported, and change no other line: %s', (_, stated, times, lines) => {
  expect(read(stated)).toEqual({ times, problems: lines.map((line) => `line ${line} csi-json.time`) });
});

test.each([
  ['joined logs', [3600, 3601, 3602, 0, 1, 2, 3], [3600, 3601, 3602, 3602.05, 3603.05, 3604.05, 3605.05], 4],
  ['a clock set back by 30 s', [100, 101, 71, 72, 73], [100, 101, 101.05, 102.05, 103.05], 3],
])('times that go back continue, and are reported: %s', (_, stated, times, line) => {
  expect(read(stated)).toEqual({ times, problems: [`line ${line} csi-json.clock`] });
});

test('a pause after a clock was set back is a pause', () => {
  const tenths = (from: number, count: number) => range(0, count).map((tenth) => from + tenth / 10);
  const { times, problems } = read([...tenths(0, 5), ...tenths(-1.6, 8), ...tenths(0.2, 14)]);
  expect(problems).toEqual(['line 6 csi-json.clock']);
  expect(times[13]! - times[12]!).toBeCloseTo(1.1);
  expect(new Set(times).size).toBe(27);
});

test('a late line of one of two senders does not move event time ahead to the other clock', () => {
  const lines = range(0, 40).flatMap((tenth) => [tenth / 10, tenth / 10 - 1.45]);
  const late = lines.splice(40, 1);
  const { times, problems } = read([...lines.slice(0, 46), ...late, ...lines.slice(46)]);
  expect(problems).toEqual(['line 2 csi-json.clock']);
  expect(times.at(-1)).toBeCloseTo(3.9);
});

test('a second log of an hour earlier has times of its own', () => {
  const { times, problems } = read([...range(3600, 100), ...range(0, 1000)]);
  expect(new Set(times).size).toBe(1100);
  expect(problems).toEqual(['line 101 csi-json.clock']);
});

test.each([
  ['ahead', [0, 500, 501, 1, 502, 2, 503, 3], [0, 0, 1, 1, 2, 2, 3, 3]],
  ['far behind', [0, -500, 1, -499, 2, -498], [0, 0, 1, 1, 2, 2]],
  ['a little behind', [0, -30, 1, -29, 2, -28], [0, 0, 1, 1, 2, 2]],
])('lines of a router whose clock is %s are shifted to those of others', (_, stated, times) => {
  expect(read(stated)).toEqual({ times, problems: ['line 2 csi-json.clock'] });
});

test('a growing file whose first line states a wrong time does not keep that time', () => {
  const { times, problems } = readGrowing([1e5, 0, 1, 2, 3, 4]);
  expect(times).toEqual([1e5, 1e5 + 0.05, 1e5 + 1.05, 1e5 + 2.05, 1e5 + 3.05, 1e5 + 4.05]);
  expect(problems).toEqual(['csi-json.clock']);
});

test('a growing file continues after two wrong times', () => {
  expect(readGrowing([0, 1e5, 1e5 + 1, ...range(1, 10)])).toEqual({
    times: [0, 0, 0, ...range(1, 10)],
    problems: ['csi-json.time', 'csi-json.time'],
  });
});

test('a line of a growing file that comes after a pause waits for two more', () => {
  expect(readGrowing([0, 1, 200, 201]).times).toEqual([0, 1]);
  expect(readGrowing([0, 1, 200, 201, 202])).toEqual({ times: [0, 1, 200, 201, 202], problems: [] });
});

test('what is known of clocks survives a restart', () => {
  const [before, after] = [csiJsonLines.open(fileOf([0])), csiJsonLines.open(fileOf([0]))];
  const builder = new RawBuilder(1000, 'replay');
  before.cutter.cut(fileOf([...range(3600, 3), ...range(0, 3)]), builder, 0, true);
  after.cutter.restore(JSON.parse(JSON.stringify(before.cutter.snapshot())));
  after.cutter.cut(fileOf([3, 4]), builder, 0, true);
  expect([...builder.take().time].map(secondsOf)).toEqual([
    ...range(3600, 3),
    ...range(0, 5).map((s) => 3602.05 + s),
  ]);
});

test('a checkpoint of an earlier version, without offsets, is read', () => {
  const { cutter } = csiJsonLines.open(fileOf([0]));
  const state = cutter.snapshot() as { readonly clock: object };
  cutter.restore({ ...state, clock: { time: START * 1e3 + 5e6 } });
  const builder = new RawBuilder(1000, 'replay');
  cutter.cut(fileOf([6, 7]), builder, 0, true);
  expect([...builder.take().time].map(secondsOf)).toEqual([6, 7]);
});
