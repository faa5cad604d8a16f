import { readFileSync } from 'node:fs';
import { Type, type Static } from 'typebox';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { Failure, ModelReference, PoseFrame, SensedEvent, Window } from '../../pipeline/model/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { leftOutOf, withUsableLinks } from '../shared/usable-links.js';
import { confidenceOf, RULE_THRESHOLD } from './confidence.js';
import type { Ensemble } from './dense.js';
import { netScorer, ruleScorer, scoreOf, type Scorer } from './detector.js';
import { HeldBack, type HeldBackState } from './held-back.js';
import { Histogram } from './histogram.js';
import { People, type PeopleState } from './people.js';
import { Resampler, type ResamplerState } from './resampler.js';
import { FADING_SAMPLES, Room, type Candidate, type RoomState } from './room.js';
import { RATE_HZ } from './tracks.js';

/** What `csiflow train falls` writes. */
export interface FallWeights extends Ensemble {
  readonly name: string;
  readonly version: string;
  readonly features: readonly string[];
  readonly trainedOn: readonly {
    readonly data: string;
    readonly licence: string;
    readonly folder: string;
    readonly examples: string;
  }[];
  readonly settings: Readonly<Record<string, number>>;
  /** Score from which on a candidate is a fall. */
  readonly threshold: number;
}

export const WEIGHTS_FILE = 'operators/detect-falls/weights/falls.json';

export const readWeights = (path = packageFile(WEIGHTS_FILE)): FallWeights =>
  JSON.parse(readFileSync(path, 'utf8')) as FallWeights;

/** What a score must have more while noise floors are learnt: odds seven times as high. On the rule's scale, see {@link confidenceOf}. */
const WARM_UP_RAISE = 2;
const RULE_WARM_UP_RAISE = WARM_UP_RAISE / 4;
/** A floor fades to half when it is full, so that no more than this can be asked of it. */
const LONGEST_WARM_UP_MS = (FADING_SAMPLES / 2 / RATE_HZ) * 1000;
/** Candidates of a room before its own quantile is used. */
const LEAST_CANDIDATES = 200;
/** Candidates over which old ones fade: two days of an active room. */
const MOST_CANDIDATES = 30_000;

const CONFIG = Type.Object(
  {
    method: Type.Union([Type.Literal('nets'), Type.Literal('rule')], {
      default: 'nets',
      description:
        '`nets`: twelve small nets, averaged. `rule`: `min(rise, drop) + 2 fast`, without learning; weaker, but plain.',
    }),
    threshold: Type.Optional(
      Type.Number({
        minimum: -50,
        maximum: 50,
        description:
          'Score from which on a candidate is a fall. Default: that of the weights, or 1.2 for the rule. Lower finds more falls and more that are none.',
      }),
    ),
    room_quantile: Type.Optional(
      Type.Number({
        minimum: 0.5,
        maximum: 0.9999,
        description:
          "Raises the threshold to this quantile of the room's own candidates, once 200 were seen. 0.95 to 0.99 over a day of ordinary life is a good choice; nobody may fall meanwhile.",
      }),
    ),
    warm_up_ms: Type.Integer({
      minimum: 0,
      maximum: LONGEST_WARM_UP_MS,
      default: 60_000,
      description:
        'Until each link that sees something was there for so long, the threshold is raised by 2 (0.5 for the rule), milliseconds: noise floors are still being learnt, and ordinary motion may look like a fall.',
    }),
    cooldown_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 10_000,
      description: 'After a fall, no other is reported in the same environment for so long, milliseconds.',
    }),
    notify_delay_ms: Type.Integer({
      minimum: 0,
      maximum: 600_000,
      default: 0,
      description:
        'A fall is held back for so long, and left out (counted as `recovered`) if the one who fell walks upright again meanwhile, milliseconds of event time.',
    }),
  },
  { additionalProperties: false },
);

