import { setTimeout as delay } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { datagramsOf, makeRooms, repeated, type Datagram } from '../../bench/speed/scale/rooms.js';
import { drained, produce } from '../../bench/speed/scale/topics.js';
import { ScaleSite } from '../support/scale/site.js';
import { readAll } from '../support/scale/topics.js';

const [ROOMS, PARTITIONS, RATE_HZ] = [24, 12, 20];
const WORKERS = ['worker-0', 'worker-1'];
/**
 * Shorter than the session: a worker that had to wait for the end of its former session would never serve.
 */
const [KILLS, EVERY_MS, SESSION_MS] = [12, 5_000, 6_000];
const SECONDS = (KILLS * EVERY_MS) / 1000 + 5;
/** Seconds of frames that may queue while the workers are killed: they take seconds to start. */
const BEHIND = 5;

let site: ScaleSite;
beforeAll(async () => {
  site = await ScaleSite.start();
}, 120_000);
afterAll(() => site.stop());

/** Available frames, and those of them that the group has committed. */
async function progress(
  admin: Admin,
  group: string,
): Promise<{ readonly there: number; readonly done: number }> {
  const ends = await admin.fetchTopicOffsets('csi');
  const [committed] = await admin.fetchOffsets({ groupId: group, topics: ['csi'] });
  return {
    there: ends.reduce((sum, { high }) => sum + Number(high), 0),
    done: committed!.partitions.reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0),
  };
}

const resultsOf = async (topic: string): Promise<readonly string[]> =>
  (await readAll(site.cluster.brokers[0]!, topic)).map(({ key, value }) => `${key} ${value}`).sort();

// It takes two minutes, so it runs separately: `CSIFLOW_SERVICES=1 CSIFLOW_SCALE=full npx vitest run
// test/services/scale-kills.test.ts`.
test('workers killed more often than their session lasts keep up, without loss or duplicates', async () => {
  const rooms = makeRooms(ROOMS, 3);
  const file = site.write(rooms, { sessionMs: SESSION_MS, results: ['motion'] });
  const admin = await site.topics(PARTITIONS);
  const partitions = new Map(rooms.map(({ id }, index) => [id, index % PARTITIONS]));
  const datagrams = repeated(await datagramsOf(rooms, SECONDS, RATE_HZ), SECONDS).next()
    .value as readonly Datagram[];

  const fleet = site.fleet(file, 'shared');
  for (const worker of WORKERS) fleet.start(worker);
  const produced = produce(site.cluster.client, 'csi', datagrams, 1, (room) => partitions.get(room)!);
  for (let kill = 0; kill < KILLS; kill++) {
    await delay(EVERY_MS);
    const worker = WORKERS[kill % WORKERS.length]!;
    await fleet.kill(worker);
    fleet.start(worker);
  }
  const { there, done } = await progress(admin, 'shared');
  console.info(`after ${KILLS} kills ${done} of ${there} frames were committed`);
  expect(done).toBeGreaterThan(there - BEHIND * (datagrams.length / SECONDS));
  await produced;
  await drained(admin, 'shared', 'csi', 120_000);
  await fleet.stop();
  expect(fleet.crashes).toEqual([]);

  const alone = site.fleet(file, 'alone');
  alone.start('alone');
  await drained(admin, 'alone', 'csi', 300_000);
  await alone.stop();
  const [found, expected] = [await resultsOf('shared'), await resultsOf('alone')];
  console.info(`results: ${found.length}; of one worker that never was killed: ${expected.length}`);
  expect(found).toEqual(expected);
}, 600_000);
