import { expect, test } from 'vitest';
import { Feeds } from '../../api/ws/feeds.js';
import type { Data } from '../../pipeline/model/index.js';
import { FakeTopology, poseFrame } from '../support/fake-topology.js';

/** Topologies that the test adds and removes. */
function setOf(...list: FakeTopology[]) {
  const listeners = new Set<() => void>();
  return {
    list: () => list,
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    become: (...next: FakeTopology[]) => {
      list = next;
      for (const listener of listeners) listener();
    },
  };
}

function followed(set: ReturnType<typeof setOf>) {
  const heard: Data[] = [];
  const feeds = new Feeds(set, (records) => heard.push(...records));
  return { heard, feeds };
}

test('feeds follow topologies as they come and go, without repeats', () => {
  const [main, late] = [new FakeTopology(), new FakeTopology()];
  const set = setOf(main);
  const { heard } = followed(set);
  late.publish(poseFrame(1));
  expect(heard).toEqual([]);
  set.become(main, late);
  late.publish(poseFrame(2));
  main.publish(poseFrame(3));
  set.become(main);
  late.publish(poseFrame(4));
  main.publish(poseFrame(5));
  expect(heard).toEqual([poseFrame(2), poseFrame(3), poseFrame(5)]);
});

test('a restarted topology is heard by its new feed', async () => {
  const main = new FakeTopology();
  const { heard, feeds } = followed(setOf(main));
  const next = new FakeTopology();
  main.feeds.set('live', next.feed);
  await main.start();
  next.publish(poseFrame(1));
  main.publish(poseFrame(2));
  expect(heard).toEqual([poseFrame(1)]);
  feeds.close();
  next.publish(poseFrame(3));
  expect(heard).toHaveLength(1);
});
