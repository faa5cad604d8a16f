import type { SensedEvent } from '../../../../pipeline/model/index.js';
import type { PersonConfig } from '../../../../pipeline/sources/simulator/script.js';
import { poseFramesIn, seenIn } from '../answers.js';
import { exact, meanOver, poissonRate, shareOfRooms } from '../bootstrap.js';
import { each, howCalibrated, playIn, plannedRoom, seedsOf, type Plan, type PlannedRoom } from '../plan.js';
import type { Column, Row, Table } from '../table.js';
import { alarmsIn } from './falls.js';

const COLUMNS: readonly Column[] = [
  { id: 'alarmed', title: 'movements with an alarm', unit: 'rooms' },
  { id: 'alarms', title: 'alarms per hour', unit: 'per_h' },
  { id: 'hours', title: 'hours', unit: 'number' },
  { id: 'unseen', title: 'frames that see nobody', unit: 'share' },
];

type Step = PersonConfig['script'][number];

/** Movements that resemble a fall. */
interface Kind {
  readonly name: string;
  /** The first step is the movement. Null: objects fall. */
  readonly steps: readonly [Step, ...Step[]] | null;
  /** For objects: whether somebody stands in the room. */
  readonly present: boolean;
}

const WALK: Step = { activity: 'walk', seconds: 4 };
/** Long enough for `detect-falls` to decide that somebody stays down. */
const REST_S = 12;
const SIT: Step = { activity: 'sit', seconds: REST_S };
const LIE: Step = { activity: 'lie', seconds: REST_S };

const movement = (name: string, ...steps: [Step, ...Step[]]): Kind => ({ name, steps, present: true });

const KINDS: readonly Kind[] = [
  movement('sits down fast on a chair', { activity: 'sit_down', fast: true }, SIT, WALK),
  movement('drops onto a sofa', { activity: 'sit_down', on: 'sofa', fast: true }, SIT, WALK),
  movement('lies down on a bed', { activity: 'lie_down', on: 'bed' }, LIE, WALK),
  movement('drops onto a bed', { activity: 'lie_down', on: 'bed', fast: true }, LIE, WALK),
  movement('lies down on the floor', { activity: 'lie_down', on: 'floor' }, LIE, WALK),
  movement('picks something up', { activity: 'pick_up' }, WALK),
  movement('jumps', { activity: 'jump' }, WALK),
  { name: 'objects fall, somebody stands there', steps: null, present: true },
  { name: 'objects fall, nobody is there', steps: null, present: false },
];

/** Each falls once or twice in a scene. */
const OBJECTS = 4;
const WALK_FIRST_S = 8;
const SECONDS = 75;
/** Movements are repeated more often than fit into a scene. */
const REPEATS = 20;
/** A movement counts if the scene goes on for so long after its beginning: alarms come 11 s after a fall. */
const KNOWN_US = 15e6;
/** An alarm belongs to a movement that begins up to this long after it, microseconds. */
const EARLY_US = 2e6;
/** Until windows are full and a track is active. */
const SETTLED_US = 5e6;

interface Outcome {
  /** For each movement, whether it raised an alarm. */
  readonly alarmed: readonly boolean[];
  readonly alarms: number;
  readonly unseen: readonly number[];
}

export async function fallLike(plan: Plan): Promise<Table> {
  const rooms = await each(plan, seedsOf(plan, 11), async (seed) => {
    const room = await plannedRoom(plan, seed, plan.links[0]!);
    const found: Outcome[] = [];
    for (const kind of KINDS) found.push(await outcomeIn(plan, room, kind));
    return found;
  });
  const rows = KINDS.map(({ name, present }, index) =>
    rowOf(
      name,
      rooms.map((found) => found[index]!),
      present,
    ),
  );
  return {
    id: 'fall-like',
    title: 'Movements that resemble a fall',
    method: `${plan.rooms} rooms with ${plan.links[0]!} links, ${howCalibrated(plan)}; one scene of ${SECONDS} s per row and room. One person walks, then does the same thing again and again, with ${REST_S} s of sitting or lying after it and a short walk in between. Or ${OBJECTS} objects fall from shelves now and then, and are put back. None of it is a fall: each \`fall_detection\` is a false alarm of the movement before it. Movements of the last ${KNOWN_US / 1e6} s are left out. Shares have the exact binomial interval, as if movements in one room were independent; rates have the exact Poisson interval. With nobody there, no alarm is possible unless a person is seen.`,
    columns: COLUMNS,
    rows: [
      ...rows,
      { name: 'never', baseline: true, cells: { alarmed: exact(0), alarms: exact(0) } },
      { name: 'every movement', baseline: true, cells: { alarmed: exact(1) } },
    ],
  };
}

const peopleOf = ({ steps, present }: Kind): readonly PersonConfig[] => {
  const first: Step = { activity: 'walk', seconds: WALK_FIRST_S };
  if (steps) return [{ script: [first, ...Array.from({ length: REPEATS }, () => steps).flat()] }];
  return present ? [{ script: [first, { activity: 'stand', seconds: SECONDS }] }] : [];
};

async function outcomeIn(plan: Plan, room: PlannedRoom, kind: Kind): Promise<Outcome> {
  const { name, steps } = kind;
  const played = await playIn(plan, room, name, {
    people: peopleOf(kind),
    seconds: SECONDS,
    simulator: steps ? {} : { things: Array.from({ length: OBJECTS }, () => ({ type: 'falling_object' })) },
  });
  const { truth } = played;
  return {
    ...judgedMovements(
      steps ? truth.beginnings(steps[0].activity).map(({ time }) => time) : truth.drops,
      alarmsIn(played),
      played.end - KNOWN_US,
    ),
    unseen: poseFramesIn(played, played.start + SETTLED_US, played.end).map((poseFrame) =>
      Number(seenIn(poseFrame).length === 0),
    ),
  };
}

/**
 * Assigns each alarm to the last movement that began before it.
 * @param begun when movements began, in order
 * @param until later movements are left out
 */
export function judgedMovements(
  begun: readonly number[],
  alarms: readonly Pick<SensedEvent, 'time'>[],
  until: number,
): Pick<Outcome, 'alarmed' | 'alarms'> {
  const blamed = new Set(alarms.map(({ time }) => begun.findLastIndex((one) => one <= time + EARLY_US)));
  return {
    alarmed: begun.filter((time) => time <= until).map((_, index) => blamed.has(index)),
    alarms: alarms.length,
  };
}

function rowOf(name: string, outcomes: readonly Outcome[], present: boolean): Row {
  const alarmed = outcomes.flatMap((outcome) => outcome.alarmed);
  const hours = (outcomes.length * SECONDS) / 3600;
  return {
    name,
    baseline: false,
    cells: {
      alarmed: shareOfRooms(alarmed.filter(Boolean).length, alarmed.length),
      alarms: poissonRate(
        outcomes.reduce((sum, { alarms }) => sum + alarms, 0),
        hours,
      ),
      hours: exact(hours),
      ...(present && { unseen: meanOver(outcomes.map(({ unseen }) => unseen)) }),
    },
  };
}
