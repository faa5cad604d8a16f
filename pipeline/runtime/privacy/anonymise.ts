import { createHmac } from 'node:crypto';
import type { Data, Measure, Person, Point, PoseFrame, SensedEvent } from '../../model/index.js';

/** Side of the floor cells that positions are rounded to, metres. */
export const GRID_METRES = 0.5;
/** Half the diagonal of a cell: the largest distance between a rounded and an inferred position. */
const GRID_ERROR_METRES = Math.round((GRID_METRES / 2) * Math.SQRT2 * 1000) / 1000;
/**
 * Metadata of events that reveals neither identity nor exact position. Everything else is removed: a field of
 * a user's own operator may hold anything.
 */
const IMPERSONAL: ReadonlySet<string> = new Set([
  ...['activity', 'previous', 'seconds', 'minutes', 'posture', 'in_sight'],
  ...['zone', 'zone_name', 'dwell_seconds', 'out_of_sight', 'persons', 'person_count', 'threat_level'],
  ...['score', 'threshold', 'fall_duration', 'impact_severity', 'links', 'recovery_detected'],
  ...['noise_floor', 'method'],
]);

/**
 * Removes from records what identifies a person and how exactly they stood. The same record has the same
 * result in each run and for each sink, so records repeated after a crash do not differ.
 *
 * A person's number is replaced by a permutation that depends on the key: a Feistel network over 32 bits with
 * HMAC-SHA256 as its round function (Luby and Rackoff, 1988). No two persons get the same number, and no
 * table has to be stored.
 */
export class Anonymiser {
  readonly #key: Buffer;
  readonly #known = new Map<string, number>();

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** For all recipients, stores and people alike: pseudonyms, no skeletons, positions and speeds on the grid. */
  apply(data: Data): Data {
    if (data.port === 'pose') return this.#poseFrame(data);
    if (data.port === 'event') return this.#event(data);
    return data.port === 'measure' ? this.#measure(data) : data;
  }

  /** @param number of a person in an environment, from 0; 0 stays 0 */
  pseudonym(environment: string, number: number): number {
    const name = `${environment} ${number}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const found = this.#permuted(environment, number);
    this.#known.set(name, found);
    return found;
  }

  #poseFrame(poseFrame: PoseFrame): PoseFrame {
    const { environment, persons } = poseFrame;
    const renamed = persons.map((person) => {
      const { track } = person;
      const thinned = coarse(person);
      if (!track) return thinned;
      return { ...thinned, track: { ...thinned.track!, id: this.pseudonym(environment, track.id) } };
    });
    return { ...poseFrame, persons: renamed };
  }

  #event(event: SensedEvent): SensedEvent {
    const { environment, id, type, person, location } = event;
    const metadata = Object.entries(event.metadata).filter(([key]) => IMPERSONAL.has(key));
    return {
      ...event,
      // Operators write the person's number into the message.
      id: `${environment}-${type}-${this.#hash('event', id).toString('hex', 0, 12)}`,
      person: person === null ? null : this.pseudonym(environment, person),
      location: location && coarsePoint(location),
      metadata: Object.fromEntries(metadata),
    };
  }

  #measure(measure: Measure): Measure {
    const { environment, subject } = measure;
    if (subject === null || !/^\d{1,15}$/.test(subject)) return measure;
    return { ...measure, subject: String(this.pseudonym(environment, Number(subject))) };
  }

  #permuted(environment: string, number: number): number {
    const high = Math.floor(number / 2 ** 32);
    const low = number - high * 2 ** 32;
    if (low === 0) return number;
    let found = low;
    // 0 means no person in the service interface: a person who would get it is permuted once more.
    do found = this.#rounds(`${environment} ${high}`, found);
    while (found === 0);
    return high * 2 ** 32 + found;
  }

  #rounds(tweak: string, number: number): number {
    let [left, right] = [number >>> 16, number & 0xffff];
    for (let round = 0; round < ROUNDS; round++) {
      const mask = this.#hash('person', `${tweak} ${round} ${right}`).readUInt16LE(0);
      [left, right] = [right, left ^ mask];
    }
    return left * 0x1_0000 + right;
  }

  #hash(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.#key).update(`${purpose} ${text}`).digest();
  }
}

const ROUNDS = 8;
const MAX_KNOWN = 4_096;

function coarse(person: Person): Person {
  const { position, positionError, track } = person;
  return {
    ...person,
    position: { x: onGrid(position.x), y: onGrid(position.y), z: 0 },
    positionError: Math.max(positionError, GRID_ERROR_METRES),
    heading: null,
    headingConfidence: 0,
    keypoints: [],
    articulated: false,
    track: track && {
      ...track,
      velocity: { x: onGrid(track.velocity.x), y: onGrid(track.velocity.y) },
    },
  };
}

const coarsePoint = ({ x, y, z }: Point): Point => ({ x: onGrid(x), y: onGrid(y), z: onGrid(z) });

/** The nearest multiple of the grid; never minus zero. */
const onGrid = (value: number): number => Math.round(value / GRID_METRES) * GRID_METRES + 0;
