import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { LinkTable } from '../../pipeline/model/index.js';
import { udp } from '../../pipeline/sources/udp.js';
import { SAMPLES } from '../formats/samples.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';

/** What stands before a record in a file, and not in a datagram. */
const BEFORE: Readonly<Record<string, number>> = { atheros: 2 };

it.each(SAMPLES)('$format comes in over a real socket', async ({ format, records }) => {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const settings = {
    host: '127.0.0.1',
    port: 0,
    receive_buffer_bytes: 1 << 20,
    block_records: 64,
    idle_tick_ms: 0,
  };
  const source = udp.create({ ...settings, format }, context);
  const stop = new AbortController();
  const socket = createSocket('udp4');
  let frames = 0;
  const opened = new Promise<void>((resolve, reject) => {
    source
      .open(null, {
        signal: stop.signal,
        ready: resolve,
        offer: ({ raw }) => {
          const { data = [] } = raw ? source.decode!(raw) : {};
          for (const one of data) if (one.port === 'csi') frames += one.count;
          if (frames >= records.length) stop.abort();
          return true;
        },
      })
      .then(() => {
        socket.close();
      }, reject);
  });
  await opened;
  const { port } = source.describe!()['address'] as { readonly port: number };
  for (const record of records) socket.send(record.subarray(BEFORE[format] ?? 0), port, '127.0.0.1');
  await once(socket, 'close');
  expect(frames).toBeGreaterThanOrEqual(records.length);
});
