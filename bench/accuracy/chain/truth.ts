import type { ThingLine, TruthLine } from '../../../pipeline/sources/simulator/truth-file.js';

/** Ground truth at one time. */
export interface Moment {
  /** Event time, microseconds. */
  readonly time: number;
  /** People in the room. */
  readonly people: readonly TruthLine[];
}

/** Ground truth of a simulated scene, by event time. */
export class Truth {
  readonly moments: readonly Moment[];
  /** Microseconds: when objects fell, in order of time. */
  readonly drops: readonly number[];

  /** @param lines as the simulator writes them, one JSON object for each person or thing and time */
  constructor(lines: string) {
    const moments: { time: number; people: TruthLine[] }[] = [];
    const things: ThingLine[] = [];
    for (const line of lines.split('\n')) {
      if (line === '') continue;
      const entry = JSON.parse(line) as TruthLine | ThingLine;
      if ('thing' in entry) {
        things.push(entry);
        continue;
      }
      if (moments.at(-1)?.time !== entry.time) moments.push({ time: entry.time, people: [] });
      if (entry.present) moments.at(-1)!.people.push(entry);
    }
    this.moments = moments;
    this.drops = dropsOf(things);
  }

  /** The moment nearest to a time; undefined if none is within a tenth of a second. */
  at(time: number): Moment | undefined {
    const { moments } = this;
    let low = 0;
    let high = moments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (moments[middle]!.time < time) low = middle + 1;
      else high = middle;
    }
    const near = [moments[low - 1], moments[low]].filter((moment) => moment !== undefined);
    const best = near.sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time))[0];
    return best && Math.abs(best.time - time) <= NEAR_US ? best : undefined;
  }

  /** When people start an activity, in order of time. */
  beginnings(activity: TruthLine['activity']): readonly { time: number; person: number }[] {
    const before = new Map<number, string>();
    const found: { time: number; person: number }[] = [];
    for (const { time, people } of this.moments) {
      for (const one of people) {
        if (one.activity === activity && before.get(one.person) !== activity)
          found.push({ time, person: one.person });
        before.set(one.person, one.activity);
      }
    }
    return found;
  }
}

const NEAR_US = 100_000;

/** An object that bounces falls once. */
const BOUNCES_US = 5e6;

/** When objects that were at rest began to sink. */
function dropsOf(things: readonly ThingLine[]): readonly number[] {
  const before = new Map<number, ThingLine>();
  const last = new Map<number, number>();
  const drops: number[] = [];
  for (const line of things) {
    const { time, thing, number, moving, place } = line;
    const resting = before.get(number);
    before.set(number, line);
    if (thing !== 'falling_object' || !moving || !resting || resting.moving) continue;
    if (place[2]! >= resting.place[2]! || time - (last.get(number) ?? -Infinity) < BOUNCES_US) continue;
    last.set(number, time);
    drops.push(time);
  }
  return drops;
}
