import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Outbox, SentAlerts, StateStore } from '../../pipeline/state/index.js';
import { sensedEvent } from '../support/records.js';

let folder: string;
let store: StateStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-sent-'));
  store = new StateStore(folder, 'test');
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

test('an alert is remembered for as long as it is in the outbox', async () => {
  const [outbox, sent] = [new Outbox(store, 'sink'), new SentAlerts(store, 'sink')];
  await outbox.append(3, [sensedEvent(1), sensedEvent(2)], 'urgent');
  // The first of the two was sent; the store rejects the other.
  await sent.add('first', 3);
  for (const epoch of [4, 5, 6, 7]) sent.cut(epoch, outbox.oldestEpoch);
  expect(new SentAlerts(store, 'sink').has('first')).toBe(true);

  outbox.delivered(outbox.next()!);
  outbox.flushed();
  expect(outbox.oldestEpoch).toBe(3);
  outbox.cutter()();
  expect(outbox.oldestEpoch).toBe(Infinity);
  sent.cut(8, outbox.oldestEpoch);
  expect(sent.has('first')).toBe(false);
});

test('of several lanes the oldest entry counts', async () => {
  const outbox = new Outbox(store, 'sink');
  await outbox.append(9, [sensedEvent(1)], 'urgent');
  await outbox.append(5, [sensedEvent(2)], 'rest');
  expect(outbox.oldestEpoch).toBe(5);
});
