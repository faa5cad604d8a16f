import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  allOver,
  meanOver,
  medianOver,
  over,
  poissonRate,
  shareOfRooms,
} from '../../bench/accuracy/chain/bootstrap.js';
import type { TableName } from '../../bench/accuracy/chain/tables/evaluate.js';
import { reportOf, writeReport } from '../../bench/accuracy/chain/tables/report.js';
import { cellText, tableText, type Table } from '../../bench/accuracy/chain/table.js';
import { Truth } from '../../bench/accuracy/chain/truth.js';
import type { CheckedTopology } from '../../pipeline/config/index.js';

const line = (time: number, person: number, present: boolean, activity = 'walk') =>
  JSON.stringify({ time, environment: 'flat', person, present, activity, root: [1, 2] });

describe('figures of several rooms', () => {
  it('weights frames, not rooms, and resamples entire rooms for the interval', () => {
    const figure = meanOver([[0, 0, 0], [1]]);
    expect(figure).toMatchObject({ value: 0.25, low: 0, high: 1, rooms: 2 });
  });

  it('has no interval wider than its rooms, and excludes rooms without a value', () => {
    const figure = meanOver([[0.4], [], [0.5], [0.6], [0.5]]);
    expect(figure.value).toBeCloseTo(0.5);
    expect(figure.rooms).toBe(4);
    expect(figure.low).toBeGreaterThanOrEqual(0.4);
    expect(figure.high).toBeLessThanOrEqual(0.6);
    expect(figure.low).toBeLessThan(figure.value);
  });

  it('is NaN without data', () => {
    expect(meanOver([]).value).toBeNaN();
    expect(medianOver([[]]).value).toBeNaN();
    expect(over([], () => 1).low).toBeNaN();
  });

  it('computes several figures together as it does one by one', () => {
    const rooms = [[1, 4], [2, 9, 3], [7]];
    const largest = (drawn: readonly (readonly number[])[]) => Math.max(...drawn.flat());
    const first = (drawn: readonly (readonly number[])[]) => drawn[0]![0]!;
    const both = allOver(rooms, ['largest', 'first'], (drawn) => ({
      largest: largest(drawn),
      first: first(drawn),
    }));
    expect(both).toEqual({ largest: over(rooms, largest), first: over(rooms, first) });
  });

  it('takes the median over all frames', () => {
    expect(
      medianOver([
        [1, 2],
        [3, 100],
      ]).value,
    ).toBe(2.5);
  });

  it('covers the true mean about as often as stated', () => {
    let covered = 0;
    let state = 7;
    const chance = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
    for (let run = 0; run < 200; run++) {
      const rooms = Array.from({ length: 20 }, () => {
        const own = chance();
        return Array.from({ length: 30 }, () => Number(chance() < own));
      });
      const { low, high } = meanOver(rooms);
      covered += Number(low <= 0.5 && high >= 0.5);
    }
    expect(covered / 200).toBeGreaterThan(0.88);
    expect(covered / 200).toBeLessThan(0.99);
  });
});

describe('rates of rare events', () => {
  // Garwood's exact limits: 0 events 0 to 3.689, 1 event 0.0253 to 5.572, 10 events 4.795 to 18.39.
  it.each([
    [0, 0, 3.6889],
    [1, 0.0253, 5.5716],
    [10, 4.7954, 18.3904],
  ])('%i events in an hour: %f to %f', (events, low, high) => {
    const rate = poissonRate(events, 1);
    expect(rate.value).toBe(events);
    expect(rate.low).toBeCloseTo(low, 3);
    expect(rate.high).toBeCloseTo(high, 3);
    expect(poissonRate(events, 20).high).toBeCloseTo(high / 20, 3);
  });
});

describe('shares of rooms', () => {
  // Exact limits by Clopper and Pearson, from tables of the beta distribution.
  it.each([
    [0, 20, 0, 0.1684],
    [1, 36, 0.0007, 0.1453],
    [10, 20, 0.272, 0.728],
    [20, 20, 0.8316, 1],
  ])('%i of %i: %f to %f', (hits, rooms, low, high) => {
    const share = shareOfRooms(hits, rooms);
    expect(share).toMatchObject({ value: hits / rooms, rooms });
    expect(share.low).toBeCloseTo(low, 3);
    expect(share.high).toBeCloseTo(high, 3);
  });

  it('are NaN without rooms', () => {
    expect(shareOfRooms(0, 0)).toEqual({ value: NaN, low: NaN, high: NaN, rooms: 0 });
  });
});

