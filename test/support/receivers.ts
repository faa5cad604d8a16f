import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'vitest';
import { logIn } from '../e2e/recording.js';
import { afterThisTest } from './clean-up.js';
import { Csiflow } from './csiflow.js';
import { temporaryFolder } from './flow.js';

/** A running example of `topologies/`, with its data in a separate folder. */
export interface Example {
  readonly name: string;
  readonly run: Csiflow;
  readonly folder: string;
}

/** Starts `topologies/NAME.yaml` like a user. */
export async function startExample(
  name: string,
  env: Record<string, string>,
  folder = temporaryFolder(),
): Promise<Example> {
  const run = new Csiflow(['run', `topologies/${name}.yaml`, '--port', '0'], {
    env: { CSIFLOW_DATA: folder, ...env },
  });
  afterThisTest(() => run.kill());
  await run.printed(/the topology is running/);
  return { name, run, folder };
}

/**
 * Calls `send` with 0, 1, 2 ..., `ms` apart like a receiver, until the example's own sinks have their output:
 * motion on the terminal, and people on the live page's interface if it has them.
 */
export async function feed(
  { run }: Example,
  ms: number,
  send: (index: number) => unknown,
  hasPoses = true,
): Promise<void> {
  const over = new AbortController();
  const shown = seen(run, hasPoses);
  const end = () => {
    over.abort();
  };
  shown.then(end, end);
  for (let index = 0; !over.signal.aborted; index++) {
    await send(index);
    await sleep(ms);
  }
  await shown;
}

async function seen(run: Csiflow, hasPoses: boolean): Promise<void> {
  await run.printed(/one-link motion = /);
  if (!hasPoses) return;
  const [, password] = await run.printed(/admin \/ (\S+)/);
  const [, address] = await run.printed(/live page +(http:\/\/[\d.:]+)/);
  const headers = { Authorization: `Bearer ${await logIn(address!, password!)}` };
  await expect
    .poll(async () => (await fetch(`${address}/form-b/api/v1/pose/latest`, { headers })).status, {
      timeout: 120_000,
    })
    .toBe(200);
}

/** Stops an example with Ctrl-C; its store must contain motion, and poses if it has them. */
export async function stored({ name, run, folder }: Example, hasPoses = true): Promise<void> {
  expect(await run.interrupt(), run.output).toBe(0);
  const file = join(folder, `${name}.duckdb`);
  expect(existsSync(file)).toBe(true);
  const database = await DuckDBInstance.create(file, { access_mode: 'read_only' });
  const connection = await database.connect();
  const rows = await connection.runAndReadAll(
    "select (select count(*) from measures where name = 'motion' and origin = 'live'), (select count(*) from poses)",
  );
  const [motion, poses] = rows.getRows()[0]!.map(Number);
  connection.closeSync();
  database.closeSync();
  expect(motion).toBeGreaterThan(0);
  if (hasPoses) expect(poses).toBeGreaterThan(0);
}

/**
 * A receiver's measurement of `tones` carriers while something moves: 50 frames per second, two echoes, one
 * of which lengthens by a wavelength in a quarter of a second. Real and imaginary part in turn, integers from
 * -120 to 120.
 */
export function moving(index: number, tones: number): number[] {
  const turn = (2 * Math.PI * index) / 12.5;
  return Array.from({ length: tones }, (_, tone) => {
    const [still, swinging] = [0.05 * tone, 0.11 * tone + turn];
    return [
      Math.round(80 * Math.cos(still) + 40 * Math.cos(swinging)),
      Math.round(80 * Math.sin(still) + 40 * Math.sin(swinging)),
    ];
  }).flat();
}
