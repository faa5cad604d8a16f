import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Csiflow } from '../support/csiflow.js';
import { answered, stopwatch } from '../support/waiting.js';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'csiflow-demo-'));
});
afterEach(async () => {
  for (const demo of started.splice(0)) await demo.kill();
  await rm(data, { recursive: true });
});

const started: Csiflow[] = [];
function start(): Csiflow {
  const demo = new Csiflow(['run', 'topologies/demo.yaml', '--port', '0'], { env: { CSIFLOW_DATA: data } });
  started.push(demo);
  return demo;
}

const address = async (demo: Csiflow): Promise<string> =>
  (await demo.printed(/live page +(http:\/\/[\d.:]+)/))[1]!;

async function token(at: string, password: string): Promise<string> {
  const response = await fetch(`${at}/form-a/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

const latest = (at: string, bearer: string): Promise<Response> =>
  fetch(`${at}/form-b/api/v1/pose/latest`, { headers: { Authorization: `Bearer ${bearer}` } });

test('the demo gives a pose within ten seconds, marked as simulated, stops cleanly, resumes, and answers the calls of both documents', async () => {
  const first = start();
  const took = stopwatch(first.process.pid);
  const [, password] = await first.printed(/admin \/ (\S+)/);
  const at = await address(first);
  const bearer = await token(at, password!);
  await hasPose(at, bearer);
  expect(took()).toBeLessThan(10_000);
  const body: unknown = await (await latest(at, bearer)).json();
  expect(body).toMatchObject({ data: { metadata: { processing_mode: 'simulated' } } });
  expect(await first.interrupt()).toBe(0);
  const before = await frames();

  const second = start();
  const again = await address(second);
  await second.printed(/login +as before/);
  await hasPose(again, bearer);
  await understandsItsExamples(again, bearer);
  expect(await second.interrupt()).toBe(0);
  const after = await frames();
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.length).toBeGreaterThan(before.length);
  expect(after).toEqual(after.map((_, index) => after[0]! + index)); // no frame lost or double over the restart
}, 60_000);

const hasPose = (at: string, bearer: string) =>
  answered(
    'a pose',
    async () => (await latest(at, bearer)).status,
    (status) => status === 200,
    { limitMs: 20_000 },
  );

/** Numbers of the stored pose frames, in order. */
async function frames(): Promise<readonly number[]> {
  const database = await DuckDBInstance.create(join(data, 'demo.duckdb'));
  const connection = await database.connect();
  const rows = await connection.runAndReadAll('select frame_id from poses order by 1');
  const numbers = rows.getRows().map(([number]) => Number(number));
  connection.closeSync();
  database.closeSync();
  return numbers;
}

interface Documented {
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: object } } };
}

/** No example is rejected as invalid; those of poses are answered. */
async function understandsItsExamples(at: string, bearer: string): Promise<void> {
  const answers: Record<string, number> = {};
  for (const form of ['a', 'b']) {
    const document = (await (await fetch(`${at}/openapi-${form}.json`)).json()) as {
      readonly servers: readonly [{ readonly url: string }];
      readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
    };
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const example = requestBody?.content['application/json'].example;
        if (!example || path === '/system/stop') continue;
        const response = await fetch(document.servers[0].url + path, {
          method: method.toUpperCase(),
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${bearer}` },
          body: JSON.stringify(example),
        });
        answers[`${form} ${method} ${path}`] = response.status;
      }
  }
  const refused = Object.entries(answers).filter(([, status]) => status === 400 || status === 422);
  expect(refused).toEqual([]);
  expect(answers).toMatchObject({ 'a post /pose/process': 200, 'b post /pose/process': 200 });
}
