import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import type { PoseFrame } from '../../pipeline/model/index.js';
import { afterThisTest } from '../support/clean-up.js';
import { Csiflow } from '../support/csiflow.js';

// The networks learn from rooms of 75 s, and other tests are not longer: what goes wrong later is seen here.

const MINUTES = 15;
/** Least share of frames with the person; who falls is lost for some seconds. */
const SEEN = 0.9;

test('the demo shows its person after a quarter of an hour as at first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-quarter-hour-'));
  afterThisTest(() => rm(folder, { recursive: true }));
  const [demo] = (await readFile(packageFile('topologies/demo.yaml'), 'utf8')).split('\nsinks:');
  const faster = demo!
    .replace(/rate_hz: 50, seed: 5/, `$&, speed: 0, duration_s: ${MINUTES * 60}`)
    .replaceAll('environments/', `${packageFile('topologies/environments')}/`);
  expect(faster).toContain('speed: 0');
  const sinks = '\nsinks: { lines: { type: file, from: people, path: people.ndjson } }\n';
  await writeFile(join(folder, 'demo.yaml'), `${faster}${sinks}settings: { state_folder: state }\n`);
  const run = new Csiflow(['run', join(folder, 'demo.yaml'), '--no-api', '--until-end']);
  expect(await run.ended(), run.output).toBe(0);

  const files = (await readdir(folder)).filter((file) => file.endsWith('.ndjson'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const frames = texts
    .flatMap((text) => text.trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as PoseFrame);
  const shares = Array.from({ length: MINUTES / 5 }, (_, i) => {
    const some = frames.slice((i * frames.length * 5) / MINUTES, ((i + 1) * frames.length * 5) / MINUTES);
    return some.filter(({ persons }) => persons.length > 0).length / some.length;
  });
  expect(Math.min(...shares), `by five minutes: ${shares.join(', ')}`).toBeGreaterThan(SEEN);
}, 600_000);
