import { websocket } from '../../../sinks/websocket.js';
import { sensedEvent, resultIdentity } from '../../support/records.js';
import type { SinkDriver } from '../sink.js';

export const sink: SinkDriver = {
  component: websocket,
  config: {},
  invalid: [{ recent_events: -1 }, { remembered_ids: 0 }],
  backend: async () => ({
    config: { recent_events: 1_000 },
    read: async ({ feed }) => feed!.recentEvents!('test-room').map(resultIdentity),
  }),
  // For other records it keeps only the newest; test/sinks/websocket.test.ts covers all of them.
  record: sensedEvent,
  identity: resultIdentity,
  stored: false,
};
