import type { Environment, Person, Point, Posture, Zone } from '../../pipeline/model/index.js';
import { contains, hasHeight, heightOf, isRestful } from '../shared/zones.js';

export interface VigilSettings {
  /** Time without movement, microseconds. */
  readonly threshold: number;
  /** Distance at which a change of position counts, metres. */
  readonly distance: number;
  /** This many changes of position within ten seconds are a movement. */
  readonly steps: number;
  /** A new posture that lasts this long is a movement, microseconds. */
  readonly postureLasts: number;
  /** Motion of the room from which somebody in it is moving. */
  readonly motion: number;
  /** Motion must last this long to count, microseconds. */
  readonly motionLasts: number;
  /** People who lie in a zone of kind `bed` count as asleep. */
  readonly ignoreBed: boolean;
  /** Ids of the zones through which people leave; empty: anywhere, while walking. */
  readonly exits: readonly string[];
}

/** A person in sight or assumed to be still present. Times are microseconds of event time. */
interface Watched {
  readonly id: number;
  /** Position after the last change. */
  readonly place: Point;
  /** Times of such changes in the last ten seconds. */
  readonly steps: readonly number[];
  readonly posture: Posture;
  /** When a posture other than that began to show; null if none does. */
  readonly turning: number | null;
  readonly since: number;
  /** Time when the person was last in sight. */
  readonly seen: number;
  /** Position and posture then: for the event, and to decide whether they left. */
  readonly last: {
    readonly position: Point;
    readonly posture: Posture;
    readonly confidence: number;
    /** Height of the highest keypoint, metres; unknown in states of earlier versions. */
    readonly height?: number | null;
  };
  /** When the person last moved. */
  readonly walked: number;
  readonly inSight: boolean;
  /** Was in sight long enough to count also while out of sight. */
  readonly certain: boolean;
  /** This stretch was reported. */
  readonly told: boolean;
}

/** A person without movement for a long time. */
export interface Stretch {
  readonly person: number;
  /** When it began, and when it became long enough. */
  readonly since: number;
  readonly time: number;
  readonly inSight: boolean;
  readonly position: Point;
  readonly posture: Posture;
  readonly confidence: number;
  /** Somebody who lies there is asleep or resting. */
  readonly isRestful: boolean;
}

export interface VigilState {
  readonly watched: readonly Watched[];
  readonly moving: number | null;
}

/** Time over which changes of position add up. */
const STEPS_WITHIN = 10_000_000;
/** A person who moved within this time before being lost was walking. */
const WALKED_OUT = 3_000_000;
/** Maximum number of persons at a time; beyond it, the one seen longest ago is forgotten. */
const MAX_WATCHED = 100;

/** Watches over the persons of one environment. */
export class Vigil {
  #settings: VigilSettings;
  readonly #zones: readonly Zone[];
  readonly #exits: readonly Zone[];
  readonly #watched = new Map<number, Watched>();
  /** Since when the room's motion has been above the threshold; null: it is not above it. */
  #moving: number | null = null;

  constructor({ zones }: Environment, settings: VigilSettings) {
    this.#settings = settings;
    this.#zones = zones;
    this.#exits = zones.filter(({ id }) => settings.exits.includes(id));
  }

  /** Exits cannot change. */
  adjust(settings: VigilSettings): void {
    this.#settings = settings;
  }

