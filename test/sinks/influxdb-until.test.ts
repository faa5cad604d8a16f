import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { Connection } from '../../sinks/influxdb/connection.js';
import { InfluxReader } from '../../sinks/influxdb/reader.js';

test('an abandoned call is cancelled at InfluxDB', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = await Connection.to({
    ...{ url: `http://127.0.0.1:${port}`, database: 'csi', timeoutMs: 60_000 },
    ...{ username: null, password: null, token: null },
  });
  try {
    const end = new AbortController();
    const reader = new InfluxReader(() => connection, null).until(end.signal);
    const asked = once(server, 'request') as Promise<[IncomingMessage]>;
    const count = reader.countPoses({ environment: 'test-room' });
    const refused = expect(count).rejects.toThrow('nobody waits');
    const [request] = await asked;
    const closed = once(request.socket, 'close');
    end.abort(new Error('nobody waits'));
    await refused;
    await closed;
    await expect(reader.countPoses({ environment: 'test-room' })).rejects.toThrow('nobody waits');
  } finally {
    connection.close();
    server.closeAllConnections();
    server.close();
  }
});
