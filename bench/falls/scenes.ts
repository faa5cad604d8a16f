import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Example } from '../../operators/detect-falls/dense.js';
import { POOLED_FEATURES } from '../../operators/detect-falls/pooled.js';
import { Resampler } from '../../operators/detect-falls/resampler.js';
import { Room } from '../../operators/detect-falls/room.js';
import { RATE_HZ } from '../../operators/detect-falls/tracks.js';
import { withUsableLinks } from '../../operators/shared/usable-links.js';
import type { Environment, Window } from '../../pipeline/model/index.js';
import { IMPAIRMENTS } from '../../pipeline/sources/simulator/impairments.js';
import { Random } from '../../pipeline/sources/simulator/random.js';
import { randomLinks, randomSize } from '../../pipeline/sources/simulator/room.js';
import type { PersonConfig } from '../../pipeline/sources/simulator/script.js';
import { Stage } from '../../pipeline/sources/simulator/stage.js';
import { WindowChain } from './chain.js';

/** A candidate of a simulated room. */
export interface SimulatedExample extends Example {
  readonly inputs: readonly number[];
  /** Seconds from the beginning of the scene. */
  readonly time: number;
  /** Number of the fall that it is of, from 0; -1 for none. */
  readonly fall: number;
  /** What the person did at that time. */
  readonly activity: string;
}

/** What a simulated room gave. */
export interface SimulatedRoom {
  readonly seed: number;
  readonly falls: number;
  readonly seconds: number;
  readonly examples: readonly SimulatedExample[];
}

/** A room to be simulated: about two falls a minute and a half, or ordinary life alone. */
export interface Plan {
  readonly seed: number;
  readonly seconds: number;
  readonly kind: 'falls' | 'life';
}

type Script = PersonConfig['script'];
type Step = Script[number];

const SNR_DB = [8, 40] as const;
const RATE = 50;
/** Links of a room with falls, drawn evenly; ordinary life has the usual four. */
const LINKS = [2, 3, 4, 4, 4, 6];
/** Of the simulator's streams of chance none has this number. */
const STREAM = 77;
/** A candidate from so many seconds after a fall's beginning to so many is that fall; somewhat around it, it is left out. */
const FALL_S = [0.2, 2.4] as const;
const UNCLEAR_S = [-0.3, 4] as const;

