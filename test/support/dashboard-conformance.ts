import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import type { Data } from '../../pipeline/model/index.js';
import type { Series } from '../../sinks/influxdb/connection.js';
import { Csiflow } from './csiflow.js';
import { grafanaQuery, readDashboard, type Panel, type View } from './dashboards.js';
import { key, truthOf, type Shown } from './panel-truth.js';

/** A server with an empty database. */
export interface Database {
  /** Fields of the sink that writes to it, without `from`; its type is `influxdb` unless given. */
  readonly sink: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** Series of one statement, times in milliseconds, as Grafana's read-only user. */
  readonly query: (statement: string) => Promise<readonly Series[]>;
  /** Folder of its dashboards, if they are not in InfluxQL. */
  readonly dashboards?: 'influxdb3';
  readonly stop: () => Promise<unknown>;
}

const START = Date.parse('2026-03-01T08:00:03Z');
const MINUTES = 20;
/** Berlin in winter. */
const AHEAD = 3_600_000;

const variables = {
  environment: ['demo-flat'],
  origin: ['simulated'],
  sums: '1h',
  timezone: 'Europe/Berlin',
};
/** No record is on their edges. */
const VIEWS: Readonly<Record<string, View>> = {
  'all of it': { from: START - 60_007, to: START + MINUTES * 60_000 + 7, points: 1_200, variables },
  'five minutes of it': {
    ...{ from: START + 400_007, to: START + 700_007, points: 1_500 },
    variables: { ...variables, sums: '15m' },
  },
  'the week around it': {
    ...{ from: START - 4 * 86_400_000 - 7, to: START + 3 * 86_400_000 + 7, points: 800 },
    variables: { ...variables, origin: ['live', 'simulated'], sums: '1d' },
  },
};

/** Not a fact of the room, so the compared records do not have it. */
const OF_RUN = ['Inference time'];
/** Rare values are missing in some five-minute intervals. */
const RARE = [
  'Falls in this range',
  'Falls per day',
  'Falls, newest 100',
  'Breathing rate',
  'Quality of breathing rates',
  'Dwell per visit by zone, per $sums',
];

/**
 * Twenty minutes of the demo, faster than real time, in databases and as lines: each panel must agree with the
 * lines. Each database takes the records of the same run.
 */
export function dashboardConformance(servers: Readonly<Record<string, () => Promise<Database>>>): void {
  let folder: string;
  let records: readonly Data[];
  const databases = new Map<string, Database>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'csiflow-dashboards-'));
    for (const [name, start] of Object.entries(servers)) databases.set(name, await start());
    const file = join(folder, 'demo.yaml');
    const written = [...databases.values()];
    await writeFile(file, await topology(written));
    const secrets = Object.assign({}, ...written.map(({ env }) => env)) as Record<string, string>;
    const run = new Csiflow(['run', file, '--no-api', '--until-end'], {
      env: { CSIFLOW_DATA: folder, ...secrets },
    });
    expect(await run.ended(), run.output).toBe(0);
    records = await linesOf(folder);
  }, 1_800_000);
  afterAll(async () => {
    for (const database of databases.values()) await database.stop();
    await rm(folder, { recursive: true, force: true });
  });

  describe.each(Object.keys(servers))('dashboards over %s', (name) => {
    let database: Database;
    beforeAll(() => {
      database = databases.get(name)!;
    });

    describe.each(['people-and-falls', 'links-and-signal-quality'])('%s', (dashboard) => {
      test.each(Object.keys(VIEWS))(
        'shows the records of %s',
        async (title) => {
          const view = VIEWS[title]!;
          const { panels } = await readDashboard(dashboard, database.dashboards);
          for (const panel of panels) {
            const query = grafanaQuery(panel, view);
            const shown = shownBy(panel, await database.query(query));
            if (title !== 'five minutes of it' || !RARE.includes(panel.title))
              expect.soft(Object.keys(shown), `${panel.title} is empty: ${query}`).not.toEqual([]);
            if (!OF_RUN.includes(panel.title))
              expect
                .soft(shown, `${panel.title}: ${query}`)
                .toEqual(roughly(truthOf(panel, records, view, AHEAD)));
          }
        },
        120_000,
      );

      test('shows nothing simulated if only live data is selected, the default', async () => {
        const { panels, templating } = await readDashboard(dashboard, database.dashboards);
        const origin = templating.list.find((variable) => variable.name === 'origin')!.current.value;
        expect(origin).toEqual(['live']);
        const view = { ...VIEWS['all of it']!, variables: { ...variables, origin } };
        for (const panel of panels)
          expect(await database.query(grafanaQuery(panel, view)), panel.title).toEqual([]);
      });

      test('offers the existing environments', async () => {
        const { templating } = await readDashboard(dashboard, database.dashboards);
        const found = await database.query(templating.list[0]!.query as string);
        const offered = found.flatMap(({ tags, values = [] }) =>
          tags ? Object.values(tags) : values.map((row) => row[1]),
        );
        expect(offered).toEqual(['demo-flat']);
      });
    });

    test('breathing is shown in several of the minutes that the person rests', async () => {
      const { panels } = await readDashboard('people-and-falls', database.dashboards);
      const panel = panels.find(({ title }) => title === 'Breathing rate')!;
      const shown = shownBy(panel, await database.query(grafanaQuery(panel, VIEWS['all of it']!)));
      expect(Object.values(shown).flat().length).toBeGreaterThanOrEqual(5);
    });

    test('the inference time is the mean, and nearly the longest, of the stored ones', async () => {
      const view = { ...VIEWS['all of it']!, points: 1 };
      const { panels } = await readDashboard('links-and-signal-quality', database.dashboards);
      const panel = panels.find(({ title }) => title === 'Inference time')!;
      const [all] = await database.query(`SELECT "processing_ms" FROM "occupancy" WHERE "name" = 'frame'`);
      const found = all!.values!.map((row) => row[1] as number).sort((a, b) => a - b);
      const [shown] = Object.values(shownBy(panel, await database.query(grafanaQuery(panel, view))));
      const means = shown!.map((row) => row[1]!);
      expect(Math.min(...means)).toBeGreaterThanOrEqual(found[0]!);
      expect(Math.max(...shown!.map((row) => row[2]!))).toBeLessThanOrEqual(found.at(-1)!);
    });
  });
}

