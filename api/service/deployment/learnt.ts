import type { RoomCalibration, Profiles } from '../../../operators/infer-pose/model/calibration.js';
import { EchoLearner } from '../../../operators/infer-pose/windows/echo.js';
import { ProfileLearner } from '../../../operators/infer-pose/windows/profiles.js';
import type { Environment, Window } from '../../../pipeline/model/index.js';

/** Who is in a room while it is measured. */
export const WHO = ['nobody', 'walker'] as const;
export type Who = (typeof WHO)[number];

/** What is learnt from the windows of a room. */
export interface Learnt {
  add(window: Window): void;
  /** Seconds of event time, without those in which no frames came. */
  readonly heardSeconds: number;
  isHeard(link: string): boolean;
  /** Mean difference of a link from its former profile, decibels; null without one. */
  changeOf(link: string): number | null;
  /** Null: not measured. */
  readonly echoDb: number | null;
  /** Why the result cannot be used, for people; null: it can. */
  readonly problem: string | null;
  /** Why the result may be wrong, for people; null if nothing says so. */
  readonly doubt: string | null;
  /** The calibration of the file with what was learnt. */
  with(calibration: RoomCalibration): RoomCalibration;
}

const DB_PER_NEPER = 20 / Math.LN10;

/** Nobody is there: the profiles of the links. */
export class EmptyRoom implements Learnt {
  readonly #learner = new ProfileLearner();
  readonly #former: Profiles;
  readonly echoDb = null;
  readonly problem = null;
  readonly doubt = null;

  constructor(former: Profiles) {
    this.#former = former;
  }

  add(window: Window): void {
    this.#learner.add(window);
  }

  get heardSeconds(): number {
    return this.#learner.heardSeconds;
  }

  isHeard(link: string): boolean {
    return Object.hasOwn(this.#learner.profiles(), link);
  }

  /** Profiles hold natural logarithms of amplitudes. */
  changeOf(link: string): number | null {
    const [now, former] = [this.#learner.profiles()[link], this.#former[link]];
    if (!now || !former || now.length !== former.length) return null;
    const sum = now.reduce((total, value, band) => total + Math.abs(value - former[band]!), 0);
    return (DB_PER_NEPER * sum) / now.length;
  }

  with({ profiles, echoes }: RoomCalibration): RoomCalibration {
    return { profiles: { ...profiles, ...this.#learner.profiles() }, echoes };
  }
}

/** One person walks: the echo of the room. */
export class Walk implements Learnt {
  readonly #environment: string;
  readonly #learner: EchoLearner;

  constructor(environment: Environment) {
    this.#environment = environment.id;
    this.#learner = new EchoLearner(environment);
  }

  add(window: Window): void {
    this.#learner.add(window);
  }

  get heardSeconds(): number {
    return this.#learner.heardSeconds;
  }

  isHeard(link: string): boolean {
    return this.#learner.isMeasured(link);
  }

  changeOf(): null {
    return null;
  }

  get echoDb(): number | null {
    return this.#learner.echoDb;
  }

  get problem(): string | null {
    return this.#learner.problem;
  }

  get doubt(): string | null {
    return this.#learner.doubt;
  }

  with({ profiles, echoes }: RoomCalibration): RoomCalibration {
    const { echoDb } = this;
    return { profiles, echoes: echoDb === null ? echoes : { ...echoes, [this.#environment]: echoDb } };
  }
}
