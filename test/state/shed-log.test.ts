import { expect, test } from 'vitest';
import { ShedLog, StateStore } from '../../pipeline/state/index.js';
import { temporaryFolder } from '../support/flow.js';

const fail = (error: Error) => {
  throw error;
};

/** The log's entries for records 1 to 8: processed, shed, or nothing. */
const decisions = (log: ShedLog): string =>
  Array.from({ length: 8 }, (_, index) => log.earlier(index + 1)?.[0] ?? '-').join('');

/** Decides records from `first` on, each by its letter. */
function decide(log: ShedLog, first: number, letters: string): void {
  for (let index = 0; index < letters.length; index++) log.decided(first + index, letters[index] === 's');
}

test('an interrupted recovery loses no decision', async () => {
  const store = new StateStore(temporaryFolder(), 'test');
  const first = new ShedLog(store, 'node', 0, fail);
  decide(first, 1, 'ppssps');
  await first.durable();
  const second = new ShedLog(store, 'node', 0, fail);
  decide(second, 1, 'pp');
  await second.durable();
  expect(decisions(new ShedLog(store, 'node', 0, fail))).toBe('ppssps--');
  await store.close();
});

test('what a checkpoint covers is dropped, what follows its barrier is not', async () => {
  const store = new StateStore(temporaryFolder(), 'test');
  const log = new ShedLog(store, 'node', 0, fail);
  decide(log, 1, 'ssp');
  await log.durable();
  const cut = log.barrier(3);
  decide(log, 4, 'pps');
  await store.transaction(cut);
  await log.durable();
  expect(decisions(new ShedLog(store, 'node', 3, fail))).toBe('---pps--');
  await store.close();
});

test('a restarted node does not follow the decisions of another one', async () => {
  const store = new StateStore(temporaryFolder(), 'test');
  const log = new ShedLog(store, 'node', 0, fail);
  decide(log, 1, 'sss');
  await log.durable();
  expect(decisions(new ShedLog(store, 'node', null, fail))).toBe('--------');
  await store.close();
});
