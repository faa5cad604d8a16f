import { connect } from '@nats-io/transport-node';
import jetstream from '@nats-io/jetstream';
import { nats } from '../../../sinks/nats/nats.js';
import { HOP, START, resultIdentity, resultRecord } from '../../support/records.js';
import type { SinkDriver } from '../sink.js';

let address: string;
let streams = 0;

/** test/services/nats.test.ts runs the kit with a real server. */
export const useNats = (started: string): void => {
  address = started;
};

/** A message as a consumer gets it. */
export interface Stored {
  readonly subject: string;
  readonly value: { readonly id: string; readonly type: string; readonly timestamp: string };
  readonly headers: Readonly<Record<string, string>>;
}

/** Configuration of a sink with a stream of its own, which it creates. */
export const ownStream = () => {
  const name = `test-${++streams}`;
  return { servers: [address], stream: name, subject: name, create_stream: true };
};

/** All messages of a stream, in order. */
export async function messagesOf(stream: string, server = address): Promise<readonly Stored[]> {
  const connection = await connect({ servers: server });
  try {
    const manager = await jetstream.jetstreamManager(connection);
    const { messages, first_seq: first } = (await manager.streams.info(stream)).state;
    const found: Stored[] = [];
    for (let seq = first; seq < first + messages; seq++) {
      const message = await manager.streams.getMessage(stream, { seq });
      const names = message!.header.keys();
      found.push({
        subject: message!.subject,
        value: message!.json(),
        headers: Object.fromEntries(names.map((name) => [name, message!.header.get(name)])),
      });
    }
    return found;
  } finally {
    await connection.close();
  }
}

export const sink: SinkDriver = {
  component: nats,
  config: {},
  invalid: [
    { servers: [] },
    { servers: ['nats'] },
    { servers: ['user:password@nats:4222'] },
    { stream: 'a.b' },
    { subject: 'a.>' },
    { subject: 'a..b' },
    { token: 'a', username: 'b' },
    { password: 'a' },
    { ca: 'ca.pem' },
    { cloudevents: 'yes' },
  ],
  server: true,
  backend: async () => {
    const config = ownStream();
    return Promise.resolve({
      config,
      read: async () =>
        (await messagesOf(config.stream)).map(
          ({ value: { type, timestamp } }) => `${type} ${(Date.parse(timestamp) * 1000 - START) / HOP}`,
        ),
    });
  },
  record: resultRecord,
  identity: resultIdentity,
};
