import { http } from '../../../pipeline/sources/http/http.js';
import type { SourceDriver } from '../source.js';
import { formatRecords } from './formats.js';

export const source: SourceDriver = {
  component: http,
  config: { port: 5080 },
  invalid: [
    { port: 65_536 },
    { host: '' },
    { route: 'csi' },
    { format: 'json' },
    { token: 'short' },
    { cert: 'cert.pem' },
    { max_body_bytes: 1 },
  ],
  input: async () => ({
    config: { port: 0, idle_tick_ms: 0 },
    send: async (source) => {
      const { port } = source.describe!()['address'] as { port: number };
      for (let index = 0; index < 60; index++) {
        const { bytes } = formatRecords['adr018']!(index);
        const answer = await fetch(`http://127.0.0.1:${port}/csi`, {
          method: 'POST',
          body: Buffer.from(bytes),
        });
        if (answer.status !== 200) throw new Error(await answer.text());
      }
    },
  }),
};
