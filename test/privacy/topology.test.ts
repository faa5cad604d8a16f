import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { expect, test, vi } from 'vitest';
import { defineOperator } from '../../pipeline/component/index.js';
import type { CheckedTopology, Settings } from '../../pipeline/config/topology/topology.js';
import { parseTopology } from '../../pipeline/config/index.js';
import { anonymiserOf, storagePolicyOf } from '../../pipeline/runtime/privacy/privacy.js';
import { KEY_FILE } from '../../pipeline/state/index.js';
import { components } from '../../api/components.js';
import { exportTable } from '../../sinks/duckdb/export.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { testContext, testEnvironment } from '../support/context.js';
import { counter, runnerOf, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { measure, poseFrame, sensedEvent, START } from '../support/records.js';

const environment = 'test-room';
const privacy = { dataRetentionDays: null, anonymizeData: true, enableEncryption: true, key: null };

/** One record of each kind about person 1 for each input frame. */
const about = defineOperator({
  name: 'about',
  summary: 'Tells of a person.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi'],
  outputs: ['pose', 'event', 'measure'],
  create: () => ({
    process: (data) => ({
      data: Array.from({ length: data.count }, (_, at) => Math.round(data.time[at]! / 1000)).flatMap(
        (number) => [
          poseFrame(number),
          sensedEvent(number, { metadata: { note: 'planted-7c1f9e20b4' } }),
          measure(number, { subject: '1' }),
        ],
      ),
    }),
  }),
});

function line(folder: string, config: object, settings: Pick<Settings, 'privacy'>): CheckedTopology {
  const nodes = {
    in: { component: counter, config: { count: COUNT, ...config } },
    about: { component: about, from: ['in'] },
    history: { component: duckdb, config: { path: 'store.duckdb' }, from: ['about'] },
  };
  const topology = topologyOf(nodes, folder, settings);
  // The source continues from its position, whatever its limit.
  return { ...topology, nodes: topology.nodes.map((node) => ({ ...node, hash: node.id })) };
}

const COUNT = 20;

/** Runs a topology up to a frame, or to the end of its input, and returns the content of its store. */
async function stored(folder: string, settings: Pick<Settings, 'privacy'>, holdAt?: number) {
  const topology = line(folder, holdAt === undefined ? {} : { holdAt }, settings);
  const runner = runnerOf(topology);
  await runner.start();
  if (holdAt === undefined) await runner.finished();
  else
    await until('the records are in the store', () =>
      runner.status().nodes.some(({ id, sent }) => id === 'history' && sent === 3 * holdAt),
    );
  await runner.stop();
  const storage = storagePolicyOf(topology.settings)!;
  const { context } = testContext({
    folder,
    stateFolder: folder,
    storage: { ...storage, retentionDays: null },
  });
  const sink = duckdb.create(Value.Default(duckdb.config, { path: 'store.duckdb' }) as never, context);
  await sink.open();
  const found = {
    poses: await sink.reader!.poses({ environment }),
    events: await sink.reader!.events({ environment }),
    measures: await sink.reader!.measures({ environment }),
  };
  await sink.close();
  return found;
}

test('stored data is anonymous and encrypted, and the same after a start that reads on', async () => {
  const folder = temporaryFolder();
  await stored(folder, { privacy }, 10);
  const found = await stored(folder, { privacy });
  const pseudonym = anonymiserOf({ privacy, stateFolder: folder })!.pseudonym(environment, 1);
  expect(found.poses).toHaveLength(COUNT);
  for (const { persons } of found.poses) {
    expect(persons.map(({ track }) => track!.id)).toEqual([pseudonym]);
    expect(persons.map(({ keypoints }) => keypoints)).toEqual([[]]);
  }
  expect(new Set(found.events.map(({ person }) => person))).toEqual(new Set([pseudonym]));
  expect(new Set(found.events.map(({ id }) => id)).size).toBe(COUNT);
  expect(new Set(found.measures.map(({ subject }) => subject))).toEqual(new Set([String(pseudonym)]));
  const shown = readdirSync(folder).filter(
    (name) => name !== KEY_FILE && bytesOf(folder, name).includes('planted'),
  );
  expect(shown).toEqual([]);
});

