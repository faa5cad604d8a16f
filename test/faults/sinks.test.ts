import { connectAsync } from 'mqtt';
import { afterEach, describe, expect, test } from 'vitest';
import type { Component } from '../../pipeline/component/index.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { mqtt } from '../../sinks/mqtt/mqtt.js';
import { webhook } from '../../sinks/webhook/webhook.js';
import { alarm, counter, runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { startReceiver } from '../support/http-receiver.js';
import { startInfluxStub } from '../support/influx-stub.js';
import { startBroker } from '../support/mqtt-broker.js';
import { startProxy, type TcpProxy } from '../support/tcp-proxy.js';

/** Behaviour of each sink that has a server when the connection to it breaks. Alerts must arrive. */

interface Server {
  readonly port: number;
  /** Ids of the alerts received, once or more often. */
  readonly ids: () => ReadonlySet<string>;
  readonly close: () => Promise<void>;
}

interface Subject {
  readonly component: Component;
  readonly server: () => Promise<Server>;
  readonly config: (port: number) => Record<string, unknown>;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  influxdb: {
    component: influxdb,
    server: async () => {
      const stub = await startInfluxStub();
      const ids = () =>
        new Set([...stub.points.values()].map(({ fields }) => (fields['id'] ?? '').replaceAll('"', '')));
      return { port: Number(new URL(stub.url).port), ids, close: () => stub.close() };
    },
    config: (port) => ({ url: `http://127.0.0.1:${port}`, timeout_ms: 1000 }),
  },
  mqtt: {
    component: mqtt,
    server: async () => {
      const { port, close } = await startBroker();
      const seen = new Set<string>();
      const reader = await connectAsync(`mqtt://127.0.0.1:${port}`);
      reader.on('message', (_topic, payload) => {
        seen.add((JSON.parse(payload.toString()) as { alert_id: string }).alert_id);
      });
      await reader.subscribeAsync('csiflow/+/alerts/+', { qos: 1 });
      const end = async () => {
        await reader.endAsync(true);
        await close();
      };
      return { port, ids: () => seen, close: end };
    },
    config: (port) => ({ url: `mqtt://127.0.0.1:${port}`, protocol: '3.1.1' }),
  },
  webhook: {
    component: webhook,
    server: async () => {
      const receiver = await startReceiver();
      const ids = () => new Set(receiver.calls.map(({ headers }) => String(headers['idempotency-key'])));
      return { port: receiver.port, ids, close: () => receiver.close() };
    },
    config: (port) => ({
      url: `http://127.0.0.1:${port}/alerts`,
      secret: 'canary-secret-of-the-webhook',
      allow_private: true,
      timeout_ms: 1000,
    }),
  },
};

const ALERTS = 30;
const ALL = Array.from({ length: ALERTS }, (_, number) => `test-room/fall_detection/${number}`).sort();

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Sends alerts to the sink behind a proxy, and to a table beside it. */
async function site({ component, server, config }: Subject) {
  const started = await server();
  open.push(started.close);
  const proxy = await startProxy(started.port);
  open.push(() => proxy.close());
  const sibling = new Table();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: ALERTS, block: 3 } },
        alarms: { component: alarm, from: ['in'] },
        out: { component, from: ['alarms'], config: config(proxy.port) },
        sibling: { component: sibling.component, from: ['alarms'] },
      },
      temporaryFolder(),
    ),
    { patience: { stopMs: 500 } },
  );
  return { proxy, runner, sibling, ids: () => [...started.ids()].filter((id) => id !== '').sort() };
}

/**
 * Breaks the connection before the start, and restores it once the sibling has everything and the fault was
 * reported.
 */
const away = (fault: (proxy: TcpProxy) => void) => async (subject: Subject) => {
  const { proxy, runner, sibling, ids } = await site(subject);
  fault(proxy);
  await runner.start();
  await until('the sibling', () => sibling.stored.length === ALERTS);
  await until('it to be degraded', () => runner.status().state === 'degraded');
  expect(ids()).toEqual([]);
  proxy.mend();
  await expect.poll(ids).toEqual(ALL);
  await expect.poll(() => runner.status().state).toBe('running');
};

const FAULTS: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  'is not there at the start, and comes later': away((proxy) => {
    proxy.cut();
  }),
  'takes connections and never answers, for a while': away((proxy) => {
    proxy.stall();
  }),
  'breaks off when half of a batch has come': async (subject) => {
    const { proxy, runner, sibling, ids } = await site(subject);
    await runner.start();
    proxy.tear(40);
    await until('the sibling', () => sibling.stored.length === ALERTS);
    await expect.poll(ids).toEqual(ALL);
  },
  'goes away again and again': async (subject) => {
    const { proxy, runner, sibling, ids } = await site(subject);
    await runner.start();
    for (let times = 0; times < 3; times++) {
      proxy.cut();
      await new Promise((resolve) => setImmediate(resolve));
      proxy.mend();
    }
    await until('the sibling', () => sibling.stored.length === ALERTS);
    await expect.poll(ids).toEqual(ALL);
    await expect.poll(() => runner.status().state).toBe('running');
  },
  'is a hundred times slower': async (subject) => {
    const { proxy, runner, sibling, ids } = await site(subject);
    proxy.slow(50);
    await runner.start();
    await until('the sibling', () => sibling.stored.length === ALERTS);
    await expect.poll(ids).toEqual(ALL);
    expect(runner.status().state).not.toBe('failed');
  },
};

describe.each(Object.keys(SUBJECTS))('the server of %s', (name) => {
  test.each(Object.keys(FAULTS))(
    '%s: other sinks continue, and every alert arrives with its id',
    async (fault) => {
      await FAULTS[fault]!(SUBJECTS[name]!);
    },
    60_000,
  );
});
