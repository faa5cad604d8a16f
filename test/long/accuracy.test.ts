import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { components } from '../../api/components.js';
import { evaluateChain, TABLES, type TableName } from '../../bench/accuracy/chain/tables/evaluate.js';
import { cell, type Table } from '../../bench/accuracy/chain/table.js';
import { loadTopology } from '../../pipeline/config/index.js';
import { temporaryFolder } from '../support/flow.js';
import { servicesFolder } from '../support/servers/server.js';
import { sharedFile } from '../support/shared.js';

// A small version of each table, in rooms on which no model was trained: the minimum for `topologies/demo.yaml`.

interface SmallTable {
  readonly title: string;
  readonly rooms: number;
  /** Minutes of daily life in each room. */
  readonly daily?: number;
  readonly bounds: (of: Cells) => void;
}

/** The value of a cell. */
type Cells = ((row: string, column: string) => number) & { readonly table: Table };

const EMPTY_MINUTES = 0.75;
const data = sharedFile('.');
const python = join(servicesFolder, 'numpy-2.4.6/venv/bin/python');

/** A folder with a scene of another simulator, as bench/referee/README.md makes them. */
function otherScenes(): string {
  const folder = temporaryFolder();
  const rooms = execFileSync('node', ['dist/bench/referee/rooms.js', '--count', '1', '--seed', '700000']);
  writeFileSync(join(folder, 'rooms.json'), rooms);
  const made = [join(folder, 'rooms.json'), join(folder, 'scenes')];
  execFileSync(python, ['bench/referee/scenes.py', ...made], { stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}
const demo = loadTopology('topologies/demo.yaml', components, { env: {}, standIn: 'unset' }).topology!;

const SMALL: Readonly<Record<TableName, SmallTable>> = {
  empty: {
    title: 'notices an empty room, and a walker',
    rooms: 2,
    bounds: (of) => {
      expect(of('calibrated', 'seen')).toBeLessThan(0.1);
      expect(of('not calibrated', 'seen')).toBeLessThan(0.3);
      expect(of('calibrated', 'skeleton')).toBeLessThan(0.02);
      for (const row of ['calibrated', 'not calibrated']) {
        // Of 45 s, somebody is reported for two after they left (4.5 %), and presence holds for 23 (51 %).
        expect(of(row, 'told')).toBeLessThan(0.07);
        expect(of(row, 'presence')).toBeLessThan(0.65);
        expect(of(row, 'wrong30')).toBe(0);
        expect(of(row, 'wrongLater')).toBeLessThan(0.05);
        expect(of(row, 'unknown')).toBeLessThan(0.05);
        expect(of(row, 'missed')).toBeLessThan(0.05);
      }
      expect(of('calibrated', 'missedPresence')).toBeLessThan(0.1);
    },
  },
  negatives: {
    title: 'takes no fan and few pets for people',
    rooms: 2,
    bounds: (of) => {
      expect(of('nothing', 'seen')).toBeLessThan(0.02);
      expect(of('a fan', 'seen')).toBeLessThan(0.05);
      expect(of('a curtain', 'seen')).toBeLessThan(0.2);
      expect(of('a pet', 'seen')).toBeLessThan(0.35);
      expect(of('nothing', 'alarms')).toBe(0);
    },
  },
  walking: {
    title: 'locates a walker, with the posture and the heading',
    rooms: 2,
    bounds: (of) => {
      const middle = of("4 links: the room's middle, the mean pose", 'place');
      expect(middle).toBeGreaterThan(1);
      // Two rooms with diffuse paths and hard walls: far worse than most, and than the rooms of earlier seeds.
      expect(of('4 links', 'place')).toBeLessThan(0.65 * middle);
      expect(of('4 links', 'mpjpe')).toBeLessThan(160);
      expect(of('4 links', 'heading')).toBeLessThan(35);
      expect(of('4 links', 'abstained')).toBeLessThan(0.05);
    },
  },
  diffuse: {
    title: 'locates a walker among many weak paths',
    rooms: 2,
    bounds: (of) => {
      const place = of('30 diffuse paths', 'place');
      // Two rooms that are hard even without these paths.
      expect(place).toBeLessThan(0.9 * of("both: the room's middle, the mean pose", 'place'));
      expect(place).toBeLessThan(1.3 * of('no diffuse paths', 'place'));
      expect(of('30 diffuse paths', 'abstained')).toBeLessThan(0.05);
    },
  },
  foreign: {
    title: 'sees a walker of another simulator, and notices their absence',
    rooms: 1,
    bounds: (of) => {
      for (const row of ['no diffuse paths', '30 diffuse paths']) {
        expect(of(row, 'abstained')).toBeLessThan(0.2);
        expect(of(row, 'missed')).toBeLessThan(0.2);
        expect(of(row, 'seen')).toBeLessThan(0.05);
        expect(of(row, 'wrong30')).toBe(0);
      }
    },
  },
  still: {
    title: 'locates a still person, with the posture',
    rooms: 3,
    bounds: (of) => {
      const middle = of("the room's middle, always standing", 'place');
      expect(of('all three', 'place')).toBeLessThan(0.35 * middle);
      for (const row of ['all three', 'all three, after four minutes']) {
        expect(of(row, 'unseen')).toBeLessThan(0.02);
        // In these rooms, 80 to 84 % of those who stand.
        expect(of(row, 'posture')).toBeGreaterThan(0.87);
      }
      expect(of('sitting', 'posture')).toBeGreaterThan(0.9);
      expect(of('lying', 'posture')).toBeGreaterThan(0.9);
    },
  },
  several: {
    title: 'counts and tracks walkers',
    rooms: 3,
    bounds: (of) => {
      expect(of('1 walker', 'count')).toBeGreaterThan(0.95);
      expect(of('1 walker', 'idf1')).toBeGreaterThan(0.85);
      // In one of the three rooms, two are never counted right.
      expect(of('2 walkers', 'count')).toBeGreaterThan(0.55);
      expect(of('3 walkers', 'count')).toBeGreaterThan(0.9);
      expect(of('2 walkers', 'missed')).toBeLessThan(0.06);
      expect(of('3 walkers', 'missed')).toBeLessThan(0.03);
      expect(of('2 walkers', 'place')).toBeLessThan(0.82);
      expect(of('3 walkers', 'place')).toBeLessThan(0.82);
    },
  },
  errors: {
    title: 'predicts an error close to the real one, even with a bad link',
    rooms: 4,
    bounds: (of) => {
      expect(of('all links good', 'off')).toBeLessThan(0.5);
      // In metres: a share of the result with all links would demand more as that improves.
      expect(of('all links good', 'place')).toBeLessThan(0.47);
      expect(of('one link delivers noise', 'place')).toBeLessThan(0.7);
      expect(of('one link is dead', 'place')).toBeLessThan(0.7);
    },
  },
  robustness: {
    title: 'locates a walker, and notices their absence, with weak, wrong or missing links',
    rooms: 1,
    bounds: (of) => {
      // The room's middle: 1.55 m.
      expect(of('as usual', 'place')).toBeLessThan(0.5);
      expect(of('nodes misplaced by 0.5 m', 'place')).toBeLessThan(0.65);
      expect(of('SNR 5 to 12 dB on all links', 'place')).toBeLessThan(0.75);
      expect(of('nodes on one wall', 'place')).toBeLessThan(1.3);
      expect(of('nodes in the corners of the ceiling', 'place')).toBeLessThan(1.2);
      for (const fault of ['one link delivers noise', 'one link is dead']) {
        expect(of(fault, 'place')).toBeLessThan(0.75);
        // In one room; 0.01 m on average over twenty.
        expect(of(fault, 'worse')).toBeLessThan(0.05);
      }
      for (const { name } of of.table.rows.filter(({ baseline }) => !baseline)) {
        expect(of(name, 'abstained'), name).toBeLessThan(0.05);
        expect(of(name, 'seen'), name).toBeLessThan(0.05);
        expect(of(name, 'occupied'), name).toBe(0);
      }
    },
  },
  receivers: {
    title: 'locates a walker with any number of subcarriers, and sees one at 5 GHz',
    rooms: 1,
    bounds: (of) => {
      const esp32 = of('ESP32: 52 subcarriers, 2.4 GHz', 'place');
      for (const { name } of of.table.rows.filter(({ baseline }) => !baseline)) {
        // At 5 GHz, positions are hardly better than the room's middle.
        // With errors of RSSI, 0.46 instead of 0.40 m on average over twenty rooms; in this one, 1.4 times.
        const most = name.includes('errors') ? 1.6 : 1.2;
        if (!name.includes('5.2 GHz')) expect(of(name, 'place'), name).toBeLessThan(most * esp32);
        expect(of(name, 'abstained'), name).toBeLessThan(0.05);
        expect(of(name, 'seen'), name).toBeLessThan(0.05);
        expect(of(name, 'occupied'), name).toBe(0);
      }
    },
  },
  falls: {
    title: 'finds simulated falls, and raises few alarms in daily life',
    rooms: 3,
    daily: 1,
    bounds: (of) => {
      // Ten of fifteen, and one alarm in 0.16 h at most, which is 6.1 an hour; 1.5 an hour in twenty rooms.
      expect(of('all', 'found')).toBeGreaterThan(0.6);
      expect(of('all', 'lying')).toBeGreaterThan(0.6);
      expect(of('all', 'false')).toBeLessThan(7);
    },
  },
  warnings: {
    title: 'warns of falls at once, and settles each warning within 30 s',
    rooms: 1,
    daily: 1,
    bounds: (of) => {
      // All five, after 1.25 s at most, and one other warning in 0.05 h.
      expect(of('all', 'soon')).toBeGreaterThan(0.7);
      expect(of('all', 'slowest')).toBeLessThan(2);
      expect(of('all', 'settled')).toBe(1);
      expect(of('all', 'others')).toBeLessThan(70);
    },
  },
  'fall-like': {
    title: 'raises few alarms at movements that resemble a fall',
    rooms: 1,
    bounds: (of) => {
      const movements = of.table.rows.filter(({ baseline }) => !baseline).map(({ name }) => name);
      const alarms = movements.map((name) => of(name, 'alarms') * of(name, 'hours'));
      // None in 42 movements, as in 247 of the report. A single one may be chance.
      expect(alarms.reduce((sum, count) => sum + count, 0)).toBeLessThan(1.5);
      for (const name of movements.filter((one) => !one.endsWith('nobody is there')))
        expect(of(name, 'unseen'), name).toBeLessThan(0.05);
    },
  },
  'rag-dolls': {
    title: 'finds falls of rag-dolls',
    rooms: 2,
    bounds: (of) => {
      // Three of four (two have no space), and five of six; before rag-dolls were learnt, 7 % of theirs.
      expect(of('rag-dolls', 'found')).toBeGreaterThan(0.4);
      expect(of('as simulated', 'found')).toBeGreaterThan(0.6);
      expect(of('rag-dolls', 'delay')).toBeLessThan(15);
    },
  },
  day: {
    title: 'sums up activities, sleep and arrivals of a day in small',
    rooms: 1,
    bounds: (of) => {
      for (const amount of ['somebody there, s', 'walking, s', 'sitting, s', 'lying, s', 'asleep, s'])
        expect(of(amount, 'error')).toBeLessThan(30);
      expect(of('arrivals', 'error')).toBeLessThan(0.6);
      expect(of('inactivity, alerts', 'error')).toBeLessThan(0.6);
    },
  },
  recordings: {
    title: 'distinguishes movement from emptiness on real recordings',
    rooms: 1,
    bounds: (of) => {
      expect(of('movement, all chips', 'presence')).toBeGreaterThan(0.95);
      expect(of('empty, all chips', 'presence')).toBeLessThan(0.2);
      expect(of('movement, all chips', 'seen')).toBeGreaterThan(0.8);
      expect(of('empty, all chips', 'seen')).toBeLessThan(0.12);
    },
  },
  'real-falls': {
    title: 'finds falls of real recordings',
    rooms: 1,
    bounds: (of) => {
      // Of 42 clips, both falls, and one alarm. The suite's task has other clips of the same recordings.
      expect(of('Intel 5300, a bedroom', 'auc')).toBeGreaterThan(0.92);
      expect(of('Intel 5300, a bedroom', 'found')).toBeGreaterThan(0.4);
      expect(of('Intel 5300, a bedroom', 'falseClips')).toBeLessThan(0.11);
      expect(of('ESP32-S3, in training', 'found')).toBeGreaterThan(0.8);
    },
  },
};

it('has a small version of each table', () => {
  expect(Object.keys(SMALL)).toEqual(Object.keys(TABLES));
});

const dataFor = (name: TableName): string | undefined => (name === 'foreign' ? otherScenes() : data);

it.runIf(existsSync(python))(
  'the other simulator obeys closed forms and bounds',
  { timeout: 600_000 },
  () => {
    execFileSync(python, ['-m', 'foreign.checks'], {
      cwd: 'bench/referee',
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  },
);

const canMeasure = (name: TableName): boolean =>
  name === 'foreign' ? existsSync(python) : data !== undefined || !('missing' in TABLES[name]);

for (const name of Object.keys(SMALL) as TableName[]) {
  const { title, rooms, daily, bounds } = SMALL[name];
  it.runIf(canMeasure(name))(title, { timeout: 60 * 60_000 }, async () => {
    const folder = dataFor(name);
    const [measured] = await evaluateChain(
      {
        ...{ topology: demo, seed: 700_000, rooms, links: [4], atOnce: 4 },
        minutes: { empty: EMPTY_MINUTES, daily: daily ?? 0 },
        ...(folder !== undefined && { data: folder }),
        print: () => undefined,
      },
      [name],
    );
    const table = measured!.table!;
    bounds(Object.assign((row: string, column: string) => cell(table, row, column).value, { table }));
  });
}
