import { readBy } from '../../../pipeline/runtime/listen.js';
import type { Window } from '../../../pipeline/model/index.js';
import type { PersonConfig } from '../../../pipeline/sources/simulator/script.js';
import { Random } from '../../../pipeline/sources/simulator/shared/random.js';
import { poseFramesIn, lastMeasure, surestOf, toldOf } from '../../accuracy/chain/answers.js';
import { each, playIn, plannedRoom, seedsOf, type PlannedRoom } from '../../accuracy/chain/plan.js';
import type { Played } from '../../accuracy/chain/scene.js';
import { MAJORITY, RANDOM, sure, withBaselines } from '../baselines.js';
import { ROOM_LINKS, type TaskName } from '../contracts.js';
import { abstained, accuracy, balanced, meanError, shareOfAnswers } from '../metrics.js';
import { bodyError, jointErrors, poseOf, torso, truePose, MIDDLE_POSE, withMiddlePose } from '../pose.js';
import { OWN, roomsPlan, type Case, type Metric, type SuitePlan, type Task } from '../task.js';
import { breathTensor, geometryTensor, roomTensor, sizeTensor } from '../tensors.js';
import { mean } from '../../../operators/shared/mean.js';

/** Tasks that play simulated rooms on which no model was trained. */

const PEOPLE = [0, 1, 2, 3] as const;
const WALK_S = 30;
/** Until windows are full and tracks are active, microseconds. */
const SETTLED_US = 6e6;
const ROOMS = `simulated rooms with ${ROOM_LINKS} links; frames go through the whole topology`;
const RULE = 'one person if there is presence, otherwise none';

/** Seeds of the tables: different from those of \`csiflow evaluate chain\`. */
const [COUNT, POSE, BREATHING] = [31, 32, 33];

export const count: Task = {
  title: 'Count of walkers, room unseen',
  method: `Zero to three people walk for ${WALK_S} s in ${ROOMS}. There is one answer per second from second 6 on: the number of people in the pose frame.`,
  groups: 'rooms',
  needs: [],
  metrics: [accuracy, balanced, abstained],
  baselines: [RULE, MAJORITY, RANDOM],
  cases: async (plan) => {
    const cases = await inRooms(plan, COUNT, async (room) => {
      const found: Case[] = [];
      for (const people of PEOPLE) found.push(...(await countIn(plan, room, people)));
      return found;
    });
    return withBaselines(cases, PEOPLE.length, plan.seed);
  },
};

async function countIn(plan: SuitePlan, room: PlannedRoom, people: number): Promise<readonly Case[]> {
  const script: PersonConfig['script'] = [{ activity: 'walk', seconds: WALK_S + 5 }];
  const played = await playWatched(plan, 'count', room, `${people} people walk`, {
    people: Array.from({ length: people }, () => ({ script })),
    seconds: WALK_S,
  });
  const cases: Case[] = [];
  for (const end of secondsOf(played)) {
    const poseFrame = poseFramesIn(played, end - 3e6, end).at(-1);
    const told = poseFrame ? sure(Math.min(3, toldOf(poseFrame).length), PEOPLE.length) : null;
    const present = (lastMeasure(played, 'presence', end) ?? 0) > 0;
    cases.push({
      group: room.environment.id,
      part: `${people} there`,
      truth: [people],
      answers: {
        [OWN]: told,
        [RULE]: sure(Number(present), PEOPLE.length),
        ...(await askRoom(plan, 'count', room, played, end)),
      },
    });
  }
  return cases;
}

const within = (share: number): Metric =>
  shareOfAnswers(`pck${100 * share}`, `PCK@${100 * share}`, (answer, truth) =>
    mean(jointErrors(answer, truth).map((error) => Number(error <= share * torso(truth)))),
  );

export const pose: Task = {
  title: 'Place and pose of a walker, room unseen',
  method: `One person walks for ${WALK_S} s in ${ROOMS}. There is one answer per second from second 6 on: the most certain person of the pose frame, with or without a skeleton. Position: distance on the floor. MPJPE: mean distance of 17 joints in room axes, both poses moved to the middle of the hips. PCK@20: share of joints within a fifth of the distance from the right shoulder to the left hip. The baseline is the room's middle with the mean pose of the other rooms.`,
  groups: 'rooms',
  needs: [],
  metrics: [
    meanError('place', 'position, mean error', 'm', (answer, truth) =>
      Math.hypot(answer[0]! - truth[0]!, answer[1]! - truth[1]!),
    ),
    meanError('mpjpe', 'MPJPE', 'mm', bodyError),
    within(0.2),
    within(0.5),
    abstained,
  ],
  baselines: [MIDDLE_POSE],
  cases: async (plan) => withMiddlePose(await inRooms(plan, POSE, (room) => posesIn(plan, room))),
};

