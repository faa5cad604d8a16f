import { createSocket } from 'node:dgram';
import { udp } from '../../../pipeline/sources/udp.js';
import { datagrams } from '../csi-input.js';
import type { SourceDriver } from '../source.js';

export const source: SourceDriver = {
  component: udp,
  config: { port: 5005 },
  invalid: [{ port: 65_536 }, { host: '' }, { format: 'json' }, { block_records: 0 }],
  input: async () => ({
    config: { port: 0, receive_buffer_bytes: 65_536, idle_tick_ms: 0 },
    send: async (source) => {
      const { port } = source.describe!()['address'] as { port: number };
      const socket = createSocket('udp4');
      for (const bytes of datagrams(60))
        await new Promise((resolve) => {
          socket.send(bytes, port, '127.0.0.1', resolve);
        });
      await new Promise<void>((resolve) => {
        socket.close(resolve);
      });
    },
  }),
};
