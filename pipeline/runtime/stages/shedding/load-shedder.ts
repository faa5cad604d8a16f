import type { ShedLog } from '../../../state/index.js';
import type { Host, NodeRun } from '../../host.js';
import { InFlightLimit } from './in-flight-limit.js';
import { OverloadWatch, type Unit } from './overload-watch.js';
import { FairQueue } from './fair-queue.js';
import type { Waiting, Work } from './work.js';

export interface Shedding {
  /** How old results may become, milliseconds. */
  readonly maxLagMs: number;
  /** What an earlier run has shed; null where nothing is read again after a crash. */
  readonly log: ShedLog | null;
}

/** Shares of the lag that results may have: from which on there is overload, for waiting, for being under way. */
const [OVERLOAD, WAIT, IN_FLIGHT] = [0.25, 0.5, 0.25];
/** Overload lasts so long beyond its last sign, milliseconds. */
const MEMORY_MS = 1000;
const WINDOWS: Unit = { name: 'windows', consequence: () => 'environments get results less often' };
/** Windows that wait for each one that may be under way, until there is overload. */
const QUEUE_FACTOR = 4;

/**
 * Windows in front of live, costly work. Under overload each environment keeps its newest window, so hops grow longer
 * evenly; what has waited for too long even so is shed before the work is done. Other records are never shed.
 */
export class LoadShedder implements Waiting {
  readonly #run: NodeRun;
  readonly #host: Host;
  readonly #maxLagMs: number;
  readonly #log: ShedLog | null;
  readonly #queue = new FairQueue();
  readonly #inFlight: InFlightLimit;
  readonly #most: number;
  readonly #watch: OverloadWatch;
  #overloadedUntil = -Infinity;

  constructor(run: NodeRun, host: Host, { maxLagMs, log }: Shedding, most: number) {
    this.#run = run;
    this.#host = host;
    this.#maxLagMs = maxLagMs;
    this.#log = log;
    this.#most = most;
    const elapsed = () => host.clock.elapsed();
    this.#inFlight = new InFlightLimit(maxLagMs * IN_FLIGHT, most, elapsed);
    this.#watch = new OverloadWatch(run, elapsed, WINDOWS);
  }

  get size(): number {
    return this.#queue.size;
  }

  get limit(): number {
    return this.#inFlight.value;
  }

  put(work: Work): void {
    this.#watch.came();
    // What an earlier run did is done again.
    const earlier = this.#log?.earlier(work.number);
    const { data } = work.signal!;
    work.keep = data.port !== 'window' || earlier === 'kept';
    if (earlier === 'shed') {
      this.#run.meter.dropped('superseded', 1);
      work.signal = null;
      return;
    }
    const environment = data.port === 'window' ? data.environment : '';
    this.#queue.put(environment, work);
    const oldest = this.#queue.oldest(environment)!;
    if (this.#age(oldest) > OVERLOAD * this.#maxLagMs || this.size > this.#most * QUEUE_FACTOR)
      this.#overloadedUntil = this.#host.clock.elapsed() + MEMORY_MS;
    this.#thin(environment);
  }

  take(): Work | undefined {
    for (let environment = this.#queue.next; environment !== undefined; environment = this.#queue.next) {
      this.#thin(environment);
      const work = this.#queue.take(environment, true);
      if (work.keep || this.#age(work) <= WAIT * this.#maxLagMs) return work;
      this.#drop(work, 'stale');
    }
    return undefined;
  }

  done(ms: number, inFlight: number): void {
    this.#watch.done();
    this.#inFlight.done(ms, inFlight);
  }

  end(): void {
    this.#watch.end();
  }

  /** Under overload the newest of an environment takes the place of those before it. */
  #thin(environment: string): void {
    if (this.#host.clock.elapsed() > this.#overloadedUntil) return;
    while (this.#queue.count(environment) > 1 && !this.#queue.oldest(environment)!.keep)
      this.#drop(this.#queue.take(environment, false), 'superseded');
  }

  #drop(work: Work, reason: 'superseded' | 'stale'): void {
    this.#run.meter.dropped(reason, 1);
    this.#watch.shed();
    work.signal = null;
  }

  #age({ arrived }: Work): number {
    return this.#host.clock.elapsed() - arrived;
  }
}
