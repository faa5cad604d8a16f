import { HTTP, type CloudEvent } from 'cloudevents';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { ResultMessage } from '../../pipeline/formats/json/result-schema.js';
import { nats } from '../../sinks/nats/nats.js';
import { withDefaults } from '../kit/definition.js';
import { messagesOf, ownStream, sink as driver, useNats } from '../kit/drivers/nats.js';
import { sinkConformance } from '../kit/sink.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';
import { startNats } from '../support/servers/nats.js';
import { freePorts, type Server } from '../support/servers/server.js';
import { startProxy } from '../support/tcp-proxy.js';

let server: Server;
let address: string;
beforeAll(async () => {
  ({ server, address } = await startNats());
  useNats(address);
}, 60_000);
afterAll(async () => {
  await server.stop();
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function make(config: object): Sink {
  const sink = nats.create(withDefaults(nats, config) as never, testContext().context);
  closing.push(() => sink.close());
  return sink;
}

async function opened(overrides: object = {}) {
  const config = { ...ownStream(), ...overrides };
  const sink = make(config);
  await sink.open();
  return { sink, config };
}

sinkConformance('nats over NATS 2.15', driver);

describe('messages', () => {
  test('are JSON of the published schema, under a subject of their kind', async () => {
    const { sink, config } = await opened();
    const records = [
      poseFrame(1),
      sensedEvent(2),
      measure(3, { name: 'motion' }),
      measure(4, { name: 'a.b *' }),
    ];
    expect(await sink.write(records, 1)).toEqual([]);
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const fits = ajv.compile(ResultMessage);
    const messages = await messagesOf(config.stream);
    for (const { value } of messages) expect(fits(value), JSON.stringify(fits.errors)).toBe(true);
    expect(messages.map(({ subject }) => subject)).toEqual(
      ['pose', 'event.fall_detection', 'measure.motion', 'measure.a%2Eb%20%2A'].map(
        (rest) => `${config.subject}.test-room.${rest}`,
      ),
    );
  });

  test.each(['binary', 'structured'])('%s: the reference library reads CloudEvents', async (cloudevents) => {
    const { sink, config } = await opened({ cloudevents });
    expect(await sink.write([sensedEvent(7)], 1)).toEqual([]);
    const [{ headers, value }] = (await messagesOf(config.stream)) as [
      Awaited<ReturnType<typeof messagesOf>>[0],
    ];
    const event = HTTP.toEvent({ headers, body: JSON.stringify(value) }) as CloudEvent<{ id: string }>;
    expect(event.validate()).toBe(true);
    expect(event).toMatchObject({
      id: 'test-room/fall_detection/7',
      type: 'csiflow.event.fall_detection',
      data: { id: 'test-room/fall_detection/7' },
    });
  });

  test('the stream drops those that are sent again, by another process too', async () => {
    const { sink, config } = await opened();
    expect(await sink.write([measure(1), measure(2)], 1)).toEqual([]);
    await sink.close();
    const again = make(config);
    await again.open();
    expect(await again.write([measure(1), measure(2), measure(3)], 1)).toEqual([]);
    expect(await messagesOf(config.stream)).toHaveLength(3);
    expect(again.describe!()).toMatchObject({ messages: 3, duplicates: 2 });
  });

  test('those that JSON cannot express, or that are too large, are rejected alone', async () => {
    const { sink, config } = await opened();
    const large = sensedEvent(2, { metadata: { note: 'x'.repeat(1_100_000) } });
    const failed = await sink.write([measure(1, { value: NaN }), large, measure(3)], 1);
    expect(failed.map(({ code, retriable }) => [code, retriable])).toEqual([
      ['nats.value.invalid', false],
      ['nats.record.too_large', false],
    ]);
    expect(await messagesOf(config.stream)).toHaveLength(1);
  });
});

describe('faults', () => {
  test('a missing stream aborts the start and says what to do', async () => {
    await expect(make({ ...ownStream(), create_stream: false }).open()).rejects.toMatchObject({
      code: 'nats.stream',
      retriable: false,
      message: expect.stringMatching(/has no stream `test-\d+`: create it, or set `create_stream/) as string,
    });
  });

  test('nothing listening is an outage', async () => {
    const [port] = await freePorts(1);
    await expect(make({ servers: [`127.0.0.1:${port}`] }).open()).rejects.toMatchObject({
      code: 'nats.unavailable',
      retriable: true,
      message: expect.stringContaining(`NATS at 127.0.0.1:${port} cannot be reached`) as string,
    });
  });

  test('a wrong login aborts the start, a right one works', async () => {
    const guarded = await startNats('--user', 'csiflow', '--pass', 'nats-pw');
    try {
      const config = { ...ownStream(), servers: [guarded.address], username: 'csiflow' };
      const failed = make({ ...config, password: 'wrong-pw' }).open();
      await expect(failed).rejects.toMatchObject({ code: 'nats.login', retriable: false });
      await expect(failed).rejects.not.toThrow(/wrong-pw/);
      const sink = make({ ...config, password: 'nats-pw' });
      await sink.open();
      expect(await sink.write([measure(1)], 1)).toEqual([]);
      await sink.close();
    } finally {
      await guarded.server.stop();
    }
  });

  test('after a crash of the server, everything confirmed is there, and writing continues', async () => {
    const { sink, config } = await opened();
    expect(await sink.write([measure(1)], 1)).toEqual([]);
    await server.crash();
    await expect(sink.write([measure(2)], 2)).rejects.toMatchObject({ retriable: true });
    await server.start();
    expect(await sink.write([measure(2)], 2)).toEqual([]);
    expect(await messagesOf(config.stream)).toHaveLength(2);
  });

  test('a connection that breaks or stalls within a write loses and doubles nothing', async () => {
    const proxy = await startProxy(Number(address.split(':')[1]));
    closing.push(() => proxy.close());
    const { sink, config } = await opened({ servers: [`127.0.0.1:${proxy.port}`], timeout_ms: 500 });
    proxy.tear(20);
    await expect(sink.write([measure(1)], 1)).rejects.toMatchObject({ retriable: true });
    expect(await sink.write([measure(1)], 1)).toEqual([]);
    proxy.stall();
    await expect(sink.write([measure(2)], 1)).rejects.toMatchObject({ retriable: true });
    proxy.mend();
    expect(await sink.write([measure(1), measure(2)], 1)).toEqual([]);
    expect(await messagesOf(config.stream)).toHaveLength(2);
  });

  test('results wait while the stream is full or deleted; a deleted one is created again', async () => {
    const { sink, config } = await opened();
    const { connect } = await import('@nats-io/transport-node');
    const { jetstreamManager } = (await import('@nats-io/jetstream')).default;
    const connection = await connect({ servers: address });
    closing.push(() => connection.close());
    const manager = await jetstreamManager(connection);
    await manager.streams.update(config.stream, { max_msgs: 2, discard: 'new' });
    const records = [1, 2, 3].map((index) => measure(index));
    expect(await sink.write(records, 1)).toMatchObject([
      { record: records[2], retriable: true, reason: expect.stringContaining('maximum messages') as string },
    ]);
    await manager.streams.update(config.stream, { max_msgs: 9 });
    expect(await sink.write([measure(3)], 1)).toEqual([]);
    await manager.streams.delete(config.stream);
    await expect(sink.write([measure(4)], 1)).rejects.toThrow(/no stream of NATS .* has the subject/);
    expect(await sink.write([measure(4)], 1)).toEqual([]);
    expect(await messagesOf(config.stream)).toHaveLength(1);
  });
});