async function posesIn(plan: SuitePlan, room: PlannedRoom) {
  const script: PersonConfig['script'] = [{ activity: 'walk', seconds: WALK_S + 5 }];
  const played = await playWatched(plan, 'pose', room, 'one walks', {
    people: [{ script }],
    seconds: WALK_S,
  });
  const cases: (Case & { readonly middle: readonly [number, number] })[] = [];
  for (const end of secondsOf(played)) {
    const poseFrame = poseFramesIn(played, end - 3e6, end).at(-1);
    const truth = played.truth.at(poseFrame?.time ?? end - 1e6)?.people[0];
    if (!truth) continue;
    const person = poseFrame && surestOf(poseFrame);
    const { size, id } = room.environment;
    cases.push({
      group: id,
      part: '',
      truth: truePose(truth),
      middle: [size.x / 2, size.y / 2],
      answers: {
        [OWN]: person ? poseOf(person) : null,
        ...(await askRoom(plan, 'pose', room, played, poseFrame?.windowEnd ?? end)),
      },
    });
  }
  return cases;
}

const SLEEP_S = 90;
/** A time whose last 30 s are all after somebody lay down. */
const ASLEEP_US = 45e6;
const LOOK_US = 5e6;
const SLOWEST = 9;
const FASTEST = 22;
const CONSTANT = "the mean rate of the other rooms' sleepers";
const CHANCE = 'a random rate';

export const breathing: Task = {
  title: 'Breathing of a sleeper, room unseen',
  method: `One person lies in bed for ${SLEEP_S} s and breathes ${SLOWEST} to ${FASTEST} times a minute in ${ROOMS}. There is one estimate every 5 s from second 45 on; \`estimate-vitals\` gives no answer if its quality is low.`,
  groups: 'rooms',
  needs: [],
  metrics: [
    meanError('error', 'mean error per minute', 'number', (answer, truth) =>
      Math.abs(answer[0]! - truth[0]!),
    ),
    shareOfAnswers('within1', 'answers within 1 per minute', (answer, truth) =>
      Number(Math.abs(answer[0]! - truth[0]!) <= 1),
    ),
    abstained,
  ],
  baselines: [CONSTANT, CHANCE],
  cases: async (plan) => {
    const cases = await inRooms(plan, BREATHING, (room) => breathsIn(plan, room));
    const random = new Random(plan.seed, BREATHING);
    return cases.map((one) => {
      const others = cases.filter(({ group }) => group !== one.group).map(({ truth }) => truth[0]!);
      const rate = others.length > 0 ? mean(others) : (SLOWEST + FASTEST) / 2;
      return {
        ...one,
        answers: { ...one.answers, [CONSTANT]: [rate], [CHANCE]: [random.uniform(SLOWEST, FASTEST)] },
      };
    });
  },
};

async function breathsIn(plan: SuitePlan, room: PlannedRoom): Promise<readonly Case[]> {
  const rate = new Random(room.seed, BREATHING).uniform(SLOWEST, FASTEST);
  const script: PersonConfig['script'] = [{ activity: 'lie', on: 'bed', seconds: SLEEP_S + 10 }];
  const played = await playWatched(plan, 'breathing', room, 'a sleeper', {
    people: [{ script, breathing_bpm: rate }],
    seconds: SLEEP_S,
  });
  const cases: Case[] = [];
  for (let end = played.start + ASLEEP_US; end <= played.end; end += LOOK_US) {
    const told = played.measures.findLast(
      ({ name, time }) => name === 'breathing_rate_bpm' && time > end - LOOK_US && time <= end,
    );
    const foreign = await plan.panel.ask('breathing', room.environment.id, () => ({
      csi: breathTensor(room.environment, played.windows, end),
    }));
    cases.push({
      group: room.environment.id,
      part: '',
      truth: [rate],
      answers: { [OWN]: told ? [told.value] : null, ...foreign },
    });
  }
  return cases;
}

/** Runs the same work in each room of a task. */
async function inRooms<T>(
  plan: SuitePlan,
  table: number,
  work: (room: PlannedRoom) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const of = roomsPlan(plan);
  const all = await each(of, seedsOf(of, table), async (seed) =>
    work(await plannedRoom(of, seed, ROOM_LINKS)),
  );
  return all.flat();
}

/** Plays a scene; keeps its windows if an external model needs them. */
function playWatched(
  plan: SuitePlan,
  task: TaskName,
  room: PlannedRoom,
  what: string,
  scene: { readonly people: readonly PersonConfig[]; readonly seconds: number },
): Promise<Played> {
  const windowsOf = plan.panel.answers(task) ? readBy(plan.topology, 'infer-pose', 'window') : undefined;
  return playIn(roomsPlan(plan), room, what, { ...scene, windowsOf });
}

/** The whole seconds of a scene after it has settled, event time. */
function secondsOf({ start, end }: Played): readonly number[] {
  const seconds: number[] = [];
  for (let time = start + SETTLED_US; time <= end; time += 1e6) seconds.push(time);
  return seconds;
}

const askRoom = (
  plan: SuitePlan,
  task: TaskName,
  { environment }: PlannedRoom,
  { windows }: Played,
  end: number,
): Promise<Case['answers']> =>
  plan.panel.ask(task, environment.id, () => {
    const window = windows.findLast((one: Window) => one.start + one.points * one.step <= end);
    return {
      csi: roomTensor(environment, window),
      geometry: geometryTensor(environment),
      room: sizeTensor(environment),
    };
  });
