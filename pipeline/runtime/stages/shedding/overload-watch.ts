import type { NodeRun } from '../../nodes/host.js';

/** Interval of readings, milliseconds. */
const LOOK_MS = 500;
/** A node is overloaded until it has shed nothing for this long, milliseconds. */
const QUIET_MS = 1500;
/** Weight of the newest reading in the rates: half per second. */
const WEIGHT = 0.3;

/** The data to shed. */
export interface Unit {
  /** Name of what is shed, in the plural. */
  readonly name: string;
  /** The consequence, for people. */
  readonly consequence: () => string;
  /** Shedding begins or has ended. */
  readonly onChange?: (isOverloaded: boolean) => void;
}

/** While a node sheds, it is degraded, with the rate that it can process and the rate that arrives. */
export class OverloadWatch {
  readonly #run: NodeRun;
  readonly #elapsed: () => number;
  readonly #unit: Unit;
  #came = 0;
  #done = 0;
  #lastShed = -Infinity;
  #lookedAt = 0;
  /** Per second; null if nothing is shed. */
  #rates: { readonly came: number; readonly done: number } | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(run: NodeRun, elapsed: () => number, unit: Unit) {
    this.#run = run;
    this.#elapsed = elapsed;
    this.#unit = unit;
  }

  came(count = 1): void {
    this.#came += count;
  }

  done(count = 1): void {
    this.#done += count;
  }

  shed(): void {
    this.#lastShed = this.#elapsed();
    if (this.#timer) return;
    this.#came = this.#done = 0;
    this.#lookedAt = this.#lastShed;
    this.#unit.onChange?.(true);
    this.#tell(`it receives more ${this.#unit.name} than it can process`);
    this.#run.context.log.warn(`overloaded: ${this.#unit.name} are shed`);
    this.#timer = setInterval(() => {
      this.#look();
    }, LOOK_MS).unref();
  }

  /** The node no longer runs. */
  end(): void {
    if (this.#timer) {
      clearInterval(this.#timer);
      this.#unit.onChange?.(false);
    }
    this.#timer = null;
    this.#rates = null;
    this.#tell(null);
  }

  #look(): void {
    const now = this.#elapsed();
    if (now - this.#lastShed > QUIET_MS) {
      this.end();
      this.#run.context.log.info('no longer overloaded');
      return;
    }
    const seconds = Math.max(1, now - this.#lookedAt) / 1000;
    const [came, done] = [this.#came / seconds, this.#done / seconds];
    const before = this.#rates ?? { came, done };
    const { came: coming, done: doing } = (this.#rates = {
      came: before.came + WEIGHT * (came - before.came),
      done: before.done + WEIGHT * (done - before.done),
    });
    this.#lookedAt = now;
    this.#came = this.#done = 0;
    const { name, consequence } = this.#unit;
    this.#tell(`it can process ${rounded(doing)} of ${rounded(coming)} ${name}/s: ${consequence()}`);
  }

  #tell(problem: string | null): void {
    this.#run.problems.set('overloaded', problem);
  }
}

const rounded = (rate: number): string => (rate < 10 ? rate.toFixed(1) : String(Math.round(rate)));
