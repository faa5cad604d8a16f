import { NOTHING, type Output } from '../../pipeline/component/index.js';
import type { Failure, PoseFrame, SensedEvent, Window } from '../../pipeline/model/index.js';
import { leftOutOf, withUsableLinks } from '../shared/usable-links.js';
import { confidenceOf } from './confidence.js';
import { HeldBack, type HeldBackState } from './held-back.js';
import { Histogram } from './histogram.js';
import { Impacts, type ImpactsState } from './impacts.js';
import type { Judge, Scored } from './judge.js';
import { People, type PeopleState } from './people.js';
import { Resampler, type ResamplerState } from './resampler.js';
import { Room, type RoomState } from './room.js';
import { RATE_HZ } from './tracks.js';

/** Candidates of a room before its own quantile is used. */
const MIN_CANDIDATES = 200;
/** Candidates over which old ones fade: two days of an active room. */
const MAX_CANDIDATES = 30_000;

/** What a room is judged by. */
export interface WatchConfig {
  readonly method: 'nets' | 'rule';
  readonly room_quantile?: number;
  readonly warm_up_ms: number;
  readonly cooldown_ms: number;
  readonly notify_delay_ms: number;
}

/** One environment. */
export class Watch {
  readonly #environment: string;
  #config: WatchConfig;
  #judge: Judge;
  readonly #room = new Room();
  readonly #impacts = new Impacts();
  readonly #resampler = new Resampler();
  readonly #scores = new Histogram(-50, 50, 1000, MAX_CANDIDATES);
  readonly #people = new People();
  readonly #heldBack = new HeldBack();
  #lastFall = -Infinity;

  constructor(environment: string, config: WatchConfig, judge: Judge) {
    this.#environment = environment;
    this.#config = config;
    this.#judge = judge;
  }

  adjust(config: WatchConfig, judge: Judge): void {
    this.#config = config;
    this.#judge = judge;
  }

  /** The next window begins its grid anew; noise floors stay. */
  beginGrid(): void {
    this.#resampler.restore({ next: -1 });
    this.#impacts.restart();
  }

  /** @returns how many who fell were seen to have recovered */
  see(frame: PoseFrame): number {
    this.#people.see(frame);
    return this.#heldBack.see(frame);
  }

  /** Falls that were held back until event time `time`. */
  release(time: number): readonly SensedEvent[] {
    return this.#heldBack.release(time);
  }

  take(window: Window): Output<SensedEvent> {
    if (window.step > 1e6 / RATE_HZ) return { data: [], failed: [coarse(window)] };
    const usable = withUsableLinks(window);
    const data = this.#scored(usable).flatMap((candidate) => {
      const event = this.#decide(candidate, window);
      const delay = this.#config.notify_delay_ms * 1000;
      if (!event || delay === 0) return event ? [event] : [];
      this.#heldBack.add(event, usable.start + usable.points * usable.step + delay);
      return [];
    });
    return data.length === 0 ? NOTHING : { data };
  }

  /** Candidates that the window completes. */
  #scored(window: Window): Scored[] {
    const { burst, impact } = this.#judge;
    const scored: Scored[] = [];
    this.#resampler.take(window, (sample, links) => {
      if (sample !== this.#room.next) this.#room.restart(sample);
      const candidate = this.#room.push(links);
      const one = candidate && burst(candidate);
      if (one) scored.push(one);
    });
    return impact ? [...scored, ...this.#impacts.take(window).map(impact)] : scored;
  }

  #decide(candidate: Scored, window: Window): SensedEvent | null {
    const threshold = this.#threshold(candidate);
    this.#scores.add(candidate.score);
    const { time } = candidate;
    if (candidate.score < threshold || time - this.#lastFall < this.#config.cooldown_ms * 1000) return null;
    this.#lastFall = time;
    return this.#event(candidate, threshold, time, window);
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

  #event(candidate: Scored, threshold: number, time: number, window: Window): SensedEvent {
    const { score, links, duration } = candidate;
    const impact = Math.min(1, Math.max(0, candidate.peak / FULL_IMPACT));
    const { person, location } = this.#people.at(time);
    const { model } = this.#judge;
    return {
      port: 'event',
      id: `${this.#environment}-fall_detection-${Math.round(time / 1e6)}`,
      type: 'fall_detection',
      severity: impact >= HIGH_IMPACT ? 'critical' : 'high',
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
  /** Not in states of earlier versions. */
  readonly heldBack?: HeldBackState;
  readonly lastFall: number | null;
}

/** Motion over the noise floor, log10 of power, that is called an impact of 1: about the strongest of the recordings. */
const FULL_IMPACT = 2.5;
const HIGH_IMPACT = 0.6;

const round = (value: number): number => Math.round(value * 1000) / 1000;

function coarse(window: Window): Failure {
  return {
    record: { environment: window.environment, index: window.index, step: window.step },
    code: 'falls.grid.coarse',
    reason: `windows have a point every ${window.step / 1000} ms; falls need 50 ms or less: raise \`points\` of the window operator or lower its \`length_ms\``,
    retriable: false,
  };
}