async function topology(databases: readonly Database[]): Promise<string> {
  const text = await readFile(packageFile('topologies/demo.yaml'), 'utf8');
  const [operators] = text.split('\nsinks:');
  const from = /history: .* from: (\[[^\]]+\])/.exec(text)![1]!;
  const histories = databases.map(({ sink }, index) => {
    const fields = Object.entries({ type: 'influxdb', ...sink }).map(
      ([field, value]) => `${field}: "${value}"`,
    );
    return `  history-${index + 1}: { from: ${from}, ${fields.join(', ')} }`;
  });
  const faster = `speed: 0, duration_s: ${MINUTES * 60}, start_time: "${new Date(START).toISOString()}"`;
  const source = /rate_hz: 50, seed: 5/;
  expect(operators).toMatch(source);
  return `${operators!.replace(source, `$&, ${faster}`).replaceAll('environments/', `${packageFile('topologies/environments')}/`)}
sinks:
${histories.join('\n')}
  lines: { type: file, from: ${from}, path: results.ndjson }
settings:
  state_folder: "\${CSIFLOW_DATA}/state"
`;
}

async function linesOf(folder: string): Promise<readonly Data[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ndjson')).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as Data);
}

/** Series by their tags as the panel groups them, without nulls. */
function shownBy({ title }: Panel, found: readonly Series[]): Shown {
  if (title === 'Falls in this range') return summedByEnvironment(found);
  const isTable = title === 'Falls, newest 100';
  const shown: Record<string, (readonly number[])[]> = {};
  for (const { tags = {}, columns, values = [] } of found)
    for (const row of values) {
      if (isTable) {
        const cell = (name: string) => tags[name] ?? row[columns.indexOf(name)];
        const of = { environment: String(cell('environment')), id: String(cell('id')) };
        shown[key(of)] = [[cell('confidence') as number]];
        continue;
      }
      if (row.slice(1).every((value) => value === null)) continue;
      // For a single newest value, Grafana shows no time; the returned one differs by a count of nanoseconds.
      const numbers = (/^Newest|newest/.test(title) ? row.slice(1) : row) as readonly number[];
      const { origin, ...own } = tags;
      expect(['simulated', undefined]).toContain(origin);
      (shown[key(own)] ??= []).push(numbers);
    }
  return shown;
}

/** Like the transformations of the panel. */
function summedByEnvironment(found: readonly Series[]): Shown {
  const sums: Record<string, number> = {};
  for (const { tags, values = [] } of found)
    for (const row of values) sums[key(tags!)] = (sums[key(tags!)] ?? 0) + (row[1] as number);
  return Object.fromEntries(Object.entries(sums).map(([tags, sum]) => [tags, [[sum]]]));
}

/** Sums in another order differ in their last digits. */
const roughly = (shown: Shown): unknown =>
  Object.fromEntries(
    Object.entries(shown).map(([tags, rows]) => [
      tags,
      rows.map((row) => row.map((value) => expect.closeTo(value, 7) as unknown)),
    ]),
  );
