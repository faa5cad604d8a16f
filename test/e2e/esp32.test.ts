import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { csiflow } from '../support/csiflow.js';
import { beginning, numberOf, recording, sourceDetails, startUdp, textsOf } from './recording.js';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'csiflow-e2e-'));
});
afterEach(() => rm(data, { recursive: true }));

interface Update {
  readonly type: string;
}

describe.runIf(recording)('the recording of two ESP32 nodes', () => {
  test('its first 42 s, replayed to the UDP port at four times the speed: every frame arrives, and results are stored and served', async () => {
    const udp = await startUdp(data);
    const { run, port, address, token, database } = udp;
    try {
      const socket = new WebSocket(`${address.replace('http', 'ws')}/ws/pose`, ['pose_v1', token]);
      const updates: Update[] = [];
      await once(socket, 'open');
      socket.on('message', (text: Buffer) => {
        const message = JSON.parse(text.toString()) as Update;
        if (message.type === 'pose_update') updates.push(message);
      });
      socket.send(JSON.stringify({ type: 'subscribe', channel: 'pose_updates' }));

      const file = await beginning(data, 2_000);
      const replay = await csiflow('replay', file, '--to', `udp://127.0.0.1:${port}`, '--speed', '4');
      expect(replay.code, replay.output).toBe(0);
      await expect
        .poll(() => sourceDetails(udp))
        .toMatchObject({
          packets: { csi: 1_834, vitals: 82, features: 82 },
          malformed: { truncated: 0, unknown_magic: 0 },
          links: { 'node-1': { received: 914, lost: 0 }, 'node-2': { received: 920, lost: 0 } },
        });
      const latest = await fetch(`${address}/form-b/api/v1/pose/latest`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(await latest.json()).toMatchObject({
        data: {
          environment_id: 'esp32-pair',
          metadata: {
            processing_mode: 'live',
            model_version: expect.stringContaining('simulated CSI') as string,
          },
        },
      });
      // On a busy machine the last windows may still be in progress.
      await expect.poll(() => updates.length).toBeGreaterThan(20);
      socket.terminate();
    } finally {
      await run.interrupt();
    }
    expect(await numberOf(database, 'select count(*) from poses')).toBeGreaterThan(15);
    // Whether people are detected at four times their speed is random: test/long/recorded-pace checks it at
    // the recorded speed.
    expect(await numberOf(database, "select count(*) from measures where name = 'motion'")).toBeGreaterThan(
      15,
    );
    expect(
      await textsOf(database, "select distinct subject from measures where name = 'packet_loss' order by 1"),
    ).toHaveLength(2);
    // Claims of the nodes' own firmware are stored as claims: 4 persons, all the time.
    expect(
      await textsOf(
        database,
        "select distinct source from measures where name = 'occupancy' and value = 4 order by 1",
      ),
    ).toEqual(['node-1', 'node-2']);
  }, 90_000);
});
