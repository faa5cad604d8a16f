import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import { SettledClock } from '../../base/settled-clock.js';
import type { SettledTimes } from '../../state/index.js';
import type { Log } from '../../telemetry/log.js';

const STORE_EVERY_MS = 60_000;

/** A topology's {@link SettledClock}, stored in its state. */
export class SettledNow {
  readonly #clock: Clock;
  readonly #settled: SettledClock;
  readonly #times: SettledTimes;
  readonly #log: Log;
  #storedAt = -Infinity;
  #isReported = false;

  constructor(clock: Clock, times: SettledTimes, log: Log) {
    this.#clock = clock;
    this.#times = times;
    this.#log = log;
    this.#settled = new SettledClock(clock, times.get());
  }

  /** Microseconds since 1970. */
  now(): number {
    const now = this.#settled.now();
    this.#tell();
    const elapsed = this.#clock.elapsed();
    if (elapsed - this.#storedAt < STORE_EVERY_MS) return now;
    this.#storedAt = elapsed;
    this.#times.put(this.#settled.snapshot).catch((error: unknown) => {
      this.#log.error('the time that retention counts from was not stored', { error: errorText(error) });
    });
    return now;
  }

  #tell(): void {
    const { ahead } = this.#settled;
    if ((ahead !== null) === this.#isReported) return;
    this.#isReported = ahead !== null;
    if (ahead === null) {
      this.#log.info("retention follows the system's clock again");
      return;
    }
    const days = (Math.abs(ahead) / 86_400_000_000).toFixed(1);
    this.#log.warn(
      `the system's clock is ${days} days ${ahead > 0 ? 'ahead of' : 'behind'} csiflow's own: retention ignores it until csiflow has run for a day with it`,
    );
  }
}
