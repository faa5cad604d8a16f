import { expect, test } from 'vitest';
import { allocateBlock, csiLayout } from '../../pipeline/model/index.js';
import type { Signal } from '../../pipeline/runtime/signals/signal.js';
import { Backlog } from '../../pipeline/runtime/threads/backlog.js';
import { frames } from '../support/flow.js';

const sent = (data = frames(0, 1)): readonly Signal[] => [{ kind: 'data', data, from: 'in', received: 0 }];

/** Large frames: 16 KiB each. */
const layout = csiLayout({
  rx: 2,
  tx: 2,
  subcarriers: Array.from({ length: 512 }, (_, index) => index - 256),
  bandwidthMhz: 160,
  centreMhz: 5210,
  training: 'vht-ltf',
});

test('a thread is behind above 4,096 frames, until half of them are answered', () => {
  const backlog = new Backlog();
  for (let message = 0; message < 16; message++) backlog.add(sent(frames(0, 256)), 0);
  expect(backlog.isTooMuch(0)).toBe(false);
  backlog.add(sent(), 0);
  expect(backlog.isTooMuch(0)).toBe(true);
  for (let message = 0; message < 8; message++) backlog.answered();
  expect([backlog.isTooMuch(0), backlog.isLow]).toEqual([false, false]);
  backlog.answered();
  expect(backlog.isLow).toBe(true);
});

test('a thread is behind above 32 MiB, whatever the number of frames', () => {
  const backlog = new Backlog();
  const mebibyte = sent(allocateBlock(layout, 64));
  for (let message = 0; message < 32; message++) backlog.add(mebibyte, 0);
  expect(backlog.isTooMuch(0)).toBe(false);
  backlog.add(mebibyte, 0);
  expect(backlog.isTooMuch(0)).toBe(true);
  for (let message = 0; message < 17; message++) backlog.answered();
  expect([backlog.isTooMuch(0), backlog.isLow]).toEqual([false, true]);
});

test('a thread is behind above 64 messages without frames', () => {
  const backlog = new Backlog();
  const mark: readonly Signal[] = [{ kind: 'watermark', time: 1, from: 'in', received: 0 }];
  for (let message = 0; message < 64; message++) backlog.add(mark, 0);
  expect(backlog.isTooMuch(0)).toBe(false);
  backlog.add(mark, 0);
  expect(backlog.isTooMuch(0)).toBe(true);
});

test('a thread is behind when its oldest message is older than 250 ms', () => {
  const backlog = new Backlog();
  backlog.add(sent(), 1000);
  backlog.add(sent(), 1200);
  expect(backlog.isTooMuch(1250)).toBe(false);
  expect(backlog.isTooMuch(1251)).toBe(true);
  backlog.answered();
  expect(backlog.isTooMuch(1251)).toBe(false);
  expect(backlog.isTooMuch(1451)).toBe(true);
});
