import { afterAll, beforeAll, expect, test } from 'vitest';
import { datagramsOf, makeRooms, repeated, type Datagram } from '../../bench/speed/scale/rooms.js';
import { drained, produce } from '../../bench/speed/scale/topics.js';
import { ScaleSite } from '../support/scale/site.js';
import { readAll, type Result } from '../support/scale/topics.js';

/** The full test takes five minutes: `npm run test:scale`. */
const whole = process.env['CSIFLOW_SCALE'] === 'full';
const KILLS = whole ? 60 : 4;
const STRETCH_SECONDS = whole ? 5 : 3;
const [ROOMS, PARTITIONS, WORKERS, RATE_HZ] = [24, 12, 3, 20];

let site: ScaleSite;
beforeAll(async () => {
  site = await ScaleSite.start();
}, 120_000);
afterAll(() => site.stop());

/**
 * The results of each room and type in order, without clock-dependent fields. Types interleave arbitrarily.
 */
function byRoom(results: readonly Result[]): ReadonlyMap<string, readonly string[]> {
  const rooms = new Map<string, string[]>();
  for (const { key, value } of results) {
    const record = JSON.parse(value) as Record<string, unknown>;
    delete record['processing_ms'];
    const name = `${key} ${String(record['type'])}`;
    rooms.set(name, [...(rooms.get(name) ?? []), JSON.stringify(record)]);
  }
  return rooms;
}

test(
  'workers killed every few seconds give the results of an uninterrupted one',
  async () => {
    const rooms = makeRooms(ROOMS, 3);
    const file = site.write(rooms, {
      sessionMs: 3000,
      operators: [
        'poses: { type: infer-pose, from: windows, backend: wasm }',
        'people: { type: track-persons, from: poses, max_age_ms: 20000 }',
      ],
      results: ['motion', 'people'],
    });
    const { client, brokers } = site.cluster;
    const admin = await site.topics(PARTITIONS);
    const partitions = new Map(rooms.map(({ id }, index) => [id, index % PARTITIONS]));
    const stretches = repeated(await datagramsOf(rooms, STRETCH_SECONDS, RATE_HZ), STRETCH_SECONDS);
    const produceNext = () =>
      produce(client, 'csi', stretches.next().value as readonly Datagram[], 1, (room) =>
        partitions.get(room)!,
      );

    const fleet = site.fleet(file, 'shared');
    const workers = Array.from({ length: WORKERS }, (_, index) => `worker-${index}`);
    for (const worker of workers) fleet.start(worker);
    for (let kill = 0; kill < KILLS; kill++) {
      // In the middle of a stretch that is partly processed.
      const produced = produceNext();
      await drained(admin, 'shared', 'csi', 120_000, ROOMS * 3 * RATE_HZ * STRETCH_SECONDS * 0.7);
      const turns = workers.map((_, index) => workers[(kill + index) % WORKERS]!);
      const worker = turns.find((one) => fleet.serves(one)) ?? turns[0]!;
      await fleet.kill(worker);
      fleet.start(worker);
      await produced;
    }
    await produceNext();
    await drained(admin, 'shared', 'csi', 120_000);
    await fleet.stop();
    expect(fleet.crashes).toEqual([]);

    const alone = site.fleet(file, 'alone');
    alone.start('alone');
    await drained(admin, 'alone', 'csi', 600_000);
    await alone.stop();

    const expected = byRoom(await readAll(brokers[0]!, 'alone'));
    const found = byRoom(await readAll(brokers[0]!, 'shared'));
    expect(expected.size).toBe(2 * ROOMS);
    expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
    const wrong = [...expected].flatMap(([name, list]) => differences(list, found.get(name)!));
    expect(wrong).toEqual([]);
    for (const [name, list] of expected) expect(found.get(name), name).toEqual(list);
    // At least one person was tracked over all kills.
    expect(Math.max(...[...found.values()].flatMap(ages))).toBeGreaterThan((KILLS - 1) * STRETCH_SECONDS);
  },
  whole ? 1_800_000 : 240_000,
);

/** Ids that one of two runs lacks or has twice: the full results are too long to read. */
function differences(expected: readonly string[], found: readonly string[]): readonly string[] {
  const count = new Map<string, number>();
  const add = (text: string, by: number) => {
    const { id } = JSON.parse(text) as { readonly id: string };
    count.set(id, (count.get(id) ?? 0) + by);
  };
  for (const text of expected) add(text, -1);
  for (const text of found) add(text, 1);
  return [...count].filter(([, sum]) => sum !== 0).map(([id, sum]) => `${sum > 0 ? '+' : ''}${sum} ${id}`);
}

/** Durations of the tracks in a room's frames, seconds. */
const ages = (records: readonly string[]): readonly number[] =>
  records.flatMap((text) => {
    const { timestamp, persons = [] } = JSON.parse(text) as Frame;
    return persons.map(({ track }) => (track ? (Date.parse(timestamp) - Date.parse(track.since)) / 1000 : 0));
  });

interface Frame {
  readonly timestamp: string;
  readonly persons?: readonly { readonly track: { readonly since: string } | null }[];
}