export const detectFalls = defineOperator({
  name: 'detect-falls',
  summary:
    'Reports falls: isolated bursts of motion of about a second, fast for their size, with quiet on both sides.',
  description: `
Reads windows (any length; a grid step of 50 ms or less), resamples the amplitudes to 20 Hz, and looks at each peak of the room's
motion with twelve features per antenna, relative to the peak itself. The scores of a link's antennas are averaged, then those of
the links, each by the power of the motion that it saw over its noise floor. An alarm comes 3.7 s after the peak: the quiet
afterwards is part of what tells a fall.

Each antenna learns a noise floor from all that it sees (10th percentile, faded over half an hour). Until \`warm_up_ms\` were
seen, only a clear fall raises an alarm, and its event says \`noise_floor: learning\`. Where people are tracked, give it their poses too: the event then names a
person and a place.

**Gotchas.** Picking something up and deep squats look much like falls at this rate. Slow falls, and falls while others move about, are missed.
With several links, a walk close past one of them may be taken for a fall: raise the threshold there.
Whether somebody has recovered is seen by the poses of the one who fell, or of the only one there: upright and in sight
for 2 s, and a metre away from where that began. Without poses everything is reported, late.
The weights come from one person's falls on one chip; \`docs/reports/falls.md\` has what that is worth elsewhere.
`,
  inputs: ['window', 'pose'],
  requires: ['window'],
  outputs: ['event'],
  stateVersion: 1,
  timeFields: ['time', 'due', 'since', 'lastFall'],
  stateFields: ['method'],
  liveFields: ['threshold', 'room_quantile', 'warm_up_ms', 'cooldown_ms', 'notify_delay_ms'],
  config: CONFIG,
  examples: [
    { title: 'As it comes', config: {} },
    { title: 'Without learned weights', config: { method: 'rule' } },
    { title: 'A room with much exercise', config: { room_quantile: 0.99 } },
  ],
  create: (config, context) => {
    let judge = judgeOf(config);
    const environments = new Map(
      context.environments.map((environment) => [environment.id, new Watch(environment.id, config, judge)]),
    );
    return {
      process: (data): Output<SensedEvent> => {
        const watch = environments.get(data.environment);
        if (!watch) return NOTHING;
        if (data.port === 'pose') {
          const recovered = watch.see(data);
          if (recovered > 0) context.metrics.dropped('recovered', recovered);
          return NOTHING;
        }
        const result = watch.take(data);
        return result.length === 0
          ? NOTHING
          : 'code' in result[0]!
            ? { data: [], failed: result as Failure[] }
            : { data: result as SensedEvent[] };
      },
      watermark: (time) => {
        const due = [...environments.values()].flatMap((watch) => watch.release(time));
        return due.length === 0 ? NOTHING : { data: due };
      },
      reanchor: () => {
        for (const watch of environments.values()) watch.beginGrid();
        return NOTHING;
      },
      adjust: (next) => {
        const changed = next as Static<typeof CONFIG>;
        judge = judgeOf(changed);
        for (const watch of environments.values()) watch.adjust(changed, judge);
      },
      snapshot: () => ({ environments: [...environments.values()].map((watch) => watch.snapshot()) }),
      restore: (state) => {
        for (const kept of (state as { environments: WatchState[] }).environments) {
          environments.get(kept.environment)?.restore(kept);
        }
      },
      describe: () => ({
        method: judge.model ? 'nets' : 'rule',
        model: judge.model ? `${judge.model.name} ${judge.model.version}` : null,
        threshold: judge.threshold,
      }),
    };
  },
});

interface Judge {
  readonly scorer: Scorer;
  readonly threshold: number;
  readonly warmUpRaise: number;
  readonly model: ModelReference | null;
}

function judgeOf(config: Static<typeof CONFIG>): Judge {
  if (config.method === 'rule') {
    return {
      scorer: ruleScorer,
      threshold: config.threshold ?? RULE_THRESHOLD,
      warmUpRaise: RULE_WARM_UP_RAISE,
      model: null,
    };
  }
  const weights = readWeights();
  return {
    scorer: netScorer(weights),
    threshold: config.threshold ?? weights.threshold,
    warmUpRaise: WARM_UP_RAISE,
    model: {
      name: weights.name,
      version: weights.version,
      trainedOn: weights.trainedOn.map(({ data }) => data).join(', '),
      accuracy: 'docs/reports/falls.md',
    },
  };
}

