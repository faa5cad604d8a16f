import type { Environment, Measure, Provenance } from '../../pipeline/model/index.js';
import { ROOM, type Member } from './members.js';
import { addTo, MINUTE, minuteRows, newMinute, type MinuteState } from './minute.js';
import type { Presence } from './presence.js';

export interface MinutesState {
  readonly accrued: number;
  readonly settled: number;
  readonly minutes: readonly MinuteState[];
}

/**
 * The sums of the minutes that are not over. They have two clocks: immediate values of pose frames are summed up to
 * `accrued`; confirmed presence up to `settled`, which is behind by the time that a change must last to count.
 */
export class Minutes {
  readonly #environment: Environment;
  readonly #presence: Presence;
  readonly #provenance: () => Provenance;
  readonly #onSettled: (end: number) => void;
  #minutes = new Map<number, MinuteState>();
  #accrued = 0;
  #settled = 0;

  /**
   * @param provenance of the newest pose frame
   * @param onSettled called with the end of a minute when all presence in it is confirmed
   */
  constructor(
    environment: Environment,
    presence: Presence,
    provenance: () => Provenance,
    onSettled: (end: number) => void,
  ) {
    this.#environment = environment;
    this.#presence = presence;
    this.#provenance = provenance;
    this.#onSettled = onSettled;
  }

  /** Time up to which presence is summed, microseconds. */
  get settled(): number {
    return this.#settled;
  }

  /** Nothing is known from before `time`. */
  begin(time: number): void {
    this.#accrued = this.#settled = time;
  }

  /** The minute that holds `time`. */
  at(time: number): MinuteState {
    const start = Math.floor(time / MINUTE) * MINUTE;
    const known = this.#minutes.get(start);
    if (known) return known;
    const made = newMinute(start, this.#provenance(), this.#environment.zones.length + 1);
    this.#minutes.set(start, made);
    return made;
  }

  /** Sums up the newest pose frame, which is valid until `time`. @param sureness of its number of persons, thousandths */
  accrue(time: number, sureness: number): void {
    while (this.#accrued < time) {
      const minute = this.at(this.#accrued);
      const end = Math.min(time, minute.start + MINUTE);
      const elapsed = end - this.#accrued;
      minute.seen += elapsed;
      minute.sureness += sureness * elapsed;
      for (const member of this.#presence.members)
        if (member.seen) this.#accrueMember(member, minute, elapsed);
      this.#accrued = end;
    }
  }

  #accrueMember({ id, moving, lying, stays }: Member, minute: MinuteState, elapsed: number): void {
    if (moving) addTo(minute.moving, id, elapsed);
    const inBed = this.#environment.zones.some(
      ({ kind }, index) => kind === 'bed' && stays[index + 1]!.there,
    );
    if (!inBed) return;
    minute.bed.bed_seconds += elapsed;
    if (moving) minute.bed.bed_moving_seconds += elapsed;
    else if (lying) minute.bed.sleep_seconds += elapsed;
  }

  /** Sums up confirmed presence, which is known until `time`. */
  settle(time: number): void {
    const counts = this.#presence.counts();
    while (this.#settled < time) {
      const minute = this.at(this.#settled);
      const end = Math.min(time, minute.start + MINUTE);
      const elapsed = end - this.#settled;
      const count = counts[ROOM]!;
      minute.withPersons[Math.min(4, count)]! += elapsed;
      counts.forEach((persons, region) => {
        minute.presence[region]! += persons * elapsed;
        minute.peak[region] = Math.max(minute.peak[region]!, persons);
      });
      for (const { id, stays } of this.#presence.members)
        if (stays[ROOM]!.entered) addTo(minute.persons, id, elapsed);
      this.#settled = end;
      if (end === minute.start + MINUTE) this.#onSettled(end);
    }
  }

  /** The rows of the minutes that are over at `time`, which are forgotten. */
  close(time: number): Measure[] {
    const over = [...this.#minutes.values()].filter(({ start }) => start + MINUTE <= time);
    const zones = this.#environment.zones.map(({ id }) => id);
    return over
      .sort((a, b) => a.start - b.start)
      .flatMap((minute) => {
        this.#minutes.delete(minute.start);
        return minuteRows(minute, this.#environment.id, zones);
      });
  }

  snapshot(): MinutesState {
    return { accrued: this.#accrued, settled: this.#settled, minutes: [...this.#minutes.values()] };
  }

  /** A checkpoint of an earlier version lacks counts that have been added since. */
  #withAllCounts(minute: MinuteState): MinuteState {
    const { counts } = newMinute(minute.start, minute.provenance, this.#environment.zones.length + 1);
    return { ...minute, counts: { ...counts, ...minute.counts } };
  }

  restore({ accrued, settled, minutes }: MinutesState): void {
    this.#accrued = accrued;
    this.#settled = settled;
    this.#minutes = new Map(minutes.map((minute) => [minute.start, this.#withAllCounts(minute)]));
  }
}