test('the same input in one run gives the same rows with the same key', async () => {
  const key = 'k'.repeat(32);
  const [once, twice] = [temporaryFolder(), temporaryFolder()];
  const settings = { privacy: { ...privacy, key } };
  await stored(twice, settings, 7);
  expect(await stored(twice, settings)).toEqual(await stored(once, settings));
});

test('encryption turned on or off applies at the next start, and loses no row', async () => {
  const folder = temporaryFolder();
  const clear = { ...privacy, anonymizeData: false, enableEncryption: false };
  const shown = () => readdirSync(folder).filter((name) => bytesOf(folder, name).includes('planted'));
  const before = await stored(folder, { privacy: clear }, 5);
  expect(shown()).toContain('store.duckdb');
  const during = await stored(folder, { privacy: { ...clear, enableEncryption: true } });
  expect(shown()).toEqual([]);
  expect(during.poses.slice(0, 5)).toEqual(before.poses);
  expect(during.events).toHaveLength(COUNT);
  expect(await stored(folder, { privacy: clear })).toEqual(during);
  expect(shown()).toContain('store.duckdb');
});

test('an encrypted store is exported with its key file', async () => {
  const folder = temporaryFolder();
  await stored(folder, { privacy });
  const request = {
    from: join(folder, 'store.duckdb'),
    to: join(folder, 'events.csv'),
    table: 'events',
    format: 'csv',
    start: undefined,
    end: undefined,
  } as const;
  await expect(exportTable(request)).rejects.toMatchObject({ code: 'store.encryption' });
  const secret = readFileSync(join(folder, KEY_FILE), 'utf8').trim();
  expect(await exportTable({ ...request, secret })).toBe(COUNT);
});

test('data_retention_days limits what a DuckDB store keeps, by event time', async () => {
  const folder = temporaryFolder();
  // Frames are from 2023, long before the present.
  const days = (Date.now() * 1000 - START) / 86_400_000_000;
  const long = { ...privacy, enableEncryption: false, dataRetentionDays: days + 100 };
  expect((await stored(folder, { privacy: long }, 10)).poses).toHaveLength(10);
  const short = { ...long, dataRetentionDays: days - 100 };
  await vi.waitFor(
    async () => {
      const { poses, events, measures } = await stored(folder, { privacy: short });
      expect([poses, events, measures].flat()).toEqual([]);
    },
    { timeout: 15_000 },
  );
});

test.each([
  ['a zone that could be a person', { anonymize_data: true }, [{ id: '7' }], 'config.privacy.anonymity'],
  ['a file that lives on', { data_retention_days: 7 }, [], 'config.privacy.retention'],
  ['a file in the clear', { enable_encryption: true }, [], 'config.privacy.encryption'],
])('validation reports %s', (_, asked, zones, code) => {
  const text = JSON.stringify({
    id: 't',
    sources: { in: { type: 'udp', port: 5005 } },
    operators: { motion: { type: 'detect-motion', from: 'in' } },
    sinks: { out: { type: 'file', from: 'motion', path: 'out.ndjson' } },
    settings: { privacy: asked },
  });
  const polygon = [
    [0, 0],
    [1, 0],
    [1, 1],
  ];
  const environments = [{ ...testEnvironment, zones: zones.map((zone) => ({ ...zone, polygon })) }];
  const source = { text, shown: 't.yaml', file: null, folder: '/', environments };
  const { problems } = parseTopology(source, components, { env: {} });
  expect(problems.map((problem) => problem.code)).toContain(code);
});

const bytesOf = (folder: string, name: string): Buffer => {
  try {
    return readFileSync(join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return Buffer.alloc(0);
    throw error;
  }
};
