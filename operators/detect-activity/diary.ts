import type { Person } from '../../pipeline/model/index.js';

/** What a person is said to do, in the order of the measures. */
export const ACTIVITIES = ['walking', 'standing', 'sitting', 'lying'] as const;
export type Activity = (typeof ACTIVITIES)[number];

export interface DiarySettings {
  /** Speed over the floor from which on a person walks; below half of it they have stopped. Metres a second. */
  readonly walkingSpeed: number;
  /** How long another activity must last to count, microseconds. */
  readonly dwell: number;
  /** Frames of a person further apart than this say nothing of the time between them, microseconds. */
  readonly maxGap: number;
}

/** One person. Times are microseconds of event time. */
interface Page {
  /** What the person does for sure; null until the first activity has lasted for long enough. */
  readonly activity: Activity | null;
  /** When that began. */
  readonly since: number;
  /** What the newest frame looks like, and since when frames look like it. */
  readonly seems: Activity;
  readonly seemsSince: number;
  /** Time up to which seconds are counted. */
  readonly counted: number;
  /** Newest frame. */
  readonly seen: number;
  /** Out of sight for longer than a gap may be: all up to `seen` is counted. */
  readonly away: boolean;
}

/** The person was last known to do something else. */
export interface Change {
  readonly person: number;
  readonly activity: Activity;
  readonly previous: Activity;
  /** When the new activity began. */
  readonly time: number;
  /** How long the previous one lasted. */
  readonly seconds: number;
}

/** How long one person did what in one minute. */
export interface PersonMinute {
  /** Its start. */
  readonly minute: number;
  readonly person: number;
  /** Microseconds of each of {@link ACTIVITIES}. */
  readonly times: readonly number[];
}

export interface DiaryState {
  readonly pages: readonly (readonly [person: number, page: Page])[];
  readonly minutes: readonly PersonMinute[];
}

export const MINUTE = 60_000_000;
/** Persons that are followed at a time; of more, who was seen longest ago is forgotten. */
const MAX_PERSONS = 1000;

/**
 * What the persons of one environment do, with seconds per minute. An activity counts once it has lasted for `dwell`,
 * and then from its beginning: a shorter one is counted as what was done before it.
 */
export class Diary {
  readonly #settings: DiarySettings;
  /** In the order of their last frame. */
  readonly #pages = new Map<number, Page>();
  /** By start of the minute, then by person. */
  readonly #minutes = new Map<number, Map<number, number[]>>();

  constructor(settings: DiarySettings) {
    this.#settings = settings;
  }

  /** A frame with the person in sight; returns what has changed by it. */
  see(id: number, person: Person, time: number): Change | null {
    const known = this.#pages.get(id);
    if (known && time <= known.seen) return null;
    const seems = this.#looksLike(person, known?.seems);
    const [page, change] = this.#confirm(id, { ...this.#turnTo(id, known, seems, time), seen: time });
    this.#pages.delete(id);
    this.#pages.set(id, page);
    if (this.#pages.size > MAX_PERSONS) this.leave(this.#pages.keys().next().value!);
    return change;
  }

  /** The person's track has ended. */
  leave(id: number): void {
    const page = this.#pages.get(id);
    if (page && !page.away) this.#settle(id, page, page.seen);
    this.#pages.delete(id);
  }

  /** No frame up to `time` will come any more: gives the minutes that are over, and forgets them. */
  close(time: number): PersonMinute[] {
    for (const [id, page] of this.#pages) {
      if (page.away || time - page.seen <= this.#settings.maxGap) continue;
      this.#settle(id, page, page.seen);
      this.#pages.set(id, { ...page, away: true });
    }
    const over = [...this.#minutes.keys()].filter(
      (minute) => minute + MINUTE + this.#settings.dwell + this.#settings.maxGap <= time,
    );
    const closed = over.sort((a, b) => a - b).flatMap((minute) => this.#personsOf(minute));
    for (const minute of over) this.#minutes.delete(minute);
    return closed;
  }

  /** Gives all minutes with what they have, and forgets them. */
  closeAll(): PersonMinute[] {
    const minutes = [...this.#minutes.keys()].sort((a, b) => a - b);
    const closed = minutes.flatMap((minute) => this.#personsOf(minute));
    this.#minutes.clear();
    return closed;
  }

  snapshot(): DiaryState {
    return {
      pages: [...this.#pages],
      minutes: [...this.#minutes.keys()].flatMap((minute) => this.#personsOf(minute)),
    };
  }

  restore({ pages, minutes }: DiaryState): void {
    this.#pages.clear();
    this.#minutes.clear();
    for (const [id, page] of pages) this.#pages.set(id, page);
    for (const { minute, person, times } of minutes) {
      const sums = this.#sums(minute, person);
      times.forEach((time, index) => (sums[index] = time));
    }
  }

  /** The page from which a frame at `time` goes on; what did not last ends there. */
  #turnTo(id: number, page: Page | undefined, seems: Activity, time: number): Page {
    const fresh = { seems, seemsSince: time, counted: time, seen: time, away: false };
    if (!page) return { activity: null, since: time, ...fresh };
    const gap = page.away || time - page.seen > this.#settings.maxGap;
    if (!gap && seems === page.seems) return page;
    if (!page.away) this.#settle(id, page, gap ? page.seen : time);
    return { ...page, ...fresh };
  }

  /** Counts what is settled: all where nothing has changed, else from the beginning of what has lasted for long enough. */
  #confirm(id: number, page: Page): [Page, Change | null] {
    const { activity, seems, seemsSince, seen } = page;
    if (seems === activity) {
      this.#count(id, seems, page.counted, seen);
      return [{ ...page, counted: seen }, null];
    }
    if (seen - seemsSince < this.#settings.dwell) return [page, null];
    this.#count(id, seems, page.counted, seen);
    const next = { ...page, activity: seems, since: seemsSince, counted: seen };
    if (activity === null) return [next, null];
    const seconds = (seemsSince - page.since) / 1e6;
    return [next, { person: id, activity: seems, previous: activity, time: seemsSince, seconds }];
  }

  /** Counts all up to `time`: what did not last for long enough as what was done before it. */
  #settle(id: number, page: Page, time: number): void {
    this.#count(id, page.activity ?? page.seems, page.counted, time);
  }

  #looksLike({ posture, track }: Person, before: Activity | undefined): Activity {
    if (posture === 'lying') return 'lying';
    const speed = track ? Math.hypot(track.velocity.x, track.velocity.y) : 0;
    const least = this.#settings.walkingSpeed * (before === 'walking' ? 0.5 : 1);
    if (speed >= least) return 'walking';
    return posture === 'sitting' ? 'sitting' : 'standing';
  }

  #count(id: number, activity: Activity, from: number, to: number): void {
    for (let start = from; start < to;) {
      const minute = Math.floor(start / MINUTE) * MINUTE;
      const end = Math.min(to, minute + MINUTE);
      this.#sums(minute, id)[ACTIVITIES.indexOf(activity)]! += end - start;
      start = end;
    }
  }

  /** Microseconds of each activity. */
  #sums(minute: number, id: number): number[] {
    let persons = this.#minutes.get(minute);
    if (!persons) this.#minutes.set(minute, (persons = new Map<number, number[]>()));
    let sums = persons.get(id);
    if (!sums) persons.set(id, (sums = ACTIVITIES.map(() => 0)));
    return sums;
  }

  #personsOf(minute: number): PersonMinute[] {
    const persons = [...(this.#minutes.get(minute) ?? [])].sort(([a], [b]) => a - b);
    return persons.map(([person, sums]) => ({ minute, person, times: [...sums] }));
  }
}
