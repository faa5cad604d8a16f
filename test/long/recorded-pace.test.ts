import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { csiflow } from '../support/csiflow.js';
import {
  numberOf,
  RAW_FRAMES,
  recording,
  runAtSpeed,
  sourceDetails,
  startUdp,
  storedRows,
} from '../e2e/recording.js';

/** Two minutes at the recorded pace: part of CI, not of `npm test`. */
test.runIf(recording)(
  'at the recorded pace the file source gives the same bytes as at full speed, and so does UDP',
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'csiflow-long-'));
    const udp = await startUdp(data);
    const [fast, tenfold, paced, replay] = await Promise.all([
      runAtSpeed(data, 0),
      runAtSpeed(data, 10),
      runAtSpeed(data, 1),
      csiflow('replay', recording!, '--to', `udp://127.0.0.1:${udp.port}`, '--speed', '1'),
    ]);
    expect(replay.code, replay.output).toBe(0);
    await expect
      .poll(() => sourceDetails(udp))
      .toMatchObject({
        packets: { csi: RAW_FRAMES, vitals: 236, features: 236 },
        malformed: { truncated: 0, unknown_magic: 0 },
        links: { 'node-1': { received: 2_659, lost: 0 }, 'node-2': { received: 2_650, lost: 0 } },
      });
    await udp.run.interrupt();
    const rows = await storedRows(fast);
    expect(await storedRows(tenfold)).toBe(rows);
    expect(await storedRows(paced)).toBe(rows);

    // Over UDP the event time is the arrival time: windows start elsewhere on the grid, so figures agree, not
    // bytes.
    const both = async (sql: string) =>
      [await numberOf(udp.database, sql), await numberOf(fast, sql)] as const;
    const [udpPoses, filePoses] = await both('select count(*) from poses');
    expect(Math.abs(udpPoses - filePoses)).toBeLessThanOrEqual(15);
    const [udpMotion, fileMotion] = await both(
      "select avg(value) from measures where name = 'motion' and source = 'csiflow'",
    );
    // On a busy machine datagrams arrive in bursts, which look like movement: 0.23 at a load of 13.
    expect(Math.abs(udpMotion / fileMotion - 1)).toBeLessThan(0.4);
    for (const axis of ['x', 'y']) {
      const [udpPlace, filePlace] = await both(`select median(${axis}) from persons`);
      expect(Math.abs(udpPlace - filePlace)).toBeLessThan(0.3);
    }
    const [udpClaims, fileClaims] = await both(
      "select count(*) from measures where name = 'occupancy' and source <> 'csiflow'",
    );
    expect(udpClaims).toBe(fileClaims);
    await rm(data, { recursive: true });
  },
  300_000,
);
