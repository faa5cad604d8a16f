import type { Context } from '../../pipeline/component/index.js';
import { frameSize, type CsiBlock, type CsiLayout } from '../../pipeline/model/index.js';
import type { FrameMapper, Values } from '../shared/frame-mapper.js';
import type { Announcer } from './announcer.js';
import { Correction, Fit, type Drift, type FitState, type Part } from './correction.js';
import { Learner, type LearnerState } from './learner.js';
import type { Calibrations, LinkCalibration } from './link-calibration.js';

export interface LinkSettings {
  /** Calibrations from a file; null: all links are learnt. */
  readonly known: Calibrations | null;
  readonly apply: readonly Part[];
  /** Time to learn, and averaging time of the fit, microseconds. */
  readonly learn: number;
  readonly check: number;
  /** Amplitude drift above which a calibration no longer fits. */
  readonly maxDrift: number;
  /** Called for each link and layout that was learnt. */
  readonly onLearnt?: (link: string, layout: CsiLayout, learnt: LinkCalibration) => void;
}

/** Callbacks for frames. */
export interface Listeners {
  readonly announcer: Announcer;
  /** A frame of a link has arrived. */
  readonly hear: (link: number, time: number) => void;
  /** The frame passes on. */
  readonly pass: () => void;
}

export interface LinkCalibratorState {
  readonly learnt: LinkCalibration | null;
  readonly learner: LearnerState | null;
  readonly fit: FitState | null;
  readonly judged: number;
  readonly complaint: string | null;
}

interface Applied {
  readonly correction: Correction;
  readonly fit: Fit;
}

/** Interval between checks of the fit, microseconds. */
const JUDGE_EVERY = 1_000_000;
/** Phases between antennas that changed by more than this no longer fit, radians: 45 degrees. */
const MAX_TURN = Math.PI / 4;

const MISFIT =
  'no longer fits its calibration: the room or a device has changed. Measure the empty room again with `csiflow calibrate`';

/** Calibrates the frames of one link and layout. */
export class LinkCalibrator implements FrameMapper<LinkCalibratorState> {
  readonly layout: CsiLayout;
  complaint: string | null = null;
  readonly #settings: LinkSettings;
  readonly #context: Context;
  readonly #listeners: Listeners;
  #learnt: LinkCalibration | null = null;
  #learner: Learner | null = null;
  #applied: Applied | null = null;
  /** From before a restart, for a calibration that is known only once a frame names its link. */
  #fit: FitState | null = null;
  /** Time of the last check. */
  #judged = -Infinity;

  constructor(layout: CsiLayout, settings: LinkSettings, context: Context, listeners: Listeners) {
    this.layout = layout;
    this.#settings = settings;
    this.#context = context;
    this.#listeners = listeners;
  }

  apply(
    input: Values,
    offset: number,
    output: Values,
    to: number,
    block: CsiBlock,
    frame: number,
  ): string | null {
    const time = block.time[frame]!;
    const link = block.link[frame]!;
    this.#listeners.hear(link, time);
    this.#applied ??= this.#known(link);
    if (this.#applied) {
      this.#judge(this.#applied.fit, input, offset, link, time);
      this.#applied.correction.apply(input, offset, output, to);
    } else {
      if (this.complaint === null) this.#learn(input, offset, link, time);
      if (this.complaint === null) return 'learning';
      for (let i = 0; i < frameSize(this.layout); i++) output[to + i] = input[offset + i]!;
    }
    this.#listeners.pass();
    return null;
  }

  snapshot(): LinkCalibratorState {
    return {
      learnt: this.#learnt,
      learner: this.#learner?.snapshot() ?? null,
      fit: this.#applied?.fit.snapshot() ?? this.#fit,
      judged: this.#judged,
      complaint: this.complaint,
    };
  }

  restore({ learnt, learner, fit, judged, complaint }: LinkCalibratorState): void {
    this.#learnt = learnt;
    this.#fit = fit;
    this.#judged = judged;
    this.complaint = complaint;
    if (learner) (this.#learner = this.#newLearner()).restore(learner);
  }

  /** From the file, or learnt. Null: not yet learnt, or, with a complaint, missing in the file. */
  #known(number: number): Applied | null {
    const { link } = this.#context.links.at(number);
    const { known, apply, check } = this.#settings;
    const calibration = known ? known.get(link.id)?.get(this.layout.key) : this.#learnt;
    if (!calibration) {
      if (known)
        this.complaint ??= `sends frames that its calibration does not know (${this.layout.key}); they pass unchanged. Measure the empty room again with \`csiflow calibrate\``;
      return null;
    }
    this.complaint = null;
    const fit = new Fit(this.layout, calibration, check);
    if (this.#fit) fit.restore(this.#fit);
    this.#fit = null;
    this.#listeners.announcer.calibrated(number, this.layout.key, calibration);
    return { correction: new Correction(this.layout, calibration, apply), fit };
  }

  #learn(input: Values, offset: number, number: number, time: number): void {
    this.#learner ??= this.#newLearner();
    const learnt = this.#learner.add(input, offset, time);
    if (!learnt) return;
    this.#learnt = learnt;
    this.#learner = null;
    this.#applied = this.#known(number);
    const { link } = this.#context.links.at(number);
    this.#context.log.info('link calibrated', { link: link.id, layout: this.layout.key });
    this.#settings.onLearnt?.(link.id, this.layout, learnt);
  }

  #judge(fit: Fit, input: Values, offset: number, link: number, time: number): void {
    fit.see(input, offset, time);
    if (Math.abs(time - this.#judged) < JUDGE_EVERY) return;
    this.#judged = time;
    const { drift } = fit;
    this.#listeners.announcer.judged(link, drift);
    const misfits =
      drift !== null && (drift.amplitude > this.#settings.maxDrift || (drift.phase ?? 0) > MAX_TURN);
    if (misfits !== (this.complaint === MISFIT)) this.#tell(link, misfits, drift);
    this.complaint = misfits ? MISFIT : null;
  }

  #tell(number: number, misfits: boolean, drift: Drift | null): void {
    const { log, links } = this.#context;
    const fields = {
      link: links.at(number).link.id,
      layout: this.layout.key,
      drift: drift?.amplitude ?? null,
    };
    if (misfits) log.warn('a link no longer fits its calibration', fields);
    else log.info('a link fits its calibration again', fields);
  }

  #newLearner(): Learner {
    return new Learner(this.layout, this.#settings.learn);
  }
}
