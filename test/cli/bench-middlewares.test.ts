import { expect, test } from 'vitest';
import { busyTime, timeByMiddleware, type CpuProfile } from '../../bench/speed/system/middleware-times.js';

const ANSWERS = 'file:///csiflow/dist/api/rest/serving/answers.js';
const KOA = 'file:///csiflow/dist/packages/koa.js';
const LINES = ['export const identify = async (context, next) => {', '  context.set(id());', '};'];
const lineOf = (_url: string, line: number) => LINES[line] ?? '';

/** Nodes are `[id, url, line, children]`; each sample took 10 us. */
const profileOf = (
  nodes: readonly (readonly [id: number, url: string, line: number, children: readonly number[]])[],
  samples: readonly number[],
): CpuProfile => ({
  nodes: nodes.map(([id, url, lineNumber, children]) => ({
    id,
    callFrame: { functionName: url, url, lineNumber },
    children,
  })),
  samples,
  timeDeltas: samples.map(() => 10),
});

test('a sample belongs to the innermost middleware on its stack, also if Koa works for it', () => {
  const profile = profileOf(
    [
      [1, '(root)', 0, [2, 6]],
      [2, KOA, 0, [3]],
      [3, ANSWERS, 1, [4, 5]],
      [4, KOA, 7, []],
      [5, 'file:///csiflow/dist/packages/koa-cors.js', 0, []],
      [6, '(idle)', 0, []],
    ],
    [2, 3, 4, 4, 5, 6],
  );
  expect(timeByMiddleware(profile, lineOf)).toEqual([
    { part: 'answers.js: identify', us: 30 },
    { part: 'koa.js', us: 10 },
    { part: 'koa-cors.js', us: 10 },
  ]);
  expect(busyTime(profile)).toBe(50);
});
