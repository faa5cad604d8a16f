import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { components } from '../../api/components.js';
import { parseTopology } from '../../pipeline/config/index.js';
import { runSuites } from '../../pipeline/testing/suites.js';
import { afterThisTest } from '../support/clean-up.js';
import { resultBody } from '../../sinks/shared/result-body.js';
import { testEnvironment } from '../support/context.js';
import { measure, poseFrame } from '../support/records.js';

// The recipes of docs/recipes.md unchanged, except that their inputs are replaced by sources with given
// records.

interface Fragment {
  readonly operators: Readonly<Record<string, { readonly from: string | readonly string[] }>>;
  readonly sinks: object;
}

/** Input, by node, and the expected output. */
interface Check {
  readonly input: Readonly<Record<string, readonly object[]>>;
  readonly expect: readonly object[];
}

const fall = (at_ms: number, more: object = {}) => ({ at_ms, event: { type: 'fall_detection', ...more } });
const value = (at_ms: number, name: string, amount: number, subject?: string) => ({
  at_ms,
  measure: { name, value: amount, ...(subject && { subject }) },
});
/** A pose frame as another topology would send it, decoded by the source. */
const seen = (at_ms: number, people: number) => {
  const time = (Date.UTC(2026, 0, 1) + at_ms) * 1000;
  const frame = { ...poseFrame(at_ms, { people }), time, windowEnd: time + 1_000_000 };
  return { at_ms, text: JSON.stringify(resultBody(frame)) };
};
/** A figure of a minute as `watch-zones` outputs it: after the minute's end, with its start as the time. */
const figure = (at_ms: number, name: string, amount: number, subject?: string) => {
  const time = (Date.UTC(2026, 0, 1) + at_ms) * 1000;
  const body = resultBody(measure(0, { name, time, value: amount, subject: subject ?? null }));
  return { at_ms: at_ms + 61_000, text: JSON.stringify(body) };
};
const hour = 3_600_000;

