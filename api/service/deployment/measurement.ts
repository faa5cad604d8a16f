import { relative } from 'node:path';
import { readIfThere } from '../../../pipeline/base/files.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import type { Data, Environment } from '../../../pipeline/model/index.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import {
  knownIn,
  knowsEmpty,
  partsOfOthers,
  reductionOf,
  writeCalibration,
  type RoomCalibration,
} from '../../../operators/infer-pose/model/calibration.js';
import { conflict, type ApiError } from '../errors.js';
import { EmptyRoom, Walk, type Learnt, type Who } from './learnt.js';

/** What the measurement says about a link. */
export interface CalibratedLink {
  readonly id: string;
  /** False: no frames arrived, so its former profile stays. */
  readonly isHeard: boolean;
  /** Mean difference from the former profile, decibels; null without one. */
  readonly changeDb: number | null;
}

/** A measurement of a room, in progress or complete. */
export interface Calibration {
  readonly state: 'none' | 'measuring' | 'measured' | 'saved' | 'failed';
  readonly who: Who;
  /** Seconds of event time that it takes, and that were heard: time without frames does not count. */
  readonly seconds: number;
  readonly heard: number;
  /** Seconds in which the motion detector noticed somebody; null if there is none. */
  readonly presence: number | null;
  readonly links: readonly CalibratedLink[];
  /** Decibels by which the walker changes the channels more than in training; null: not measured. */
  readonly echoDb: number | null;
  /** By how many decibels `infer-pose` reduces changes for it. */
  readonly reducedDb: number | null;
  /** Why the result may be wrong, for people; null if nothing says so. */
  readonly doubt: string | null;
  /** Relative to the topology's folder. */
  readonly file: string;
  readonly problem: string | null;
}

/** What is measured, and where the result belongs. */
export interface Target {
  readonly running: RunningTopology;
  readonly environment: Environment;
  /** Node whose windows are measured. */
  readonly windows: string;
  readonly motion: string | undefined;
  /** Absolute. */
  readonly file: string;
}

/** Taps the records of a node of a topology until the returned function is called. */
type Watch = (node: string, watcher: (record: Data) => void, topology?: string) => () => void;

/** States in which there is a result. */
const IS_RESULT = { none: false, measuring: false, measured: true, saved: true, failed: false };

/** Above this `presence_probability`, the motion detector says that somebody is there. */
const PRESENT = 0.5;
/** Event time may stand still: a measurement ends with an error after this many times its duration. */
const PATIENCE = 3;

/** What a measurement is asked for. */
export interface Asked {
  /** Event time. */
  readonly seconds: number;
  readonly who: Who;
}

/** Listens to the windows of a running topology. */
export class Measurement {
  readonly #target: Target;
  readonly #seconds: number;
  readonly #who: Who;
  readonly #learnt: Learnt;
  readonly #end: (() => void)[] = [];
  #state: Calibration['state'] = 'measuring';
  #problem: string | null = null;
  #first: number | undefined;
  /** Whole seconds of event time with somebody. */
  readonly #present = new Set<number>();