/** One environment. */
class Watch {
  readonly #environment: string;
  #config: Static<typeof CONFIG>;
  #judge: Judge;
  readonly #room = new Room();
  readonly #resampler = new Resampler();
  readonly #scores = new Histogram(-50, 50, 1000, MOST_CANDIDATES);
  readonly #people = new People();
  readonly #heldBack = new HeldBack();
  #lastFall = -Infinity;

  constructor(environment: string, config: Static<typeof CONFIG>, judge: Judge) {
    this.#environment = environment;
    this.#config = config;
    this.#judge = judge;
  }

  adjust(config: Static<typeof CONFIG>, judge: Judge): void {
    this.#config = config;
    this.#judge = judge;
  }

  /** The next window begins its grid anew; noise floors stay. */
  beginGrid(): void {
    this.#resampler.restore({ next: -1 });
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

  take(window: Window): readonly (SensedEvent | Failure)[] {
    const step = 1e6 / RATE_HZ;
    if (window.step > step) return [coarse(window)];
    const events: SensedEvent[] = [];
    this.#resampler.take(withUsableLinks(window), (sample, links) => {
      if (sample !== this.#room.next) this.#room.restart(sample);
      const candidate = this.#room.push(links);
      const event = candidate && this.#decide(candidate, window);
      if (!event) return;
      const delay = this.#config.notify_delay_ms * 1000;
      if (delay === 0) events.push(event);
      else this.#heldBack.add(event, (sample * 1e6) / RATE_HZ + delay);
    });
    return events;
  }

  #decide(candidate: Candidate, window: Window): SensedEvent | null {
    const score = scoreOf(candidate, this.#judge.scorer);
    if (score === -Infinity) return null;
    const threshold = this.#threshold(candidate);
    this.#scores.add(score);
    const time = (candidate.sample * 1e6) / RATE_HZ;
    if (score < threshold || time - this.#lastFall < this.#config.cooldown_ms * 1000) return null;
    this.#lastFall = time;
    return this.#event(candidate, score, threshold, time, window);
  }

  #isLearning({ learnt }: Candidate): boolean {
    return learnt < (this.#config.warm_up_ms / 1000) * RATE_HZ;
  }

  #threshold(candidate: Candidate): number {
    const { room_quantile: quantile } = this.#config;
    const threshold = this.#judge.threshold + (this.#isLearning(candidate) ? this.#judge.warmUpRaise : 0);
    if (quantile === undefined || this.#scores.total < LEAST_CANDIDATES) return threshold;
    return Math.max(threshold, this.#scores.quantile(quantile));
  }

  #event(candidate: Candidate, score: number, threshold: number, time: number, window: Window): SensedEvent {
    const { views } = candidate;
    const mean = (value: (view: (typeof views)[number]) => number) =>
      views.reduce((sum, view) => sum + value(view), 0) / views.length;
    const impact = Math.min(1, Math.max(0, mean((view) => view.peak) / FULL_IMPACT));
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
        fall_duration: round(mean((view) => view.duration)),
        impact_severity: round(impact),
        links: new Set(views.map(({ link }) => link)).size,
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
      resampler: this.#resampler.snapshot(),
      scores: this.#scores.snapshot(),
      people: this.#people.snapshot(),
      heldBack: this.#heldBack.snapshot(),
      lastFall: Number.isFinite(this.#lastFall) ? this.#lastFall : null,
    };
  }

  restore(state: WatchState): void {
    this.#room.restore(state.room);
    this.#resampler.restore(state.resampler);
    this.#scores.restore(state.scores);
    this.#people.restore(state.people);
    this.#heldBack.restore(state.heldBack ?? []);
    this.#lastFall = state.lastFall ?? -Infinity;
  }
}

interface WatchState {
  readonly environment: string;
  readonly room: RoomState;
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
