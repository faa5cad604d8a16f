import { connectAsync } from 'mqtt';
import { expect } from 'vitest';
import { mqtt as mqttSource } from '../../../pipeline/sources/mqtt/mqtt.js';
import { mqtt } from '../../../sinks/mqtt/mqtt.js';
import { testContext } from '../../support/context.js';
import { startBroker } from '../../support/mqtt-broker.js';
import { HOP, START, resultIdentity, resultRecord } from '../../support/records.js';
import { datagrams } from '../csi-input.js';
import type { SinkDriver } from '../sink.js';
import type { SourceDriver } from '../source.js';
import { eventually } from '../../support/waiting.js';

const invalid = [
  {},
  { url: 'http://localhost' },
  { url: 'mqtt://user:password@localhost' },
  { url: 'mqtt://localhost', password: 'alone' },
  { url: 'mqtt://localhost', ca: 'ca.pem' },
];

export const sink: SinkDriver = {
  component: mqtt,
  config: { url: 'mqtt://localhost' },
  invalid: [
    ...invalid,
    { url: 'mqtt://localhost', qos_alert: 2 },
    { url: 'mqtt://localhost', prefix: 'a/#' },
    { url: 'mqtt://localhost', home_assistant_entities: ['cat'] },
  ],
  backend: async () => {
    const { port, close } = await startBroker();
    const url = `mqtt://127.0.0.1:${port}`;
    const { context, recorded } = testContext();
    const seen: string[] = [];
    // Messages derived from several records have no identity.
    let derived = 0;
    const reader = await connectAsync(url);
    reader.on('message', (topic, payload) => {
      if (topic.includes('/status/')) {
        derived++;
        return;
      }
      const body = JSON.parse(payload.toString()) as { timestamp: string };
      const index = Math.round((Date.parse(body.timestamp) * 1000 - START) / HOP);
      const port = topic.includes('/pose/') ? 'pose' : topic.includes('/alerts/') ? 'event' : 'measure';
      seen.push(`${port} ${index}`);
    });
    const topics = ['pose/summary', 'alerts/+', 'analytics/+', 'status/occupancy', 'status/room'];
    await reader.subscribeAsync(
      topics.map((topic) => `csiflow/+/${topic}`),
      { qos: 1 },
    );
    return {
      config: { url, protocol: '3.1.1', summary_interval_ms: 0, persons: false },
      context,
      read: async () => {
        await eventually(() => {
          expect(seen.length + derived).toBe(recorded.counts['published'] ?? 0);
        });
        return seen;
      },
      close: async () => {
        await reader.endAsync(true);
        await close();
      },
    };
  },
  record: resultRecord,
  identity: resultIdentity,
};

export const source: SourceDriver = {
  component: mqttSource,
  config: { url: 'mqtt://localhost', topics: ['csi/+'] },
  invalid: [
    ...invalid.map((bad) => ({ ...bad, topics: ['csi/+'] })),
    { url: 'mqtt://localhost', topics: [] },
    { url: 'mqtt://localhost', topics: ['csi/#/more'] },
    { url: 'mqtt://localhost', topics: ['csi+'] },
    { url: 'mqtt://localhost', topics: ['csi'], format: 'json' },
  ],
  input: async () => {
    const { port, close } = await startBroker();
    const url = `mqtt://127.0.0.1:${port}`;
    return {
      config: { url, protocol: '3.1.1', topics: ['csi/+'], idle_tick_ms: 0 },
      send: async () => {
        const client = await connectAsync(url);
        for (const bytes of datagrams(60))
          await client.publishAsync('csi/receiver', Buffer.from(bytes), { qos: 1 });
        await client.endAsync();
      },
      close,
    };
  },
};