  /**
   * @throws ApiError 409 if the file, which a result would change, is of another kind, or does not know the empty
   * room of a walker
   */
  constructor(watch: Watch, target: Target, { seconds, who }: Asked) {
    this.#target = target;
    this.#seconds = seconds;
    this.#who = who;
    this.#learnt = learntBy(who, target);
    const { running, windows, motion } = target;
    this.#end.push(watch(windows, this.#take.bind(this), running.topology.id));
    if (motion !== undefined) this.#end.push(watch(motion, this.#notice.bind(this), running.topology.id));
    const timer = setTimeout(
      () => {
        this.#fail(
          `only ${this.#heard.toFixed(0)} s with frames arrived in ${PATIENCE * seconds} s: see the view Links`,
        );
      },
      PATIENCE * seconds * 1000,
    );
    timer.unref();
    this.#end.push(() => {
      clearTimeout(timer);
    });
  }

  get state(): Calibration['state'] {
    return this.#state;
  }

  get #heard(): number {
    return Math.min(this.#seconds, this.#learnt.heardSeconds);
  }

  #take(record: Data): void {
    if (record.port !== 'window' || record.environment !== this.#target.environment.id) return;
    this.#first ??= record.start;
    this.#learnt.add(record);
    if (this.#heard < this.#seconds) return;
    const { problem } = this.#learnt;
    if (problem !== null) {
      this.#fail(problem);
      return;
    }
    this.end();
    this.#state = 'measured';
  }

  #notice(record: Data): void {
    if (record.port !== 'measure' || record.name !== 'presence_probability') return;
    if (record.environment !== this.#target.environment.id || this.#first === undefined) return;
    if (record.value > PRESENT && record.time >= this.#first)
      this.#present.add(Math.floor(record.time / 1e6));
  }

  #fail(problem: string): void {
    this.end();
    this.#state = 'failed';
    this.#problem = problem;
  }

  end(): void {
    for (const end of this.#end.splice(0)) end();
  }

  /**
   * Writes the result to the file that is configured now.
   * @throws ApiError 409 if the room is another than was measured, or if the file cannot be written
   */
  save(target: Target): void {
    const { running, environment } = target;
    if (geometryOf(environment) !== geometryOf(this.#target.environment))
      throw conflict(
        `the links or the size of ${environment.id} have changed since: measure it again`,
        running,
      );
    const whole = contentOf(target);
    const former = calibrationIn(target);
    if (this.#who === 'walker') requireEmptyRoom(target, former);
    const calibration = this.#learnt.with(former);
    try {
      writeCalibration(target.file, calibration, partsOfOthers(whole ?? {}));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw conflict(
        `${nameOf(target)} cannot be written (${code ?? errorText(error)}): make it writable for csiflow`,
        running,
      );
    }
    this.#state = 'saved';
  }

  /** @param target where the result would be written now */
  describe(target: Target): Calibration {
    const { environment, motion } = this.#target;
    const learnt = this.#learnt;
    return {
      ...describeNothing(target),
      state: this.#state,
      who: this.#who,
      seconds: this.#seconds,
      heard: this.#heard,
      presence: motion === undefined ? null : this.#present.size,
      links: environment.links.map(({ id }) => ({
        id,
        isHeard: learnt.isHeard(id),
        changeDb: learnt.changeOf(id),
      })),
      ...(IS_RESULT[this.#state] && resultOf(learnt)),
      problem: this.#problem,
    };
  }
}

const resultOf = ({ echoDb, doubt }: Learnt) => ({
  echoDb,
  doubt,
  reducedDb: echoDb === null ? null : reductionOf(echoDb),
});

export const describeNothing = (target: Target): Calibration => ({
  ...{ state: 'none', who: 'nobody', seconds: 0, heard: 0, presence: null, links: [], echoDb: null },
  ...{ reducedDb: null, doubt: null, problem: null },
  file: nameOf(target),
});

type Content = Readonly<Record<string, unknown>>;

/** Undefined if there is no file. @throws ApiError 409 if it is no calibration */
function contentOf(target: Target): Content | undefined {
  try {
    const bytes = readIfThere(target.file);
    if (!bytes) return undefined;
    const content: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content as Content;
    throw new Error('it must contain an object');
  } catch (error) {
    throw notOne(target, error);
  }
}

/** A file of `calibrate` alone has none. @throws ApiError 409 if they cannot be used */
function calibrationIn(target: Target): RoomCalibration {
  try {
    return knownIn(target.file);
  } catch (error) {
    throw notOne(target, error);
  }
}

function learntBy(who: Who, target: Target): Learnt {
  const former = calibrationIn(target);
  if (who === 'nobody') return new EmptyRoom(former.profiles);
  requireEmptyRoom(target, former);
  return new Walk(target.environment);
}

/** @throws ApiError 409 if the empty room of a walker is not known */
function requireEmptyRoom({ environment, running }: Target, former: RoomCalibration): void {
  if (knowsEmpty(former, environment)) return;
  throw conflict(`${environment.id} has no empty room yet: measure it first, with nobody in it`, running);
}

/** What a measurement depends on. */
const geometryOf = ({ links, size }: Environment): string => JSON.stringify([links, size]);

const notOne = (target: Target, error: unknown): ApiError =>
  conflict(`${nameOf(target)} is not a calibration file (${errorText(error)}): move it away`, target.running);

/** Messages do not name the host's folders. */
const nameOf = ({ file, running }: Target): string => relative(running.topology.folder, file);
