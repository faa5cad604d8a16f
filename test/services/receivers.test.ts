import { connectAsync } from 'mqtt';
import { test } from 'vitest';
import { encodeOneWifi } from '../../pipeline/formats/devices/onewifi/onewifi.js';
import { afterThisTest } from '../support/clean-up.js';
import { feed, moving, startExample, stored } from '../support/receivers.js';
import { freePorts, Server, serverFolder } from '../support/servers/server.js';

/** OneWifi's message about a station: 802.11ac at 20 MHz, one antenna. */
function station(index: number): string {
  const values = moving(5 * index, 56);
  return encodeOneWifi({
    mac: '02:00:00:00:00:01',
    info: {
      ...{ mode: 0x10, rx: 1, tx: 1, rssi: [-50], mask: 1, width: 20, carriers: 56, decimation: 0 },
      ...{ channel: 36, timestamp: 1_700_000_000_000 + index * 100 },
    },
    matrix: (_, __, tone, part) => values[2 * tone + part]!,
  });
}

// The other examples of `topologies/` need no server: test/long/receivers.test.ts.
test('onewifi-mqtt: messages that a router publishes to mosquitto', { timeout: 300_000 }, async () => {
  const [port] = (await freePorts(1)) as [number];
  const folder = await serverFolder('mosquitto');
  // As installed: open to this machine.
  const server = new Server({
    name: 'mosquitto',
    folder,
    ports: [port],
    command: ['mosquitto', '-p', String(port)],
  });
  afterThisTest(() => server.stop());
  await server.start();
  const MQTT = `mqtt://127.0.0.1:${port}`;
  const example = await startExample('onewifi-mqtt', { MQTT });
  const client = await connectAsync(MQTT);
  afterThisTest(() => client.endAsync(true));
  await feed(example, 100, (index) => client.publishAsync('csi/router-1', station(index), { qos: 1 }), false);
  await stored(example, false);
});
