import { WebhookRegistry } from '../../../sinks/webhook/registry.js';
import { webhooks } from '../../../sinks/webhook/webhooks.js';
import type { Sink } from '../../../pipeline/component/index.js';
import { EVENT_TYPES } from '../../../pipeline/model/index.js';
import { NO_KEYS } from '../../../pipeline/state/index.js';
import { startReceiver } from '../../support/http-receiver.js';
import { HOP, sensedEvent, START, resultIdentity } from '../../support/records.js';
import { turn } from '../../../pipeline/base/waiting.js';
import type { SinkDriver } from '../sink.js';

/** The queues of all endpoints are empty. */
const isIdle = (sink: Sink): boolean =>
  (sink.describe!()['endpoints'] as { waiting: number }[]).every(({ waiting }) => waiting === 0);

export const sink: SinkDriver = {
  component: webhooks,
  config: {},
  invalid: [{ url: 'https://alarms.example' }, { max_events_per_hour: 10_001 }, { timeout_ms: 1 }],
  backend: async (folder) => {
    const receiver = await startReceiver();
    const secret = 'a secret of some length';
    new WebhookRegistry(folder, NO_KEYS).add({ url: receiver.url, events: [...EVENT_TYPES], secret }, 0);
    return {
      config: { allow_private: true },
      read: async (opened) => {
        while (!isIdle(opened)) await turn();
        return receiver.calls.map(({ body }) => {
          const { timestamp } = JSON.parse(body) as { timestamp: string };
          return `event ${Math.round((Date.parse(timestamp) * 1000 - START) / HOP)}`;
        });
      },
      close: () => receiver.close(),
    };
  },
  record: sensedEvent,
  identity: resultIdentity,
  // It makes concurrent calls.
  ordered: false,
};
