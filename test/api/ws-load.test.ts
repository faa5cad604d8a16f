import { EventEmitter, once } from 'node:events';
import { WebSocket } from 'ws';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PoseView } from '../../api/contract/pose.js';
import { Connection, type Subscription } from '../../api/ws/connection.js';
import { EndedSubscriptions } from '../../api/ws/ended.js';
import type { PoseFilters } from '../../api/contract/client-messages.js';
import { PoseGroups } from '../../api/ws/pose-groups.js';
import { Recent } from '../../api/ws/recent.js';
import { testEnvironment } from '../support/context.js';
import { person, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

/** A connection whose socket accepts everything, or as much as the test allows. */
function client() {
  const got: string[] = [];
  const closed: number[] = [];
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send: (text: string) => got.push(text),
    close: (code: number) => closed.push(code),
  });
  const caller = { account: { name: 'ada', role: 'viewer' }, expiresAt: null, again: () => caller } as const;
  return { connection: new Connection(socket as never, caller, '::1'), socket, got, closed };
}

const subscription = (
  id: number,
  filters: PoseFilters,
  form: 'a' | 'b' = 'b',
): Subscription<'pose_updates'> => ({
  id: String(id),
  channel: 'pose_updates',
  filters,
  environment: testEnvironment.id,
  form,
  alertsBefore: 0,
});

describe('one serialisation for each distinct filter', () => {
  const view = new PoseView(testEnvironment, 'test');
  let groups: PoseGroups;
  beforeEach(() => {
    groups = new PoseGroups(() => view);
  });

  test('with 300 clients and 20 filters, each frame is serialised 20 times', () => {
    const clients = Array.from({ length: 300 }, (_, index) => {
      const one = client();
      groups.add(subscription(index, { min_confidence: (index % 20) / 100 }), one.connection);
      return one;
    });
    for (let frame = 0; frame < 10; frame++) groups.deliver(poseFrame(frame));
    expect(groups.serialised).toBe(200);
    for (const [index, { got }] of clients.entries()) {
      expect(got).toHaveLength(10);
      expect(JSON.parse(got[9]!)).toMatchObject({ subscription_id: String(index), data: { frame_id: 9 } });
    }
  });

  test.each<[string, PoseFilters, PoseFilters, number]>([
    [
      'defaults are written out',
      {},
      { min_confidence: 0, include_keypoints: true, include_dense_pose: false },
      1,
    ],
    ['ids are reordered or repeated', { person_ids: [1, 2] }, { person_ids: [2, 1, 1] }, 1],
    ['ids differ', { person_ids: [1] }, { person_ids: [1, 2] }, 2],
    ['one leaves keypoints out', {}, { include_keypoints: false }, 2],
    ['none are selected, or all are', { person_ids: [] }, {}, 1],
  ])('%s', (_what, one, other, times) => {
    groups.add(subscription(1, one), client().connection);
    groups.add(subscription(2, other), client().connection);
    groups.deliver(poseFrame(1));
    expect(groups.serialised).toBe(times);
  });

  test('there are two forms', () => {
    groups.add(subscription(1, {}, 'a'), client().connection);
    groups.add(subscription(2, {}, 'b'), client().connection);
    groups.deliver(poseFrame(1));
    expect(groups.serialised).toBe(2);
  });

  test('unwanted messages are not serialised, and nothing is kept of clients who left', () => {
    const one = subscription(1, { person_ids: [7] });
    groups.add(one, client().connection);
    groups.deliver(poseFrame(1));
    expect(groups.serialised).toBe(0);
    groups.remove(one);
    expect(groups.size).toBe(0);
  });
});

describe('a slow client', () => {
  test('misses messages, which are counted, while too much waits, and gets the next ones', () => {
    const { connection, socket, got, closed } = client();
    socket.bufferedAmount = (1 << 20) + 1;
    for (let message = 0; message < 199; message++) connection.sendText('x');
    expect(got).toEqual([]);
    expect(connection.skipped).toBe(199);
    socket.bufferedAmount = 0;
    connection.sendText('y');
    socket.bufferedAmount = (1 << 20) + 1;
    for (let message = 0; message < 199; message++) connection.sendText('x');
    expect(got).toEqual(['y']);
    expect(closed).toEqual([]);
  });

  test('is closed with 1013 after 200 in a row', () => {
    const { connection, socket, closed } = client();
    socket.bufferedAmount = (1 << 20) + 1;
    for (let message = 0; message < 200; message++) connection.sendText('x');
    expect(closed).toEqual([1013]);
  });

  let service: TestService;
  beforeEach(async () => {
    service = await openService();
  });
  afterEach(() => service.close());

  test('neither delays others nor grows, on real sockets', async () => {
    const address = `${service.server.address.replace('http', 'ws')}/ws/pose?token=${service.token('viewer')}`;
    const open = async (): Promise<WebSocket> => {
      const socket = new WebSocket(address);
      await once(socket, 'message');
      socket.send(JSON.stringify({ type: 'subscribe', channel: 'pose_updates' }));
      await once(socket, 'message');
      return socket;
    };
    const [slow, quick] = [await open(), await open()];
    let frames = 0;
    quick.on('message', () => frames++);
    slow.pause();
    const crowd = Array.from({ length: 20 }, (_, index) => person(index + 1, index / 5, 2));
    let sent = 0;
    // Each frame is about 40 kB: the kernel buffers a few megabytes for the slow one, the service one.
    while (service.server.streams().skipped < 250 && sent < 2000) {
      service.main.publish(poseFrame(sent++, crowd));
      await expect.poll(() => frames, { interval: 1, timeout: 10_000 }).toBe(sent);
    }
    expect(service.server.streams().skipped).toBe(200);
    slow.resume();
    const [code] = (await once(slow, 'close')) as [number];
    expect(code).toBe(1013);
    quick.terminate();
  }, 60_000);
});

describe('ended subscriptions', () => {
  test('are kept for a minute', () => {
    const ended = new EndedSubscriptions();
    ended.add('ada', [subscription(1, {}), subscription(2, {})], 0);
    expect(ended.take('1', 'ada', 59_999)?.id).toBe('1');
    expect(ended.take('1', 'ada', 59_999)).toBeNull();
    expect(ended.take('2', 'ada', 60_000)).toBeNull();
  });

  test('are few per account, so that one account displaces no other', () => {
    const ended = new EndedSubscriptions();
    ended.add('bob', [subscription(9999, {})], 0);
    for (let index = 0; index < 500; index++) ended.add('ada', [subscription(index, {})], 0);
    expect(ended.take('479', 'ada', 1)).toBeNull();
    expect(ended.take('480', 'ada', 1)).not.toBeNull();
    expect(ended.take('9999', 'bob', 1)).not.toBeNull();
  });
});

test('are bounded to the newest messages of a stream', () => {
  const recent = new Recent<number>(3);
  for (let item = 1; item <= 100; item++) recent.push(item);
  expect(recent.items).toEqual([98, 99, 100]);
  expect(recent.since(99)).toEqual([100]);
  expect(recent.since(10)).toEqual([98, 99, 100]);
  expect(recent.since(100)).toEqual([]);
});