  /**
   * A pose frame: updates who is in sight, and returns the stretches that became long enough.
   * @param isCertain whether a person counts also while out of sight
   */
  takePoseFrame(time: number, persons: readonly Person[], isCertain: (person: Person) => boolean): Stretch[] {
    const here = new Set<number>();
    for (const person of persons) {
      if (person.track?.state !== 'active') continue;
      here.add(person.track.id);
      this.#see(person.track.id, person, time, isCertain(person));
    }
    for (const [id, watched] of this.#watched) if (!here.has(id)) this.#miss(id, watched);
    return this.#due(time);
  }

  /**
   * Motion of the whole room at `time`. It is assigned to the only person; with several persons it cannot be
   * assigned.
   */
  motion(time: number, value: number): Stretch[] {
    this.#moving = value >= this.#settings.motion ? (this.#moving ?? time) : null;
    const lasts = this.#moving !== null && time - this.#moving >= this.#settings.motionLasts;
    const [only] = this.#watched.values();
    if (lasts && only && this.#watched.size === 1) this.#set({ ...only, since: time, told: false });
    return this.#due(time);
  }

  /** The room is certainly empty: everybody out of sight has left. */
  leave(): void {
    for (const [id, { inSight }] of this.#watched) if (!inSight) this.#watched.delete(id);
  }

  snapshot(): VigilState {
    return { watched: [...this.#watched.values()], moving: this.#moving };
  }

  restore({ watched, moving }: VigilState): void {
    this.#watched.clear();
    for (const one of watched) this.#watched.set(one.id, one);
    this.#moving = moving;
  }

  #see(id: number, person: Person, time: number, isCertain: boolean): void {
    const { position, posture, confidence } = person;
    const last = { position, posture, confidence, height: heightOf(person) };
    const known = this.#watched.get(id);
    const since = { since: time, told: false, posture, turning: null };
    const certain = isCertain || known?.certain === true;
    const seen = { id, seen: time, last, inSight: true, certain };
    if (!known) {
      this.#recognise();
      this.#set({ ...seen, ...since, place: position, steps: [], walked: time });
      return;
    }
    const stepped =
      Math.hypot(position.x - known.place.x, position.y - known.place.y) >= this.#settings.distance;
    const place = stepped ? position : known.place;
    const steps = [...known.steps.filter((step) => time - step < STEPS_WITHIN), ...(stepped ? [time] : [])];
    const walked = stepped && steps.length >= this.#settings.steps;
    const turning = posture === known.posture ? null : (known.turning ?? time);
    const turned = turning !== null && time - turning >= this.#settings.postureLasts;
    // A person who gets up was asleep until now.
    const slept = this.#asleep(known.last) || this.#asleep(last);
    const now = { ...known, ...seen, place, steps };
    if (walked) this.#set({ ...now, ...since, walked: time });
    else if (turned || slept) this.#set({ ...now, ...since });
    else this.#set({ ...now, turning });
  }

  /**
   * A new number while somebody is out of sight most likely belongs to that person: the one seen longest ago
   * is dropped.
   */
  #recognise(): void {
    const away = [...this.#watched.values()].filter(({ inSight }) => !inSight);
    const [oldest] = away.sort((a, b) => a.seen - b.seen);
    if (oldest) this.#watched.delete(oldest.id);
    if (this.#watched.size < MAX_WATCHED) return;
    const [first] = [...this.#watched.values()].sort((a, b) => a.seen - b.seen);
    this.#watched.delete(first!.id);
  }

  /** Out of sight: gone if the person left or was hardly seen, otherwise assumed to be still present. */
  #miss(id: number, watched: Watched): void {
    if (!watched.inSight) return;
    if (!watched.certain || this.#left(watched)) this.#watched.delete(id);
    else this.#set({ ...watched, inSight: false });
  }

  #left({ last, seen, walked }: Watched): boolean {
    if (last.posture === 'lying') return false;
    if (this.#exits.length > 0) return this.#exits.some((zone) => contains(zone, last.position));
    return seen - walked < WALKED_OUT;
  }

  #asleep({ position, posture, height = null }: Watched['last']): boolean {
    const isHere = (zone: Zone) => hasHeight(zone, height) && contains(zone, position);
    const beds = this.#zones.filter(({ kind }) => kind === 'bed');
    return this.#settings.ignoreBed && posture === 'lying' && beds.some(isHere);
  }

  #due(time: number): Stretch[] {
    const due = [...this.#watched.values()].filter(
      ({ since, told, last }) => !told && time - since >= this.#settings.threshold && !this.#asleep(last),
    );
    return due.map((watched) => {
      this.#set({ ...watched, told: true });
      const { id, since, inSight, last } = watched;
      const { position, posture, confidence, height = null } = last;
      return {
        person: id,
        since,
        time: since + this.#settings.threshold,
        inSight,
        position,
        posture,
        confidence,
        isRestful: isRestful(this.#zones, position, height),
      };
    });
  }

  #set(watched: Watched): void {
    this.#watched.set(watched.id, watched);
  }
}
