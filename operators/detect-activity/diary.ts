import type { Person } from '../../pipeline/model/index.js';

/** The activities, in the order of the measures. */
export const ACTIVITIES = ['walking', 'standing', 'sitting', 'lying'] as const;
export type Activity = (typeof ACTIVITIES)[number];

export interface DiarySettings {
  /** Speed over the floor from which a person is walking; below half of it they have stopped. Metres per second. */
  readonly walkingSpeed: number;
  /** How long a new activity must last to count, microseconds. */
  readonly dwell: number;
  /** Time between pose frames of a person that are further apart than this does not count, microseconds. */
  readonly maxGap: number;
}

/** One person. Times are microseconds of event time. */
interface Page {
  /** The confirmed activity; null until the first one has lasted long enough. */
  readonly activity: Activity | null;
  /** When it began. */
  readonly since: number;
  /** The activity in the newest pose frame, and since when pose frames show it. */
  readonly seems: Activity;
  readonly seemsSince: number;
  /** Time up to which seconds are counted. */
  readonly counted: number;
  /** Time of the newest pose frame. */
  readonly seen: number;
  /** Out of sight for longer than a gap may be: everything up to `seen` is counted. */
  readonly away: boolean;
}

/** The previous confirmed activity. */
export interface Change {
  readonly person: number;
  readonly activity: Activity;
  readonly previous: Activity;
  /** When the new activity began. */
  readonly time: number;
  /** How long the previous one lasted. */
  readonly seconds: number;
}

/** How long one person spent on each activity in one minute. */
export interface PersonMinute {
  /** Start of the minute. */
  readonly minute: number;
  readonly person: number;
  /** Microseconds for each of {@link ACTIVITIES}. */
  readonly times: readonly number[];
}

export interface DiaryState {
  readonly pages: readonly (readonly [person: number, page: Page])[];
  readonly minutes: readonly PersonMinute[];
}

export const MINUTE = 60_000_000;
/** Maximum number of persons followed at a time; beyond it, the one seen longest ago is forgotten. */
const MAX_PERSONS = 1000;

/**
 * Activities of the persons of one environment, with seconds per minute. An activity counts once it has
 * lasted for `dwell`, and then from its beginning; a shorter one counts as the previous one.
 */
export class Diary {
  readonly #settings: DiarySettings;
  /** In the order of their last pose frame. */
  readonly #pages = new Map<number, Page>();
  /** By start of the minute, then by person. */
  readonly #minutes = new Map<number, Map<number, number[]>>();

  constructor(settings: DiarySettings) {
    this.#settings = settings;
  }

  /** Adds a pose frame that shows the person; returns the change that it confirms. */
  see(id: number, person: Person, time: number): Change | null {
    const known = this.#pages.get(id);
    if (known && time <= known.seen) return null;
    const seems = this.#looksLike(person, known?.seems);
    if (seems === null) return null;
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

  /** No pose frame up to `time` will arrive any more: returns the finished minutes and removes them. */
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

  /** Returns all minutes as they are, and removes them. */
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

  /** The page that a pose frame at `time` continues; an unconfirmed activity ends there. */
  #turnTo(id: number, page: Page | undefined, seems: Activity, time: number): Page {
    const fresh = { seems, seemsSince: time, counted: time, seen: time, away: false };
    if (!page) return { activity: null, since: time, ...fresh };
    const gap = page.away || time - page.seen > this.#settings.maxGap;
    if (!gap && seems === page.seems) return page;
    if (!page.away) this.#settle(id, page, gap ? page.seen : time);
    return { ...page, ...fresh };
  }

  /** Counts settled time: all if nothing has changed, otherwise up to the beginning of the confirmed activity. */
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

  /** Counts everything up to `time`; an unconfirmed activity counts as the previous one. */
  #settle(id: number, page: Page, time: number): void {
    this.#count(id, page.activity ?? page.seems, page.counted, time);
  }

  /** Null: it cannot be known, because the speed is not a number. */
  #looksLike({ posture, track }: Person, before: Activity | undefined): Activity | null {
    if (posture === 'lying') return 'lying';
    const speed = track ? Math.hypot(track.velocity.x, track.velocity.y) : 0;
    if (Number.isNaN(speed)) return null;
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
