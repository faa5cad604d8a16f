import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/flow.js';
import { motionTopology, runToEnd } from '../support/motion-run.js';

test.each([
  ['state/state.mdb', 'is damaged: it is a folder', 'move'],
  ['store.duckdb', 'is a folder', 'move the folder away'],
  ['live.told', 'EISDIR', ''],
])('a folder in place of %s ends the start with 3, its name and a fix', async (name, what, remedy) => {
  const folder = temporaryFolder();
  const topology = motionTopology(folder, {
    settings: '{ state_folder: state }',
    sinks: `  history: { type: duckdb, from: [motion], path: store.duckdb }
  live: { type: websocket, from: [motion] }`,
  });
  const path = name === 'live.told' ? join(folder, 'state', name) : join(folder, name);
  mkdirSync(path, { recursive: true });
  const { code, err } = await runToEnd(topology);
  expect(err).toContain(path);
  expect(err).toContain(what);
  expect(err).toContain(remedy);
  expect(code).toBe(3);
});