/** Simulates rooms, one after the other; what `cache` holds already is not simulated again. */
export function simulateRooms(
  plans: readonly Plan[],
  cache: string | undefined,
  print: (line: string) => void,
): SimulatedRoom[] {
  if (cache !== undefined) mkdirSync(cache, { recursive: true });
  return plans.map((plan, index) => {
    const path =
      cache && join(cache, `${plan.kind}-${plan.seed}-${plan.seconds}-${POOLED_FEATURES.length}.json`);
    if (path && existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as SimulatedRoom;
    const room = simulateRoom(plan);
    if (path) writeFileSync(path, JSON.stringify(room));
    print(`room ${index + 1} of ${plans.length}: ${room.falls} falls, ${room.examples.length} candidates`);
    return room;
  });
}

/** Candidates of a room, from frames through the shipped chain. The same plan gives the same candidates. */
export function simulateRoom({ seed, seconds, kind }: Plan): SimulatedRoom {
  const random = new Random(seed, STREAM);
  const environment = randomEnvironment(random, kind === 'life' ? 4 : LINKS[random.below(LINKS.length)]!);
  const script: Script = [];
  if (kind === 'life') live(random, script, seconds);
  else fallAgain(random, script, seconds);
  const stage = new Stage(environment, {
    seed,
    rateHz: RATE,
    people: [{ script }],
    impairments: { ...IMPAIRMENTS, snrDb: SNR_DB },
  });
  const ticks = stage.enter(0);
  const activities = beginnings(stage, ticks);
  const falls = activities.filter(({ activity }) => activity === 'fall').map(({ time }) => time);
  const examples = play(stage, environment, ticks).flatMap(({ time, inputs }): SimulatedExample[] => {
    const within = ([from, to]: readonly [number, number]) =>
      falls.findIndex((fall) => time > fall + from && time < fall + to);
    const fall = within(FALL_S);
    if (fall < 0 && within(UNCLEAR_S) >= 0) return [];
    const { activity } = activities.findLast((one) => one.time <= time) ?? activities[0]!;
    return [{ inputs, time, fall, activity, positive: fall >= 0 }];
  });
  return { seed, falls: falls.length, seconds: ticks / RATE, examples };
}

function play(stage: Stage, environment: Environment, ticks: number) {
  const chain = new WindowChain(environment);
  const resampler = new Resampler();
  const room = new Room();
  const numbers = environment.links.map((_, index) => index);
  const found: { time: number; inputs: number[] }[] = [];
  const take = (windows: readonly Window[]) => {
    for (const one of windows)
      resampler.take(withUsableLinks(one), (number, links) => {
        if (number !== room.next) room.restart(number);
        const { pooled } = room.push(links);
        // Six digits keep the cache small.
        if (pooled)
          found.push({
            time: pooled.sample / RATE_HZ,
            inputs: Array.from(pooled.features, (value) => Number(value.toPrecision(6))),
          });
      });
  };
  for (let tick = 0; tick < ticks; tick += RATE) {
    const block = stage.play(tick, Math.min(ticks, tick + RATE), 0, tick, numbers);
    if (block.count > 0) take(chain.take(block));
  }
  take(chain.end());
  return found;
}

/** What the person begins to do when. */
function beginnings(stage: Stage, ticks: number): { readonly time: number; readonly activity: string }[] {
  const found: { time: number; activity: string }[] = [];
  for (let tick = 0; tick < ticks; tick += 5) {
    const { activity } = stage.truth(tick, 0)[0]!;
    if (found.at(-1)?.activity !== activity) found.push({ time: tick / RATE, activity });
  }
  return found;
}

function randomEnvironment(random: Random, links: number): Environment {
  const size = randomSize(random);
  return {
    id: 'simulated',
    size,
    links: randomLinks(random, size, links).map(({ transmitter, antennas }, index) => ({
      id: `link-${index}`,
      transmitter: [...transmitter],
      receiver: [...antennas[0]!],
      sender: `node-${index}`,
    })),
    walls: [],
    zones: [],
    timezone: 'UTC',
    assumed: [],
  };
}

const ORDINARY = ['walk', 'stand', 'arms', 'sit', 'bend', 'lie', 'away'] as const;
const WEIGHTS = [5, 1.5, 1.5, 2, 2, 0.7, 0.2];

/** Adds ordinary life of `seconds` or somewhat more; returns how long it is. */
function live(random: Random, script: Step[], seconds: number): number {
  let time = 0;
  while (time < seconds) {
    const activity = ORDINARY[random.weighted(WEIGHTS)]!;
    const duration = durationOf(activity, random);
    script.push({
      activity,
      ...(activity === 'bend' ? {} : { seconds: duration }),
      ...(activity === 'lie' ? { on: random.chance(0.7) ? ('bed' as const) : ('floor' as const) } : {}),
      ...(activity === 'walk' && random.chance(0.5) ? { speed: random.uniform(0.4, 1.5) } : {}),
    });
    time += duration + 1;
  }
  return time;
}

function durationOf(activity: (typeof ORDINARY)[number], random: Random): number {
  switch (activity) {
    case 'walk':
      return random.uniform(2, 15);
    case 'sit':
    case 'lie':
      return random.uniform(3, random.chance(0.5) ? 10 : 40);
    case 'stand':
      return random.uniform(1, 15);
    default:
      return random.uniform(2, 8);
  }
}

/** Adds life with falls in it: out of a walk or from standing, then lying for a while. */
function fallAgain(random: Random, script: Step[], seconds: number): void {
  let time = 0;
  while (time < seconds) {
    time += live(random, script, random.uniform(20, 60));
    script.push(
      random.chance(0.6)
        ? { activity: 'walk', seconds: random.uniform(2, 8) }
        : { activity: 'stand', seconds: random.uniform(1, 8) },
      { activity: 'fall' },
      { activity: 'lie', seconds: random.uniform(20, 40) },
    );
    time += 40;
  }
}
