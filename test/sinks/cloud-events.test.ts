import { CloudEvent, HTTP, Kafka, type CloudEventV1 } from 'cloudevents';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { address } from '../../sinks/kafka/address.js';
import { webhook } from '../../sinks/webhook/webhook.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { startReceiver, type Receiver } from '../support/http-receiver.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';

const secret = 'a secret of some length';
const MODES = ['binary', 'structured'] as const;

const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

async function posted(
  cloudevents: string,
  events: readonly ReturnType<typeof sensedEvent>[],
  topology = 'ward-3',
): Promise<void> {
  const { context } = testContext({ topology });
  const config = { url: receiver.url, secret, allow_private: true, cloudevents, max_in_flight: 1 };
  const sink = webhook.create(withDefaults(webhook, config) as never, context);
  await sink.open();
  try {
    await sink.write(events, 1);
  } finally {
    await sink.close();
  }
}

/** Events as the reference library of CloudEvents reads them; it throws at what the specification forbids. */
const received = (): CloudEventV1<Record<string, unknown>>[] =>
  receiver.calls.map(({ headers, body }) => {
    const event = HTTP.toEvent({ headers, body }) as CloudEvent<Record<string, unknown>>;
    expect(event.validate()).toBe(true);
    return event;
  });

const fall = {
  specversion: '1.0',
  id: 'test-room/fall_detection/7',
  source: '/topologies/ward-3',
  type: 'csiflow.alert.fall_detection',
  subject: 'test-room/person-1',
  time: '2023-11-14T22:13:20.700Z',
};

describe('webhooks as CloudEvents', () => {
  test.each(MODES)('%s: the reference library reads an alert with its attributes', async (mode) => {
    await posted(mode, [sensedEvent(7)]);
    const [event] = received();
    expect(event).toMatchObject(fall);
    expect(event!.data).toMatchObject({ type: 'alert', alert_id: fall.id, alert_type: 'fall_detection' });
    expect(event!.datacontenttype).toBe('application/json');
  });

  test('binary: the body is the one without CloudEvents; structured: it is `data`', async () => {
    for (const mode of ['none', ...MODES]) await posted(mode, [sensedEvent(7)]);
    const [plain, binary, structured] = receiver.calls;
    expect(plain!.headers).not.toHaveProperty('ce-id');
    expect(binary!.body).toBe(plain!.body);
    expect(binary!.headers['content-type']).toBe('application/json');
    expect(structured!.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    const { data } = JSON.parse(structured!.body) as { data: unknown };
    expect(data).toEqual(JSON.parse(plain!.body));
  });

  test('the signature covers the body that is sent', async () => {
    await posted('structured', [sensedEvent(7)]);
    const [{ headers, body }] = receiver.calls as [Receiver['calls'][number]];
    const text = `${String(headers['csiflow-timestamp'])}.${body}`;
    const expected = createHmac('sha256', secret).update(text).digest('hex');
    expect(headers['csiflow-signature']).toBe(`v1=${expected}`);
  });

  test.each(MODES)('%s: a retry has the same id and attributes', async (mode) => {
    const { context } = testContext({ topology: 'ward-3' });
    const config = { url: receiver.url, secret, allow_private: true, cloudevents: mode };
    const sink = webhook.create(withDefaults(webhook, config) as never, context);
    await sink.open();
    const codes = [500, 204];
    receiver.answer = (_call, response) => response.writeHead(codes.shift()!).end();
    try {
      const failed = sink.write([sensedEvent(7)], 1);
      await expect(failed).resolves.toMatchObject([{ retriable: true }]);
      await expect(sink.write([sensedEvent(7)], 1)).resolves.toEqual([]);
    } finally {
      await sink.close();
    }
    const [first, second] = received();
    expect(second).toEqual(first);
  });

  test('attributes that HTTP headers cannot carry arrive as they were', async () => {
    const names = ['Küche "3" 100%', 'a b', 'ward/€/𝄞'];
    for (const environment of names)
      for (const mode of MODES) await posted(mode, [sensedEvent(7, { environment })]);
    const subjects = receiver.calls.map(({ headers, body }) => {
      const inHeader = headers['ce-subject'];
      if (inHeader === undefined) return (JSON.parse(body) as { subject: string }).subject;
      expect(inHeader).toMatch(/^[\x21\x23-\x7e]+$/);
      return decodeURIComponent(inHeader as string);
    });
    expect(subjects).toEqual(names.flatMap((name) => [`${name}/person-1`, `${name}/person-1`]));
  });
});

describe('Kafka messages as CloudEvents', () => {
  const messages = (mode: 'none' | 'binary' | 'structured', records: Parameters<typeof address>[0]) => [
    ...address(records, { topic: 'all', cloudevents: mode }, 'ward-3', 1_000_000).messages.keys(),
  ];

  const records = [poseFrame(1), sensedEvent(7), measure(3, { name: 'motion', subject: 'a' })];

  test.each(MODES)('%s: the reference library reads pose, event and measure', (mode) => {
    const plain = messages('none', records).map(({ value }) => JSON.parse(value) as { id: string });
    const events = messages(mode, records).map(({ key, value, headers }) => {
      const body = mode === 'binary' ? (JSON.parse(value) as unknown) : value;
      const event = Kafka.toEvent({ key, value: body, headers: headers!, body } as never);
      expect((event as CloudEvent).validate()).toBe(true);
      return event as CloudEvent<{ id: string }>;
    });
    expect(events.map(({ id }) => id)).toEqual(plain.map(({ id }) => id));
    expect(events.map(({ data }) => data)).toEqual(plain);
    expect(events.map(({ type, subject, source }) => ({ type, subject, source }))).toEqual([
      { type: 'csiflow.pose', subject: 'test-room', source: '/topologies/ward-3' },
      { type: 'csiflow.event.fall_detection', subject: 'test-room/person-1', source: '/topologies/ward-3' },
      { type: 'csiflow.measure.motion', subject: 'test-room/a', source: '/topologies/ward-3' },
    ]);
  });

  test('without CloudEvents, a message has no headers', () => {
    for (const message of messages('none', records)) expect(message).not.toHaveProperty('headers');
  });

  test('headers count in the size that a topic accepts', () => {
    const limit = Buffer.byteLength(messages('none', records)[2]!.value) + 60;
    const fits = (mode: 'none' | 'binary') =>
      address([records[2]!], { topic: 'all', cloudevents: mode }, 'ward-3', limit).messages.size;
    expect([fits('none'), fits('binary')]).toEqual([1, 0]);
  });

  test('a name with characters that CloudEvents forbid gives attributes that are allowed', () => {
    const property = fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), (subject) => {
      const [message] = messages('binary', [measure(1, { subject })]);
      return Object.values(message!.headers!).every((value) => !FORBIDDEN.test(value));
    });
    fc.assert(property, { numRuns: 50, examples: [['a\nb'], ['\ud800'], ['\ufffe'], ['\u0085']] });
  });
});
