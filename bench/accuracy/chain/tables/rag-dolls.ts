import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PersonConfig } from '../../../../pipeline/sources/simulator/script.js';
import { exact } from '../bootstrap.js';
import {
  each,
  howCalibrated,
  playIn,
  plannedRoom,
  seedsOf,
  type PlannedRoom,
  type RecordingsPlan,
} from '../plan.js';
import type { Table } from '../table.js';
import type { Truth } from '../truth.js';
import { AFTER_S, FALL_COLUMNS, judged, rowOf, type Fall } from './falls.js';

const FOLDER = 'motion';
const FALLS_A_ROOM = 3;
const WALK_S = 20;
/** A recorded fall lasts 4.5 s; a simulated one, which replaces it where it has no space, takes less than this. */
const RECORDED_US = 3e6;

/** Walks from one random place to another, so that each fall of a room happens elsewhere. */
const script = (index: number): PersonConfig['script'] => [
  { activity: 'walk', seconds: WALK_S + index },
  { activity: 'fall' },
  { activity: 'lie', seconds: AFTER_S + 10 },
];

const ROWS = ['rag-dolls', 'as simulated'] as const;

export const missingRagDolls = (data: string): string | undefined =>
  [join(data, FOLDER, 'ragdoll-falls')].find((folder) => !existsSync(folder));

/** Falls of rag-dolls: those that are left out of every training. */
export async function ragDolls(plan: RecordingsPlan): Promise<Table> {
  const rooms = await each(plan, seedsOf(plan, 12), async (seed) => {
    const room = await plannedRoom(plan, seed, plan.links[0]!);
    const found: Fall[] = [];
    for (const kind of ROWS)
      for (let index = 0; index < FALLS_A_ROOM; index++)
        found.push(...(await fallsIn(plan, room, kind, index)));
    return found;
  });
  return {
    id: 'rag-dolls',
    title: 'Falls of rag-dolls',
    method: `${plan.rooms} rooms with ${plan.links[0]!} links, ${howCalibrated(plan)}; up to ${FALLS_A_ROOM} falls in each, one per scene: a person walks, and falls like a rag-doll that was pushed (4.5 s of recorded motion), then lies for ${AFTER_S} s. The walk, too, is partly recorded. The networks of \`detect-falls\` were trained on other rag-dolls and walks. Where a rag-doll has no space, the simulator's own fall replaces it, which is left out. As simulated: the same scenes with the simulator's own falls and walks. Columns as for simulated falls.`,
    columns: FALL_COLUMNS.filter(({ id }) => id !== 'false' && id !== 'hours'),
    rows: [
      ...ROWS.map((name) =>
        rowOf(
          name,
          rooms.map((found) => found.filter(({ kind }) => kind === name)),
        ),
      ),
      { name: 'never', baseline: true, cells: { found: exact(0) } },
      { name: 'every 30 s', baseline: true, cells: { found: exact(1) } },
    ],
  };
}

async function fallsIn(
  plan: RecordingsPlan,
  room: PlannedRoom,
  kind: (typeof ROWS)[number],
  index: number,
): Promise<readonly Fall[]> {
  const recorded = kind === 'rag-dolls';
  const played = await playIn(plan, room, `a fall, ${kind}`, {
    people: [{ script: script(index) }],
    seconds: WALK_S + FALLS_A_ROOM + 5 + AFTER_S,
    simulator: recorded ? { motion: join(plan.data, FOLDER), motion_part: 'held_out' } : {},
  });
  return recorded && !isRecorded(played.truth) ? [] : [{ kind, ...judged(played, room) }];
}

function isRecorded(truth: Truth): boolean {
  const falling = truth.moments.filter(({ people }) => people[0]?.activity === 'fall');
  return falling.length > 0 && falling.at(-1)!.time - falling[0]!.time > RECORDED_US;
}
