import { describe, expect, test } from 'vitest';
import {
  failedText,
  figuresOf,
  isFailing,
  pressureIn,
  type Counted,
} from '../../api/web/page/topology/figures.js';

const START = Date.parse('2026-01-01T00:00:00Z');

/** After `seconds`: a source, and a sink that has received `received` records, the last at the start. */
const after = (seconds: number, received: number, queued = 0): Counted => ({
  asked: START + seconds * 1000,
  nodes: [
    node('air', 'source', seconds, seconds * 50),
    { ...node('alerts', 'sink', 0, received), queue_depth: queued },
  ],
});

const node = (id: string, kind: 'source' | 'sink', last: number, records: number) => ({
  ...{ id, kind, received: records, sent: records, dropped: {}, queue_depth: 0, undelivered: 0 },
  last_record: new Date(START + last * 1000).toISOString(),
  lag_ms: null as number | null,
});

test('a sink that receives nothing is idle, not behind; one with waiting records is behind', () => {
  const lagOf = (now: Counted, before: Counted | null) => figuresOf(now, before).get('alerts')!.lagMs;
  expect(lagOf(after(60, 1), after(58, 1))).toBeNull();
  expect(lagOf(after(60, 1, 3), after(58, 1))).toBe(60_000);
  expect(lagOf(after(60, 2), after(58, 1))).toBe(60_000);
  expect(lagOf(after(60, 1), null)).toBe(60_000);
});

test('a source that has fallen silent is behind', () => {
  const now = { ...after(60, 1), nodes: [node('air', 'source', 0, 9), node('other', 'source', 60, 99)] };
  const figures = figuresOf(now, now);
  expect(figures.get('air')!.lagMs).toBe(60_000);
});

test('a candidate of a fall that rested is not lost, and a late frame is', () => {
  const { nodes, ...counted } = after(60, 1);
  const lostWith = (dropped: Record<string, number>) =>
    figuresOf({ ...counted, nodes: nodes.map((node) => ({ ...node, dropped })) }, null).get('alerts')!.lost;
  expect(lostWith({ resting: 1, nobody_there: 2 })).toBe(0);
  expect(lostWith({ resting: 1, late: 3 })).toBe(3);
});

test('while the dead letters are unknown a failed record stays marked, and none is said to be left or gone', () => {
  expect([null, 2, 0].map((letters) => isFailing(1, letters))).toEqual([true, true, false]);
  expect([null, 2, 0].map(failedText)).toEqual([
    'failed since the start',
    'failed: see the dead letters',
    'failed since the start; no dead letter is left',
  ]);
});

test('a source is as late as the clock says, though no record is newer than its own', () => {
  const { nodes, ...counted } = after(60, 1);
  const late = { ...counted, nodes: nodes.map((node) => ({ ...node, lag_ms: 4200 })) };
  expect(figuresOf(late, null).get('air')!.lagMs).toBe(4200);
});

describe('a machine that is too slow', () => {
  const at = (seconds: number, source: { dropped?: Record<string, number>; lag_ms?: number | null }) => ({
    ...{ status: 'degraded', asked: START + seconds * 1000 },
    nodes: [{ ...node('air', 'source', 0, 100), dropped: {}, queue_depth: 90, ...source }],
  });

  test('drops records that it has no time for', () => {
    const before = at(0, { dropped: { stale: 10, unknown_sender: 5 }, lag_ms: 2000 });
    const now = at(10, { dropped: { stale: 210, unknown_sender: 500 }, lag_ms: 2000 });
    expect(pressureIn(now, before)).toEqual({ source: 'air', droppedPerS: 20, behindS: 2 });
  });

  test('falls behind, which nobody knows of a recording or a stopped topology', () => {
    const [before, now] = [at(0, { lag_ms: 1000 }), at(10, { lag_ms: 9000 })];
    expect(pressureIn(now, before)).toEqual({ source: 'air', droppedPerS: 0, behindS: 9 });
    expect(pressureIn({ ...now, status: 'stopped' }, before)).toBeNull();
    expect(pressureIn(now, null)).toBeNull();
    expect(pressureIn(at(10, { lag_ms: null }), at(0, { lag_ms: null }))).toBeNull();
  });
});
