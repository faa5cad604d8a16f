import type { IPublishPacket } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { recordLocation } from '../../pipeline/component/index.js';
import { Inbox } from '../../pipeline/sources/mqtt/inbox.js';
import { TakenMessages } from '../../pipeline/sources/mqtt/taken.js';
import { testContext } from '../support/context.js';
import { jsonFrameAt, JSON_SECOND } from '../support/json-frames.js';
import { collector } from './outputs.js';
import { eventually } from '../support/waiting.js';

const settings = { format: 'adr018', block_records: 64, idle_tick_ms: 0 };

function inboxAfter(taken: TakenMessages, used = settings) {
  const collected = collector();
  const inbox = new Inbox(used, testContext().context, collected.output, null, taken);
  let confirmed = 0;
  const receive = (text: string, dup: boolean, topic = 'csi/a', properties = {}) => {
    const payload = Buffer.from(text);
    const packet = { cmd: 'publish', qos: 1, dup, retain: false, topic, payload, properties };
    inbox.receive(packet as IPublishPacket, () => confirmed++);
  };
  const texts = () =>
    collected.batches.flatMap(({ raw }) =>
      Array.from({ length: raw!.count }, (_, index) =>
        Buffer.from(raw!.bytes.subarray(raw!.offsets[index], raw!.offsets[index + 1])).toString(),
      ),
    );
  return { inbox, receive, texts, collected, confirmed: () => confirmed };
}

const upTo = (count: number): string[] => Array.from({ length: count }, (_, index) => `message ${index}`);

test('confirms thousands of repeated messages, and accepts each once', async () => {
  const first = inboxAfter(new TakenMessages());
  for (const text of upTo(3000)) first.receive(text, false);
  await first.inbox.close();
  const decoded = new TakenMessages();
  for (const { raw } of first.collected.batches) decoded.addAll(raw!);
  const restored = new TakenMessages();
  restored.restore(decoded.snapshot());

  const second = inboxAfter(restored);
  for (const text of upTo(3000)) second.receive(text, true);
  second.receive('new', true);
  await eventually(() => {
    expect(second.confirmed()).toBe(3001);
  });
  expect(second.texts()).toEqual(['new']);
  expect(second.inbox.describe()).toMatchObject({ sent_again: 3000 });
});

test('after the first new message nothing is a repetition, whatever its flag', async () => {
  const taken = new TakenMessages();
  taken.add('csi/a', Buffer.from('same'));
  taken.add('csi/b', Buffer.from('same'));
  const { inbox, receive, texts } = inboxAfter(taken);
  receive('same', true);
  receive('other', true);
  receive('same', true);
  receive('same', true, 'csi/b');
  await inbox.close();
  expect(texts()).toEqual(['other', 'same']);
});

test('a new connection may repeat messages again', async () => {
  const { inbox, receive, texts } = inboxAfter(new TakenMessages());
  receive('one', true);
  inbox.connected = false;
  inbox.connected = true;
  receive('one', true);
  await inbox.close();
  expect(texts()).toEqual(['one']);
});

test('messages that arrive in the same moment have a time each, unless their publisher states one', async () => {
  const { inbox, receive, collected } = inboxAfter(new TakenMessages());
  for (const text of upTo(3)) receive(text, false);
  const stated = { userProperties: { 'csiflow-time': '9000' } };
  for (const text of ['a', 'b']) receive(text, false, 'csi/a', stated);
  await inbox.close();
  const [first, ...others] = collected.batches.flatMap(({ raw }) => [...raw!.time]);
  expect(others.map((time) => time - first!)).toEqual([1, 2, 2, 2]);
});

