import { webhook } from '../../../sinks/webhook/webhook.js';
import { startReceiver } from '../../support/http-receiver.js';
import { HOP, sensedEvent, START, resultIdentity } from '../../support/records.js';
import type { SinkDriver } from '../sink.js';

const secret = 'a secret of some length';

export const sink: SinkDriver = {
  component: webhook,
  config: { url: 'https://alarms.example/csiflow', secret },
  invalid: [
    {},
    { url: 'https://alarms.example' },
    { url: 'https://alarms.example', secret: 'short' },
    { url: 'ftp://alarms.example', secret },
    { url: 'https://user:password@alarms.example', secret },
    { url: 'http://[', secret },
    { url: 'http://alarms.example', secret, ca: 'ca.pem' },
    { url: 'https://alarms.example', secret, events: ['cat'] },
    { url: 'https://alarms.example', secret, max_events_per_hour: 10_001 },
  ],
  backend: async () => {
    const receiver = await startReceiver();
    return {
      config: { url: receiver.url, secret, allow_private: true },
      read: async () =>
        receiver.calls.map(({ body }) => {
          const { timestamp } = JSON.parse(body) as { timestamp: string };
          return `event ${Math.round((Date.parse(timestamp) * 1000 - START) / HOP)}`;
        }),
      close: () => receiver.close(),
    };
  },
  record: sensedEvent,
  identity: resultIdentity,
  // It makes concurrent calls.
  ordered: false,
};
