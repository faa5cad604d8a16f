import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SensedEvent } from '../../pipeline/model/index.js';
import { Outbox, StateStore, type OutboxEntry } from '../../pipeline/state/index.js';
import { measure } from '../support/flow.js';
import { sensedEvent } from '../support/records.js';

let folder: string;
let store: StateStore;
let outbox: Outbox;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-outbox-'));
  store = new StateStore(folder, 'test');
  outbox = new Outbox(store, 'sink');
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const lanes = (entries: readonly OutboxEntry[]) => entries.map(({ lane, number }) => `${lane} ${number}`);
const alerts = async (count: number) => {
  for (let index = 1; index <= count; index++) await outbox.append(index, [sensedEvent(index)], 'urgent');
};
const data = async (count: number) => {
  for (let index = 1; index <= count; index++) await outbox.append(index, [measure('motion', index, 0)]);
};

test('data takes turns with alerts', async () => {
  await alerts(3);
  await data(3);
  const taken = Array.from({ length: 6 }, () => lanes(outbox.take(1, 0))[0]);
  expect(taken).toEqual(['urgent 1', 'rest 1', 'urgent 2', 'rest 2', 'urgent 3', 'rest 3']);
});

test('the most severe waiting alerts go first', async () => {
  const severities = ['low', 'medium', 'high', 'low', 'critical'] as const;
  for (const [index, severity] of severities.entries())
    await outbox.put(1, [sensedEvent(index, { severity })]);
  const taken = severities.map(() => outbox.take(1, 0)[0]?.records[0]);
  expect(taken.map((record) => (record as SensedEvent).severity)).toEqual([
    'high',
    'critical',
    'low',
    'medium',
    'low',
  ]);
});

test('entries are returned in batches of bounded records, and never twice', async () => {
  await data(5);
  expect(lanes(outbox.take(3, 0))).toEqual(['rest 1', 'rest 2', 'rest 3']);
  expect(lanes(outbox.take(3, 0))).toEqual(['rest 4', 'rest 5']);
  expect(outbox.take(3, 0)).toEqual([]);
  expect(outbox.records).toBe(5);
});

test('a returned entry comes again when it is due, alone, with its remaining records', async () => {
  await outbox.append(1, [sensedEvent(1), sensedEvent(2)], 'urgent');
  await outbox.append(1, [sensedEvent(3)], 'urgent');
  const [entry] = outbox.take(2, 0);
  outbox.giveBack(entry!, [entry!.records[1]!], 100);
  expect(lanes(outbox.take(9, 99))).toEqual(['urgent 2']);
  expect(outbox.nextDue).toBe(100);
  expect(outbox.take(9, 99)).toEqual([]);
  expect(outbox.take(9, 100)).toMatchObject([{ number: 1, records: [sensedEvent(2)], tries: 1 }]);
});

test('a checkpoint drops what was delivered after an undelivered entry, which stays', async () => {
  await alerts(3);
  const [first, second, third] = outbox.take(9, 0) as [OutboxEntry, OutboxEntry, OutboxEntry];
  outbox.delivered(third);
  outbox.giveBack(first, first.records, 0);
  outbox.flushed();
  outbox.delivered(second);
  // The second one may not be on disk yet.
  await store.transaction(outbox.cutter());
  expect(outbox.oldestEpoch).toBe(1);
  expect(lanes([...new Outbox(store, 'sink').entries()])).toEqual(['urgent 1', 'urgent 2']);
  outbox.reset();
  expect(lanes(outbox.take(9, 0))).toEqual(['urgent 1', 'urgent 2']);
});

test('of many records added at once, the oldest can be dropped without the newest', async () => {
  await outbox.put(
    1,
    Array.from({ length: 1000 }, (_, index) => measure('motion', index, 0)),
  );
  expect(await outbox.dropOldest()).toBeLessThan(100);
});