describe('a message of several lines', () => {
  const lines = Array.from({ length: 5 }, (_, i) => `CSIRAW ${i} ${i * 10} -40 128 ${'0a'.repeat(128)}`);
  const inLines = { ...settings, format: 'esp32-serial', block_records: 2 };

  test('becomes as many records, with a time each, and is confirmed with the last one', async () => {
    const { inbox, receive, texts, collected, confirmed } = inboxAfter(new TakenMessages(), inLines);
    receive(lines.join('\n'), false);
    await inbox.close();
    expect(texts()).toEqual(lines);
    const times = collected.batches.flatMap(({ raw }) => [...raw!.time]);
    expect(times).toEqual(times.map((_, i) => times[0]! + i));
    expect(collected.batches.map(({ raw }) => recordLocation(raw!, 0))).toEqual([
      'message: line 1 (byte 0)',
      `message: line 3 (byte ${lines.slice(0, 2).join('\n').length + 1})`,
      `message: line 5 (byte ${lines.slice(0, 4).join('\n').length + 1})`,
    ]);
    expect(confirmed()).toBe(1);
  });

  test('gives no location to a message of one line in its batch', async () => {
    const { inbox, receive, collected } = inboxAfter(new TakenMessages(), { ...inLines, block_records: 64 });
    receive(lines.slice(0, 2).join('\n'), false);
    receive(lines[2]!, false);
    await inbox.close();
    const { raw } = collected.batches[0]!;
    expect([0, 1, 2].map((index) => recordLocation(raw!, index))).toEqual([
      'message: line 1 (byte 0)',
      `message: line 2 (byte ${lines[0]!.length + 1})`,
      '',
    ]);
  });

  test('is known again after a restart', async () => {
    const first = inboxAfter(new TakenMessages(), inLines);
    first.receive(lines.join('\n'), false);
    await first.inbox.close();
    const decoded = new TakenMessages();
    for (const { raw } of first.collected.batches) decoded.addAll(raw!);

    const second = inboxAfter(decoded, inLines);
    second.receive(lines.join('\n'), true);
    const others = lines.map((line) => line.replace('-40', '-41'));
    second.receive(others.join('\n'), true);
    await second.inbox.close();
    expect(second.texts()).toEqual(others);
    expect(second.confirmed()).toBe(2);
  });

  const takenOf = (texts: readonly string[]): TakenMessages => {
    const taken = new TakenMessages();
    for (const text of texts) taken.add('csi/a', Buffer.from(text));
    return taken;
  };

  test('is another one if only its last line came before', async () => {
    const log = 'I (12) wifi: ready';
    const { inbox, receive, texts } = inboxAfter(takenOf([lines[0]!, log]), inLines);
    receive([lines[1]!, log].join('\n'), true);
    await inbox.close();
    expect(texts()).toEqual([lines[1], log]);
  });

  test('is continued if a crash came between its batches', async () => {
    const { inbox, receive, texts, confirmed } = inboxAfter(takenOf(lines.slice(0, 2)), inLines);
    receive(lines.join('\n'), true);
    await inbox.close();
    expect(texts()).toEqual(lines.slice(2));
    expect(confirmed()).toBe(1);
  });

  test('is known although it has more lines than are remembered', async () => {
    const many = Array.from({ length: 8_200 }, (_, i) => lines[0]!.replace('CSIRAW 0', `CSIRAW ${i}`));
    const { inbox, receive, confirmed, texts } = inboxAfter(takenOf(many), inLines);
    receive(many.join('\n'), true);
    await inbox.close();
    expect([texts(), confirmed()]).toEqual([[], 1]);
  });

  test('has all its lines, also behind its first megabyte', async () => {
    const long = `I (12) dump: ${'0'.repeat(700_000)}`;
    const { inbox, receive, texts } = inboxAfter(new TakenMessages(), inLines);
    receive([long, long.replaceAll('0', '1'), lines[0]!].join('\n'), false);
    await inbox.close();
    expect(texts().map(({ length }) => length)).toEqual([long.length, long.length, lines[0]!.length]);
  });

  test.each(['auto', 'csi-json'])('of JSON that states its times has them, read as %s', async (format) => {
    const used = inboxAfter(new TakenMessages(), { ...inLines, format });
    used.receive([jsonFrameAt(1), 'I (12) wifi: ready', jsonFrameAt(3)].join('\n'), false);
    await used.inbox.close();
    const times = used.collected.batches.flatMap(({ raw }) => [...raw!.time]);
    expect(times).toEqual([JSON_SECOND, JSON_SECOND + 1, JSON_SECOND + 2_000_000]);
  });

  test('of JSON has the time that its publisher states, if there is one', async () => {
    const used = inboxAfter(new TakenMessages(), { ...inLines, format: 'auto' });
    const properties = { userProperties: { 'csiflow-time': '9000' } };
    used.receive([jsonFrameAt(1), jsonFrameAt(3)].join('\n'), false, 'csi/a', properties);
    await used.inbox.close();
    expect([...used.collected.batches[0]!.raw!.time]).toEqual([9000, 9001]);
  });
});

test('lines of two messages of one moment have a time each', async () => {
  const { inbox, receive, collected } = inboxAfter(new TakenMessages(), { ...settings, format: 'auto' });
  const lines = [1, 2].map((n) => `CSIRAW ${n} 10 -40 128 ${'0a'.repeat(128)}`).join('\n');
  for (const topic of ['csi/a', 'csi/b'])
    receive(lines, false, topic, { userProperties: { 'csiflow-time': '7000' } });
  await inbox.close();
  expect(collected.batches.flatMap(({ raw }) => [...raw!.time])).toEqual([7000, 7001, 7002, 7003]);
});
