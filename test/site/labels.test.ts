import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { csiflow } from '../support/csiflow.js';
import { loadLabels } from '../../bench/site/labels.js';
import type { Environment } from '../../pipeline/model/index.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-labels-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const room: Environment = {
  ...{ id: 'room', size: { x: 5, y: 4, z: 2.5 }, links: [], walls: [], zones: [] },
  ...{ timezone: 'UTC', assumed: [] },
};
const file = join(folder, 'evening.csi.labels.csv');
const HEADER = 'time,person,x,y,posture';
const load = (...lines: readonly string[]) => {
  writeFileSync(file, [HEADER, ...lines, ''].join('\n'));
  return loadLabels(file, room);
};
const problemsOf = (...lines: readonly string[]) =>
  load(...lines).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('labels of a recording', () => {
  const { labels } = load(
    '0,,,,',
    '10,anna,0,0,upright',
    '14,anna,4,2,sitting',
    '15, ben, 1, 1,',
    '20,anna,4,2,sitting',
    '20,ben,,,away',
    '24,anna,,,away',
    '30,,,,',
  );

  it('report nobody before the first arrival and after the last departure', () => {
    expect(labels!.at(0)).toEqual([]);
    expect(labels!.at(9.9)).toEqual([]);
    expect(labels!.at(27)).toEqual([]);
  });

  it('report people on the way from one line to the next, with the posture of the one before', () => {
    expect(labels!.at(11)).toEqual([{ place: [1, 0.5], velocity: [1, 0.5], posture: 'upright' }]);
    expect(labels!.at(18)).toEqual([
      { place: [4, 2], velocity: [0, 0], posture: 'sitting' },
      { place: [1, 1], velocity: [0, 0], posture: null },
    ]);
  });

  it('report nothing outside of their lines, or if presence is left open', () => {
    expect(labels!.at(-0.1)).toBeNull();
    expect(labels!.at(30.1)).toBeNull();
    const open = load('0,anna,1,1,', '5,anna,1,1,', '9,,,,').labels!;
    expect(open.at(4)).toHaveLength(1);
    expect(open.at(6)).toBeNull();
  });

  it('may have dates', () => {
    const { labels: dated, absolute } = load(
      '2026-01-31T08:00:00Z,anna,1,1,',
      '2026-01-31T09:00:10+01:00,anna,2,1,',
    );
    expect(absolute).toBe(true);
    expect(dated!.at(Date.UTC(2026, 0, 31, 8, 0, 5) / 1000)![0]!.place).toEqual([1.5, 1]);
  });
});

describe('reports invalid labels with line and column', () => {
  it.each([
    ['5,anna,6,1,upright', '3:8 must be within the room: 0 to 5 m'],
    ['5,anna,1,,upright', '3:10 must be metres from the corner of the room'],
    ['5,anna,1,1,standing', '3:12 must be one of upright, sitting, lying, away, or empty'],
    ['soon,anna,1,1,', '3:1 must be seconds since the recording began'],
    ['2026-01-31 08:00,anna,1,1,', '3:1 must be seconds since the recording began'],
    ['2026-01-31T08:00:00Z,anna,1,1,', '3:1 all times must be of one kind'],
    ['-1,anna,1,1,', '3:1 must be seconds'],
    ['5,,1,1,', '3:4 a line of nobody has a time alone'],
    ['5,anna,1,,away', '3:8 somebody who is away has no place'],
    ['5,anna,1,1', '3:1 there are 4 values where there must be 5'],
    ['0.5,anna,1,1,', '3:1 times must not go back'],
  ])('%s', (line, problem) => {
    expect(problemsOf('1,anna,1,1,upright', line)[0]).toContain(problem);
  });

  it('all at once', () => {
    expect(problemsOf('0,anna,9,1,', '1,anna,1,9,', '2,anna,1,1,up')).toHaveLength(3);
  });

  it('too many people, too few lines, another header, no file', () => {
    const crowd = [0, 1, 2, 3, 4].map((i) => `0,p${i},1,1,`);
    expect(problemsOf(...crowd)).toEqual(['6:1 no more than 4 people can be there at once']);
    expect(problemsOf('0,anna,1,1,')).toEqual([
      '1:1 two lines at least are needed: labels hold between them',
    ]);
    writeFileSync(file, 'time;person;x;y\n');
    expect(loadLabels(file, room).problems[0]).toMatchObject({ line: 1, suggestion: HEADER });
    expect(loadLabels(join(folder, 'none.csv'), room).problems[0]!.code).toBe('config.file.missing');
  });
});

describe('csiflow train site', () => {
  const train = () =>
    csiflow('train', 'site', join(folder, 'evening.csi'), '--out', join(folder, 'my-model'));

  it('rejects bad labels with file, line and column, and missing ones by name', async () => {
    writeFileSync(join(folder, 'evening.csi'), '');
    writeFileSync(file, `${HEADER}\n0,anna,1,1,upright\n5,anna,75,1,upright\n`);
    const bad = await train();
    expect(bad.code).toBe(2);
    expect(bad.output).toContain(`${file}:3:8 error config.value.invalid must be within the room`);
    rmSync(file);
    const none = await train();
    expect(none.code).toBe(2);
    expect(none.output).toContain(file);
    expect(none.output).not.toContain('    at ');
  }, 60_000);

  it('rejects a missing recording', async () => {
    rmSync(join(folder, 'evening.csi'), { force: true });
    const { code, output } = await train();
    expect(code).toBe(2);
    expect(output).toContain('evening.csi does not exist');
  }, 60_000);
});
