import { expect, test } from 'vitest';
import type { LiveFeed } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { GroupFeed } from '../../pipeline/runtime/scale-out/group-feed.js';
import { poseFrame, sensedEvent } from '../support/records.js';

function feedOf(records: readonly Data[]) {
  const listeners = new Set<(records: readonly Data[]) => void>();
  const of = (environment: string) =>
    records.filter((record) => 'environment' in record && record.environment === environment);
  const feed: LiveFeed = {
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    latest: (environment) => of(environment).find((record) => record.port === 'pose'),
    recentEvents: (environment) => of(environment).filter((record) => record.port === 'event'),
  };
  const tell = (record: Data) => {
    for (const listener of listeners) listener([record]);
  };
  return { feed, tell, listeners };
}

const inRoom = <T extends Data>(environment: string, record: T): T => ({ ...record, environment });

test('a listener hears all shards, including later ones, and none that has left', () => {
  const group = new GroupFeed();
  const heard: Data[] = [];
  const stop = group.listen((records) => heard.push(...records));
  const [first, second] = [feedOf([]), feedOf([])];
  const letGo = group.add(first.feed);
  group.add(second.feed);
  const [a, b, c] = [poseFrame(1), poseFrame(2), poseFrame(3)];
  first.tell(a);
  second.tell(b);
  letGo();
  first.tell(c);
  expect(heard).toEqual([a, b]);
  expect(first.listeners.size).toBe(0);
  stop();
  second.tell(c);
  expect(heard).toHaveLength(2);
});

test('finds each environment in its shard, the newest if several have it', () => {
  const group = new GroupFeed();
  const [old, newer] = [inRoom('a', poseFrame(1)), inRoom('a', poseFrame(2))];
  const event = inRoom('b', sensedEvent(3));
  group.add(feedOf([newer]).feed);
  group.add(feedOf([old, event]).feed);
  expect(group.latest('a')).toBe(newer);
  expect(group.latest('b')).toBeUndefined();
  expect(group.recentEvents('b')).toEqual([event]);
});

test('merges events of several shards by time; a shard without a feed is harmless', () => {
  const group = new GroupFeed();
  const [first, second, third] = [1, 2, 3].map((index) => inRoom('a', sensedEvent(index)));
  group.add(feedOf([first!, third!]).feed);
  group.add({ listen: () => () => undefined, latest: () => undefined });
  group.add(feedOf([second!]).feed);
  expect(group.recentEvents('a')).toEqual([first, second, third]);
});

test('the newest of several frames answers if no shard has reported one, whatever their order', () => {
  const [old, newer] = [inRoom('a', poseFrame(1)), inRoom('a', poseFrame(2))];
  for (const order of [
    [old, newer],
    [newer, old],
  ]) {
    const group = new GroupFeed();
    for (const frame of order) group.add(feedOf([frame]).feed);
    expect(group.latest('a')).toBe(newer);
  }
});

test('an event does not make a shard the one that reported last', () => {
  const group = new GroupFeed();
  const [ahead, now] = [inRoom('a', poseFrame(36_000)), inRoom('a', poseFrame(1))];
  const [before, after] = [feedOf([ahead]), feedOf([now])];
  group.add(before.feed);
  group.add(after.feed);
  after.tell(now);
  before.tell(inRoom('a', sensedEvent(2)));
  expect(group.latest('a')).toBe(now);
});

test('a shard that leaves does not change which one reported last in other environments', () => {
  const group = new GroupFeed();
  const [ahead, now] = [inRoom('a', poseFrame(36_000)), inRoom('a', poseFrame(1))];
  const [before, after, other] = [feedOf([ahead]), feedOf([now]), feedOf([inRoom('b', poseFrame(1))])];
  group.add(before.feed);
  group.add(after.feed);
  const letGo = group.add(other.feed);
  after.tell(now);
  other.tell(inRoom('b', poseFrame(1)));
  letGo();
  expect(group.latest('a')).toBe(now);
});

test('the newest frame is from the shard that reported last, not from one whose clock was ahead', () => {
  const group = new GroupFeed();
  const [ahead, now] = [inRoom('a', poseFrame(36_000)), inRoom('a', poseFrame(1))];
  const [before, after] = [feedOf([ahead]), feedOf([now])];
  group.add(before.feed);
  const letGo = group.add(after.feed);
  before.tell(ahead);
  after.tell(now);
  expect(group.latest('a')).toBe(now);
  letGo();
  expect(group.latest('a')).toBe(ahead);
});
