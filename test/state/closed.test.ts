import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SentAlerts, StateStore } from '../../pipeline/state/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-state-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('a note after the end fails by itself, and ends nothing else', async () => {
  const store = new StateStore(folder, 'test');
  const sent = new SentAlerts(store, 'sink');
  await sent.add('in time', 1);
  await store.close();
  await expect(sent.add('too late', 1)).rejects.toThrow(/cannot be written/);
  // lmdb would throw in a turn of its own, where nothing can catch it.
  await new Promise((resolve) => setImmediate(resolve));
  const again = new StateStore(folder, 'test');
  const known = new SentAlerts(again, 'sink');
  expect([known.has('in time'), known.has('too late')]).toEqual([true, false]);
  await again.close();
});