describe('the truth of a scene', () => {
  const truth = new Truth(
    [line(0, 0, true), line(0, 1, false), line(50_000, 0, true, 'fall'), line(50_000, 1, true)].join('\n'),
  );

  it('is joined by event time, and unknown far from any', () => {
    expect(truth.at(20_000)?.people.map(({ person }) => person)).toEqual([0]);
    expect(truth.at(30_000)?.people.map(({ person }) => person)).toEqual([0, 1]);
    expect(truth.at(149_000)?.time).toBe(50_000);
    expect(truth.at(151_000)).toBeUndefined();
  });

  it('reports when a person starts something', () => {
    expect(truth.beginnings('fall')).toEqual([{ time: 50_000, person: 0 }]);
  });
});

describe('tables', () => {
  const figure = { value: 0.123, low: 0.1, high: 0.15, rooms: 3 };

  it('write figures with their unit and interval', () => {
    expect(cellText(figure, 'share')).toBe('12.3 % (10.0 to 15.0)');
    expect(cellText(figure, 'm')).toBe('0.12 m (0.10 to 0.15)');
    expect(cellText({ ...figure, value: NaN, low: NaN }, 'm')).toBe('-');
    expect(cellText(undefined, 'm')).toBe('');
  });

  it('write shares of rooms with their number', () => {
    expect(cellText(shareOfRooms(0, 20), 'rooms')).toBe('0 of 20 (0 to 17 %)');
    expect(cellText({ value: 1, low: 1, high: 1, rooms: 0 }, 'rooms')).toBe('100 %');
  });

  it('write no interval if its ends look alike', () => {
    expect(cellText({ value: 0.0001, low: 0, high: 0.0004, rooms: 20 }, 'share')).toBe('0.0 %');
    expect(cellText({ value: 0.0001, low: 0, high: 0.0006, rooms: 20 }, 'share')).toBe('0.0 % (0.0 to 0.1)');
  });

  it('show baselines in italics', () => {
    const table: Table = {
      id: 'x',
      title: 'X',
      method: 'How.',
      columns: [{ id: 'a', title: 'A', unit: 'share' }],
      rows: [{ name: 'never', baseline: true, cells: { a: figure } }],
    };
    expect(tableText(table)).toContain('| *never* | 12.3 % (10.0 to 15.0) |');
  });
});

describe('the report', () => {
  const topology = { id: 'demo', file: '/somewhere/demo.yaml' } as CheckedTopology;
  const nothing = { value: NaN, low: NaN, high: NaN, rooms: 0 };
  const table = (id: string): Table => ({
    ...{ id, title: id, method: 'How.', columns: [{ id: 'a', title: 'A', unit: 'number' as const }] },
    rows: [{ name: 'row', baseline: false, cells: { a: nothing } }],
  });
  const write = (folder: string, seed: number, ids: readonly TableName[], of = topology) =>
    writeReport(
      folder,
      reportOf(
        { topology: of, seed },
        { version: '0.5.0', commit: `${seed}`, digest: '5e6f7a8b' },
        ids.map((id) => ({ id, table: table(id), problem: null })),
      ),
    );

  it('keeps tables that are not remeasured, each with its own commit and seed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'csiflow-report-'));
    try {
      write(folder, 900_000, ['falls']);
      write(folder, 910_000, ['empty']);
      const text = readFileSync(join(folder, 'accuracy.md'), 'utf8');
      expect(text.indexOf('## empty')).toBeGreaterThan(0);
      expect(text.indexOf('## empty')).toBeLessThan(text.indexOf('## falls'));
      expect(text.match(/\| row \| - \|/g)).toHaveLength(2);
      expect(text).toMatch(
        /0\.5\.0, commit 910000, topology 5e6f7a8b, seeds from 910000[^]*commit 900000[^]*seeds from 900000/,
      );
      const other = { ...topology, file: '/somewhere/ward.yaml' };
      expect(() => write(folder, 1, ['empty'], other)).toThrow(/is of demo\.yaml, not of ward\.yaml/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('keeps a table of recordings in its place when a run has none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'csiflow-report-'));
    try {
      write(folder, 900_000, ['real-falls', 'falls']);
      const problem = 'not measured: it needs recordings';
      writeReport(
        folder,
        reportOf({ topology, seed: 910_000 }, { version: '0.5.0' }, [
          { id: 'recordings', table: null, problem },
          { id: 'real-falls', table: null, problem },
        ]),
      );
      const text = readFileSync(join(folder, 'accuracy.md'), 'utf8');
      expect(text.match(/^## .*/gm)).toEqual(['## falls', '## recordings', '## real-falls']);
      expect(text.match(/not measured/g)).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
