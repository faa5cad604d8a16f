import { knownAt } from '../../../model/index.js';
import type { ShedLog } from '../../../state/index.js';
import type { Host, NodeRun } from '../../nodes/host.js';
import { InFlightLimit } from './in-flight-limit.js';
import { RecentLongest } from './recent-longest.js';
import { OverloadWatch, type Unit } from './overload-watch.js';
import { FairQueue } from './fair-queue.js';
import { Repetitions } from './repetitions.js';
import { UsualAge } from './usual-age.js';
import type { Waiting, Work } from './work.js';

export interface Shedding {
  /** Age limit of results, milliseconds. */
  readonly maxLagMs: number;
  /** Records that an earlier run has shed; null if nothing is read again after a crash. */
  readonly log: ShedLog | null;
  /** Whether anything is being shed, here or at a source. */
  readonly isOverloaded: () => boolean;
}

/** Shares of the allowed lag: the start of overload, and the time in flight. */
const [OVERLOAD, IN_FLIGHT] = [0.25, 0.25];
/**
 * Under overload, a window is shed if its result is expected later than this share. The rest is for results
 * of the same batch, which all reach the sinks together.
 */
const [SENT, EXPECTED] = [0.75, 0.35];
/** Without overload, windows may be old because input is rare: this long they may wait. */
const WAIT = 0.5;
/** A room that has sent nothing for this share is silent. */
const SILENCE = 0.25;
/** Overload lasts this long beyond its last sign, milliseconds. */
const MEMORY_MS = 1000;
const WINDOWS: Unit = { name: 'windows', consequence: () => 'environments get results less often' };
/** Waiting windows per allowed record in flight before there is overload. */
const QUEUE_FACTOR = 4;

/**
 * Queues windows for live, costly work. Under overload only the newest window of each environment stays, so
 * hops grow evenly, and windows of silent rooms are shed; so are those that still wait too long before
 * processing. Other records are never shed.
 */
export class LoadShedder implements Waiting {
  readonly #run: NodeRun;
  readonly #host: Host;
  readonly #maxLagMs: number;
  readonly #log: ShedLog | null;
  readonly #isOverloaded: () => boolean;
  readonly #queue = new FairQueue();
  readonly #inFlight: InFlightLimit;
  readonly #untilSent: RecentLongest;
  readonly #usual = new UsualAge();
  readonly #repetitions: Repetitions;
  readonly #most: number;
  readonly #watch: OverloadWatch;
  #overloadedUntil = -Infinity;
  /** When a record was last processed quickly: a slow record soon afterwards was waiting for others. */
  #quickAt = -Infinity;

  constructor(run: NodeRun, host: Host, { maxLagMs, log, isOverloaded }: Shedding, most: number) {
    this.#run = run;
    this.#host = host;
    this.#maxLagMs = maxLagMs;
    this.#log = log;
    this.#isOverloaded = isOverloaded;
    this.#most = most;
    this.#repetitions = new Repetitions(maxLagMs * SILENCE);
    const elapsed = () => host.clock.elapsed();
    this.#inFlight = new InFlightLimit(maxLagMs * IN_FLIGHT, most, elapsed);
    this.#untilSent = new RecentLongest(elapsed);
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
    // Repeats the decisions of an earlier run.
    const earlier = this.#log?.earlier(work.number);
    const { data } = work.signal!;
    work.isRequired = data.port !== 'window' || earlier === 'processed';
    if (earlier === 'shed') {
      this.#run.meter.dropped('superseded', 1);
      work.signal = null;
      return;
    }
    // This loses nothing, so it is not a sign of overload.
    if (data.port === 'window' && this.#repetitions.isShed(data, this.#isOverloaded) && !work.isRequired) {
      this.#run.meter.dropped('repeated', 1);
      work.signal = null;
      return;
    }
    const environment = data.port === 'window' ? data.environment : '';
    const ageMs = (this.#run.context.clock.now() - knownAt(data)) / 1000;
    work.lateMs = this.#usual.exceeded(ageMs, this.#elapsed());
    this.#queue.put(environment, work);
    const oldest = this.#queue.oldest(environment)!;
    if (this.#waited(oldest) > OVERLOAD * this.#maxLagMs || this.size > this.#most * QUEUE_FACTOR)
      this.#overloadedUntil = this.#elapsed() + MEMORY_MS;
    this.#thin(environment);
  }

  take(): Work | undefined {
    for (let environment = this.#queue.next; environment !== undefined; environment = this.#queue.next) {
      this.#thin(environment);
      const work = this.#queue.take(environment, true);
      if (work.isRequired || this.#isInTime(work)) return work;
      this.#drop(work, 'stale');
    }
    return undefined;
  }

  done(ms: number, inFlight: number): void {
    this.#watch.done();
    if (this.#isQuick(ms)) this.#quickAt = this.#elapsed();
    this.#inFlight.done(ms, inFlight);
  }

  isWanted(work: Work): boolean {
    const ms = this.#elapsed() - work.began;
    this.#untilSent.add(ms);
    // An operator that is slow by itself may be late; otherwise all its results would be dropped.
    const isSlow = !this.#isQuick(work.tookMs) && this.#elapsed() - this.#quickAt > this.#maxLagMs;
    if (work.isRequired || isSlow || !this.#isOverloaded()) return true;
    if (work.lateMs + this.#waited(work) <= SENT * this.#maxLagMs) return true;
    this.#drop(work, 'stale');
    return false;
  }

  end(): void {
    this.#watch.end();
  }

  /** Under overload the newest window of an environment replaces those before it. */
  #thin(environment: string): void {
    if (this.#elapsed() > this.#overloadedUntil) return;
    while (this.#queue.count(environment) > 1 && !this.#queue.oldest(environment)!.isRequired)
      this.#drop(this.#queue.take(environment, false), 'superseded');
  }

  #drop(work: Work, reason: 'superseded' | 'stale'): void {
    this.#run.meter.dropped(reason, 1);
    this.#watch.shed();
    work.signal = null;
  }

  #isInTime(work: Work): boolean {
    if (!this.#isOverloaded()) return this.#waited(work) <= WAIT * this.#maxLagMs;
    const expected = Math.min(EXPECTED * this.#maxLagMs, this.#untilSent.value);
    return work.lateMs + this.#waited(work) + expected <= SENT * this.#maxLagMs;
  }

  #waited({ arrived }: Work): number {
    return this.#elapsed() - arrived;
  }

  #isQuick(tookMs: number): boolean {
    return tookMs <= IN_FLIGHT * this.#maxLagMs;
  }

  #elapsed(): number {
    return this.#host.clock.elapsed();
  }
}
