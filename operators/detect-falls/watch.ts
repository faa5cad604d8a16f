import { NOTHING, type Context, type Output } from '../../pipeline/component/index.js';
import type { Environment, Failure, PoseFrame, SensedEvent, Window } from '../../pipeline/model/index.js';
import { leftOutOf, withUsableLinks } from '../shared/usable-links.js';
import { confidenceOf } from './verdict/confidence.js';
import { HeldBack, type HeldBackState } from './verdict/held-back.js';
import { Histogram } from './motion/histogram.js';
import { Impacts, type ImpactsState } from './impacts/impacts.js';
import type { Judge, Scored } from './verdict/judge.js';
import { People, type PeopleState } from './verdict/people.js';
import { Resampler, SINGLE_LINK_SHIFTS, type ResamplerState } from './motion/resampler.js';
import { Room, type RoomState } from './motion/room.js';
import { Suspicion, withdrawalsOf, type SuspicionState } from './verdict/suspicion.js';
import { RATE_HZ } from './motion/tracks.js';

/** Candidates of a room before its own quantile is used. */
const MIN_CANDIDATES = 200;
/** Candidates over which old ones decay: two days of an active room. */
const MAX_CANDIDATES = 30_000;

/** The data on which a room is judged. */
export interface WatchConfig {
  readonly method: 'nets' | 'rule';
  readonly room_quantile?: number;
  readonly warm_up_ms: number;
  readonly cooldown_ms: number;
  readonly notify_delay_ms: number;
}

/** Counts falls that are not reported, by reason. */
type Dropped = Context['metrics']['dropped'];

interface Candidate {
  /** Whether the data after it is still unknown. */
  readonly early: boolean;
  readonly scored: Scored;
}

/** One environment. */
export class Watch {
  readonly #environment: string;
  #config: WatchConfig;
  #judge: Judge;
  readonly #room = new Room();
  readonly #impacts: Impacts;
  readonly #resampler: Resampler;
  readonly #scores = new Histogram(-50, 50, 1000, MAX_CANDIDATES);
  readonly #people: People;
  readonly #heldBack = new HeldBack();
  readonly #suspicion = new Suspicion();
  readonly #dropped: Dropped;
  #lastFall = -Infinity;

  constructor({ id, zones, links }: Environment, config: WatchConfig, judge: Judge, dropped: Dropped) {
    this.#environment = id;
    // Networks judge several links together, from the windows themselves, and one of them alone only while the others are
    // silent.
    this.#resampler = new Resampler(links.length > 1 && judge.impact ? 1 : SINGLE_LINK_SHIFTS);
    this.#people = new People(zones);
    this.#dropped = dropped;
    this.#config = config;
    this.#judge = judge;
    this.#impacts = new Impacts(judge.warning !== null);
  }

  adjust(config: WatchConfig, judge: Judge): void {
    this.#config = config;
    this.#judge = judge;
  }

  /** Restarts the grid at the next window; noise floors stay. */
  beginGrid(): void {
    this.#resampler.restore({ next: -1 });
    this.#impacts.restart();
  }

  /** @returns events about the falls of people who have recovered */
  see(poseFrame: PoseFrame): readonly SensedEvent[] {
    this.#people.see(poseFrame);
    const falls = this.#heldBack.see(poseFrame);
    if (falls.length > 0) this.#dropped('recovered', falls.length);
    return withdrawalsOf(falls, poseFrame.time);
  }

  /** Falls held until event time `time`, and suspicions that were not confirmed. */
  release(time: number): readonly SensedEvent[] {
    return [...this.#heldBack.release(time), ...this.#suspicion.expire(time)];
  }

  take(window: Window): Output<SensedEvent> {
    if (window.step > 1e6 / RATE_HZ) return { data: [], failed: [coarse(window)] };
    const usable = withUsableLinks(window);
    const end = usable.start + usable.points * usable.step;
    const data = this.#candidates(usable).flatMap((candidate) => {
      if (candidate.early) return this.#suspect(candidate.scored, window);
      const event = this.#decide(candidate.scored, window);
      const delay = this.#config.notify_delay_ms * 1000;
      if (!event || delay === 0) return event ? [event] : [];
      this.#heldBack.add(event, end + delay);
      return [];
    });
    const output = [...data, ...this.#suspicion.settle(end)];
    return output.length === 0 ? NOTHING : { data: output };
  }