/** The input of tests begins on 1 January 2026 at 1 o'clock in Berlin. */
const checks: Readonly<Record<string, Check>> = {
  'Only falls at night to a webhook': {
    input: { falls: [fall(1000), fall(9 * hour), fall(21.5 * hour)] },
    expect: [{ from: 'nurse', count: 2 }],
  },
  'Urgent alerts to one receiver, all others to another': {
    input: { falls: [fall(1000, { severity: 'high' }), fall(2000, { severity: 'medium' })], zones: [] },
    expect: [
      { from: 'pager', count: 1 },
      { from: 'pager', every: { severity: 'high' } },
      { from: 'history', count: 1 },
      { from: 'history', every: { severity: 'medium' } },
    ],
  },
  'Occupancy of each zone, every five minutes, to InfluxDB': {
    input: {
      zones: [
        figure(0, 'occupancy_mean', 1, 'bed'),
        value(61_000, 'occupancy', 9, 'bed'),
        value(300_000, 'occupancy', 9, 'bed'),
        figure(240_000, 'occupancy_mean', 3, 'bed'),
        figure(240_000, 'occupancy_peak', 2, 'sofa'),
        figure(240_000, 'occupancy_mean', 9),
        figure(300_000, 'occupancy_mean', 5, 'bed'),
      ],
    },
    expect: [
      { from: 'influx', contains: { name: 'zone_occupancy_mean', subject: 'bed', value: 2, at_ms: 300_000 } },
      { from: 'influx', contains: { name: 'zone_peak_max', subject: 'sofa', value: 2 } },
      { from: 'influx', contains: { name: 'zone_occupancy_mean', value: 5, at_ms: 600_000 } },
      { from: 'influx', count: 3 },
    ],
  },
  'Falls of each hour': {
    input: { falls: [fall(1000), fall(2000), fall(hour + 1)] },
    expect: [
      {
        from: 'history',
        in_order: [
          { name: 'falls_per_hour_count', value: 2, at_ms: hour },
          { value: 1, at_ms: 2 * hour },
        ],
      },
      { from: 'history', count: 2 },
    ],
  },
  'At most one alert of a kind in ten minutes': {
    input: {
      falls: [fall(1000), fall(2000), fall(601_000)],
      zones: [{ at_ms: 3000, event: { type: 'intrusion' } }],
    },
    expect: [
      { from: 'phone', count: 3 },
      { from: 'phone', contains: { type: 'intrusion' } },
    ],
  },
  'Falls after which nobody walks within a minute': {
    input: {
      falls: [fall(1000), fall(100_000)],
      activities: [
        { at_ms: 30_000, event: { type: 'activity_changed', metadata: { activity: 'walking' } } },
        { at_ms: 120_000, event: { type: 'activity_changed', metadata: { activity: 'lying' } } },
        { at_ms: 200_000, event: { type: 'activity_changed', metadata: { activity: 'walking' } } },
      ],
    },
    expect: [
      { from: 'nurse', count: 1 },
      { from: 'nurse', contains: { type: 'fall_detection', at_ms: 100_000 } },
    ],
  },
  'How fast somebody breathed before the fall': {
    input: {
      falls: [fall(500), fall(10_000), fall(300_000)],
      vitals: [value(1000, 'breathing_rate_bpm', 14), value(2000, 'other', 3)],
    },
    expect: [
      { from: 'nurse', count: 3 },
      { from: 'nurse', matching: { at_ms: 10_000 }, every: { metadata: { breathing_rate_bpm: 14 } } },
      { from: 'nurse', matching: { metadata: { breathing_rate_bpm: 14 } }, count: 1 },
    ],
  },
  'The name of the ward on each alert': {
    input: { falls: [fall(1000)] },
    expect: [{ from: 'nurse', every: { metadata: { ward: 'Geriatrics, east' } } }],
  },
  'Falls where nobody is sure are looked at, not alarmed': {
    input: { falls: [fall(1000, { confidence: 0.5, severity: 'high' }), fall(2000, { severity: 'high' })] },
    expect: [{ from: 'nurse', in_order: [{ severity: 'medium' }, { severity: 'high' }] }],
  },
  'Presence only when it changes': {
    input: {
      motion: [0, 0, 1, 1, 1, 0, 1].map((present, index) => value(1000 * index, 'presence', present)),
    },
    expect: [
      { from: 'home', count: 4 },
      { from: 'home', in_order: [{ value: 0 }, { value: 1, at_ms: 2000 }, { value: 0 }, { value: 1 }] },
    ],
  },
  'The number of people, once a minute': {
    input: { people: [seen(1000, 0), seen(30_000, 1), seen(58_000, 3), seen(61_000, 2), seen(200_000, 1)] },
    expect: [
      {
        from: 'history',
        in_order: [
          { name: 'people', value: 3, at_ms: 58_000 },
          { value: 2, at_ms: 61_000 },
          { value: 1, at_ms: 200_000 },
        ],
      },
      { from: 'history', count: 3 },
    ],
  },
};

const recipes = new Map<string, Fragment>();
const page = await readFile('docs/recipes.md', 'utf8');
for (const [, title, text] of page.matchAll(/^## (.+)\n[^]*?^```yaml\n([^]*?)^```/gm))
  recipes.set(title!, parse(text!) as Fragment);

test('each recipe has its test', () => {
  expect([...recipes.keys()].sort()).toEqual(Object.keys(checks).sort());
});

test.each([...recipes])('%s: is valid, and does what it says', async (title, fragment) => {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-recipe-'));
  afterThisTest(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'rooms.csv'), 'environment,ward\ntest-room,"Geriatrics, east"\n');
  const { input, expect: wanted } = checks[title]!;
  const read = Object.values(fragment.operators).flatMap(({ from }) => from);
  const missing = read.filter((id) => !(id in fragment.operators));
  const source = { type: 'kafka', brokers: ['broker:9092'], format: 'results' };
  const text = stringify({
    id: 'recipe',
    environment: 'room.yaml',
    sources: Object.fromEntries(missing.map((id) => [id, { ...source, topics: [id] }])),
    ...fragment,
    tests: [{ name: title, input, expect: wanted }],
  });
  const loaded = parseTopology(
    { text, shown: title, file: null, folder, environments: [testEnvironment] },
    components,
    { env: { CSIFLOW_SECRET_WEBHOOK: 'a key of sixteen and more letters' } },
  );
  expect(loaded.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const [result] = await runSuites(
    [{ file: title, topology: loaded.topology!, tests: loaded.tests! }],
    15_000,
  );
  expect(result?.unmet ?? []).toEqual([]);
  expect(result?.error ?? null).toBeNull();
});
