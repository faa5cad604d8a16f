import { assign } from '../../../../operators/track-persons/assignment.js';
import { nearness, scoreTracking, type Place, type TrackingScore } from '../../tracking.js';
import { poseFramesIn, middleError, placeError, toldOf } from '../answers.js';
import { meanOver, over } from '../bootstrap.js';
import { each, howCalibrated, playIn, plannedRoom, seedsOf, type Plan, type PlannedRoom } from '../plan.js';
import type { Column, Row, Table } from '../table.js';
import { mean } from '../../../../operators/shared/mean.js';

const COLUMNS: readonly Column[] = [
  { id: 'count', title: 'count right', unit: 'share' },
  { id: 'place', title: 'position of each person found, mean error', unit: 'm' },
  { id: 'predicted', title: 'reported error', unit: 'm' },
  { id: 'missed', title: 'people not found', unit: 'share' },
  { id: 'mota', title: 'MOTA', unit: 'share' },
  { id: 'idf1', title: 'IDF1', unit: 'share' },
  { id: 'hota', title: 'HOTA', unit: 'share' },
];

interface Walks {
  /** 1 if the reported number of people is correct. */
  readonly count: readonly number[];
  readonly place: readonly number[];
  readonly predicted: readonly number[];
  readonly missed: readonly number[];
  readonly tracking: TrackingScore;
  /** The best constant answer for one person: the middle of the room. */
  readonly middle: readonly number[];
}

const PEOPLE = [1, 2, 3] as const;
const SECONDS = 45;
const SETTLED_US = 6e6;

export async function several(plan: Plan): Promise<Table> {
  const rooms = await each(plan, seedsOf(plan, 4), async (seed) => {
    const room = await plannedRoom(plan, seed, plan.links[0]!);
    const walks: Walks[] = [];
    for (const people of PEOPLE) walks.push(await walkTogether(plan, room, people));
    return walks;
  });
  const rows = PEOPLE.flatMap((people, index) => {
    const walks = rooms.map((room) => room[index]!);
    return [rowOf(`${people} ${people === 1 ? 'walker' : 'walkers'}`, walks), baselineOf(people, walks)];
  });
  return {
    id: 'several',
    title: 'Several people',
    method: `${plan.rooms} rooms a row with ${plan.links[0]!} links, ${howCalibrated(plan)}. All walk for ${SECONDS} s; the first ${SETTLED_US / 1e6} s are excluded. Real and reported people are paired with the smallest total distance. Tracks are scored on the floor: for MOTA and IDF1, a track within one metre of a person matches that person.`,
    columns: COLUMNS,
    rows,
  };
}

async function walkTogether(plan: Plan, room: PlannedRoom, people: number): Promise<Walks> {
  const script = [{ activity: 'walk' as const, seconds: SECONDS + 5 }];
  const observed = await playIn(plan, room, `${people} walking`, {
    people: Array.from({ length: people }, () => ({ script })),
    seconds: SECONDS,
  });
  const found = {
    count: [] as number[],
    place: [] as number[],
    predicted: [] as number[],
    missed: [] as number[],
    middle: [] as number[],
  };
  const [truths, tracks]: [Place[][], Place[][]] = [[], []];
  for (const poseFrame of poseFramesIn(observed, observed.start + SETTLED_US, observed.end)) {
    const there = observed.truth.at(poseFrame.time)?.people;
    if (!there) continue;
    const told = toldOf(poseFrame);
    found.count.push(Number(told.length === there.length));
    const pairs = assign(there.map((one) => told.map((person) => placeError(person, one))));
    there.forEach((one, index) => {
      const person = told[pairs[index]!];
      found.missed.push(Number(!person));
      if (!person) return;
      found.place.push(placeError(person, one));
      found.predicted.push(person.positionError);
    });
    found.middle.push(...there.map((one) => middleError(room.environment, one)));
    truths.push(there.map(({ person, root: [x, y] }) => ({ id: person, x, y })));
    tracks.push(told.flatMap(({ track, position: { x, y } }) => (track ? [{ id: track.id, x, y }] : [])));
  }
  return { ...found, tracking: scoreTracking(truths, tracks, nearness) };
}

function rowOf(name: string, walks: readonly Walks[]): Row {
  const tracked = (of: (score: TrackingScore) => number) =>
    over(walks, (drawn) => mean(drawn.map(({ tracking }) => of(tracking))));
  return {
    name,
    baseline: false,
    cells: {
      count: meanOver(walks.map(({ count }) => count)),
      place: meanOver(walks.map(({ place }) => place)),
      predicted: meanOver(walks.map(({ predicted }) => predicted)),
      missed: meanOver(walks.map(({ missed }) => missed)),
      mota: tracked(({ mota }) => mota),
      idf1: tracked(({ idf1 }) => idf1),
      hota: tracked(({ hota }) => hota),
    },
  };
}

const baselineOf = (people: number, walks: readonly Walks[]): Row => ({
  name: `${people}: always one, at the room's middle`,
  baseline: true,
  cells: {
    count: meanOver(walks.map(({ count }) => count.map(() => Number(people === 1)))),
    place: meanOver(walks.map(({ middle: errors }) => errors)),
    missed: meanOver(walks.map(({ missed }) => missed.map(() => 1 - 1 / people))),
  },
});
