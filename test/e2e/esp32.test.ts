import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { csiflow } from '../support/csiflow.js';
import {
  numberOf,
  RAW_FRAMES,
  recording,
  runAtSpeed,
  startUdp,
  storedRows,
  textsOf,
  writtenFiles,
} from './recording.js';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'csiflow-e2e-'));
});
afterEach(() => rm(data, { recursive: true }));

interface Update {
  readonly type: string;
}

describe.runIf(recording)('the recording of two ESP32 nodes', () => {
  test('replayed to the UDP port at ten times its speed: every frame arrives, results are stored and served', async () => {
    const { run, port, address, token, database } = await startUdp(data);
    try {
      const socket = new WebSocket(`${address.replace('http', 'ws')}/ws/pose`, ['pose_v1', token]);
      const updates: Update[] = [];
      await once(socket, 'open');
      socket.on('message', (text: Buffer) => {
        const message = JSON.parse(text.toString()) as Update;
        if (message.type === 'pose_update') updates.push(message);
      });
      socket.send(JSON.stringify({ type: 'subscribe', channel: 'pose_updates' }));

      const replay = await csiflow('replay', recording!, '--to', `udp://127.0.0.1:${port}`, '--speed', '10');
      expect(replay.code, replay.output).toBe(0);
      const headers = { Authorization: `Bearer ${token}` };
      const packets = async (): Promise<unknown> => {
        const response = await fetch(`${address}/form-b/api/v1/topologies/esp32-udp`, { headers });
        const { data: status } = (await response.json()) as {
          data: { nodes: { id: string; details: unknown }[] };
        };
        return status.nodes.find(({ id }) => id === 'routers')!.details;
      };
      await expect.poll(packets, { timeout: 10_000 }).toMatchObject({
        packets: { csi: RAW_FRAMES, vitals: 236, features: 236 },
        malformed: { truncated: 0, unknown_magic: 0 },
        links: { 'node-1': { received: 2_659, lost: 0 }, 'node-2': { received: 2_650, lost: 0 } },
      });
      const latest = await fetch(`${address}/form-b/api/v1/pose/latest`, { headers });
      expect(await latest.json()).toMatchObject({
        data: {
          environment_id: 'esp32-pair',
          metadata: {
            processing_mode: 'live',
            model_version: expect.stringContaining('simulated CSI') as string,
          },
        },
      });
      expect(updates.length).toBeGreaterThan(20);
      socket.terminate();
    } finally {
      await run.interrupt();
    }
    expect(await numberOf(database, 'select count(*) from poses')).toBeGreaterThan(40);
    expect(await numberOf(database, 'select count(*) from persons where track_id > 0')).toBeGreaterThan(0);
    expect(await numberOf(database, "select count(*) from measures where name = 'motion'")).toBeGreaterThan(
      40,
    );
    expect(
      await textsOf(database, "select distinct subject from measures where name = 'packet_loss' order by 1"),
    ).toHaveLength(2);
    // What the nodes' own firmware claims is kept as its claim: 4 persons, all the time.
    expect(
      await textsOf(database, "select distinct source from measures where name = 'occupancy' order by 1"),
    ).toEqual(['node-1', 'node-2']);
  }, 90_000);

  test('read by the file source, the stored results are the same at any speed', async () => {
    const [fast, paced] = await Promise.all([runAtSpeed(data, 0), runAtSpeed(data, 100)]);
    expect(await storedRows(paced)).toBe(await storedRows(fast));
    const written = await writtenFiles(fast);
    expect(Object.keys(written).length).toBeGreaterThanOrEqual(14);
    expect(await writtenFiles(paced)).toEqual(written);
    expect(await numberOf(fast, 'select count(*) from poses')).toBeGreaterThan(580);
  }, 90_000);
});