  /** Candidates that the window completes, or shows for the first time. */
  #candidates(window: Window): Candidate[] {
    const { burst, impact, warning } = this.#judge;
    const found: Candidate[] = [];
    this.#resampler.take(window, (sample, links) => {
      if (sample !== this.#room.next) this.#room.restart(sample);
      const candidate = this.#room.push(links);
      const one = candidate && burst(candidate);
      if (one) found.push({ early: false, scored: one });
    });
    if (!impact) return found;
    const seen = this.#impacts.take(window).flatMap((one): Candidate[] => {
      const { early } = one;
      const score = early ? warning?.score : impact;
      return score ? [{ early, scored: score(one) }] : [];
    });
    return [...found, ...seen];
  }

  #suspect(scored: Scored, window: Window): readonly SensedEvent[] {
    const { warning } = this.#judge;
    if (!warning || scored.score < warning.threshold || this.#isCoolingDown(scored)) return [];
    if (this.#excuse(scored)) return [];
    const event = this.#event(scored, warning, 'fall_suspected', window);
    return this.#suspicion.raise(event);
  }

  #decide(candidate: Scored, window: Window): SensedEvent | null {
    const threshold = this.#threshold(candidate);
    this.#scores.add(candidate.score);
    if (candidate.score < threshold || this.#isCoolingDown(candidate)) return null;
    if (this.#people.isEmptyAfter(candidate.time)) {
      this.#dropped('nobody_there', 1);
      return null;
    }
    const excuse = this.#excuse(candidate);
    if (excuse) {
      this.#dropped(excuse, 1);
      return null;
    }
    this.#lastFall = candidate.time;
    const { model } = this.#judge;
    const event = this.#event(candidate, { threshold, model }, 'fall_detection', window);
    const suspected = this.#suspicion.confirm();
    return suspected === null ? event : { ...event, metadata: { ...event.metadata, suspected } };
  }

  #excuse({ time }: Scored): 'resting' | 'pet' | null {
    const { person } = this.#people.at(time);
    return person === null ? null : this.#people.excuseOf(person, time);
  }

  #isCoolingDown({ time }: Scored): boolean {
    return time - this.#lastFall < this.#config.cooldown_ms * 1000;
  }

  #isLearning({ learnt }: Scored): boolean {
    return learnt < this.#config.warm_up_ms / 1000;
  }

  #threshold(candidate: Scored): number {
    const { room_quantile: quantile } = this.#config;
    const threshold = this.#judge.threshold + (this.#isLearning(candidate) ? candidate.warmUpRaise : 0);
    if (quantile === undefined || this.#scores.total < MIN_CANDIDATES) return threshold;
    return Math.max(threshold, this.#scores.quantile(quantile));
  }

  /** Events for a candidate above this threshold. */
  #event(
    candidate: Scored,
    { threshold, model }: Pick<Judge, 'threshold' | 'model'>,
    type: 'fall_detection' | 'fall_suspected',
    window: Window,
  ): SensedEvent {
    const { score, links, duration, time } = candidate;
    const impact = Math.min(1, Math.max(0, candidate.peak / FULL_IMPACT));
    const { person, location } = this.#people.at(time);
    const severity = impact >= HIGH_IMPACT ? 'critical' : 'high';
    return {
      port: 'event',
      id: `${this.#environment}-${type}-${Math.round(time / 1e6)}`,
      type,
      severity: type === 'fall_suspected' ? 'medium' : severity,
      environment: this.#environment,
      time,
      confidence: round(confidenceOf(score, this.#config.method)),
      person,
      location,
      metadata: {
        score: round(score),
        threshold: round(threshold),
        fall_duration: round(duration),
        impact_severity: round(impact),
        links,
        links_left_out: leftOutOf(window).length,
        recovery_detected: false,
        noise_floor: this.#isLearning(candidate) ? 'learning' : 'learnt',
        method: this.#config.method,
      },
      source: 'csiflow',
      provenance: model ? { origin: window.provenance.origin, model } : { origin: window.provenance.origin },
    };
  }

  snapshot(): WatchState {
    return {
      environment: this.#environment,
      room: this.#room.snapshot(),
      impacts: this.#impacts.snapshot(),
      resampler: this.#resampler.snapshot(),
      scores: this.#scores.snapshot(),
      people: this.#people.snapshot(),
      heldBack: this.#heldBack.snapshot(),
      suspicion: this.#suspicion.snapshot(),
      lastFall: Number.isFinite(this.#lastFall) ? this.#lastFall : null,
    };
  }

  restore(state: WatchState): void {
    this.#room.restore(state.room);
    this.#impacts.restore(state.impacts);
    this.#resampler.restore(state.resampler);
    this.#scores.restore(state.scores);
    this.#people.restore(state.people);
    this.#heldBack.restore(state.heldBack ?? []);
    this.#suspicion.restore(state.suspicion ?? null);
    this.#lastFall = state.lastFall ?? -Infinity;
  }
}

export interface WatchState {
  readonly environment: string;
  readonly room: RoomState;
  readonly impacts: ImpactsState;
  readonly resampler: ResamplerState;
  readonly scores: Uint16Array;
  readonly people: PeopleState;
  /** Both are missing in states of earlier versions. */
  readonly heldBack?: HeldBackState;
  readonly suspicion?: SuspicionState;
  readonly lastFall: number | null;
}

/**
 * Motion above the noise floor, log10 of power, that counts as an impact of 1: about the strongest of the
 * recordings.
 */
const FULL_IMPACT = 2.5;
const HIGH_IMPACT = 0.6;

const round = (value: number): number => Math.round(value * 1000) / 1000;

function coarse(window: Window): Failure {
  return {
    record: { environment: window.environment, index: window.index, step: window.step },
    code: 'falls.grid.coarse',
    reason: `windows have a point every ${window.step / 1000} ms; fall detection needs 50 ms or less: raise \`points\` of the window operator or lower its \`length_ms\``,
    retriable: false,
  };
}
