import { relative, resolve } from 'node:path';
import { readIfThere } from '../../../pipeline/base/files.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import type { Data, Environment } from '../../../pipeline/model/index.js';
import { readBy } from '../../../pipeline/runtime/listen.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import { ProfileLearner } from '../../../operators/infer-pose/profiles.js';
import { readProfiles, writeProfiles, type Profiles } from '../../../operators/infer-pose/weights.js';
import { ApiError } from '../errors.js';
import type { Deployment } from './deployment.js';
import { environmentOf, requireRunning, type Sensing } from './environments.js';

type Parts = Pick<Deployment, Sensing | 'watch'>;

/** What the measurement says about a link. */
export interface CalibratedLink {
  readonly id: string;
  /** False: no frames came, so that its former profile stays. */
  readonly isHeard: boolean;
  /** Mean difference from the former profile, decibels; null without one. */
  readonly changeDb: number | null;
}

/** A measurement of an empty room, in progress or complete. */
export interface Calibration {
  readonly state: 'none' | 'measuring' | 'measured' | 'saved' | 'failed';
  /** Seconds of event time that it takes, and that were heard. */
  readonly seconds: number;
  readonly heard: number;
  /** Seconds in which `detect-motion` noticed somebody; null if there is no such node. */
  readonly presence: number | null;
  readonly links: readonly CalibratedLink[];
  /** Relative to the topology's folder. */
  readonly file: string;
  readonly problem: string | null;
}

/** Above it, `detect-motion` says that somebody is there. */
const PRESENT = 0.5;
const DB_PER_NEPER = 20 / Math.LN10;
/** Event time may stand still: a measurement ends with an error after this many times its duration. */
const PATIENCE = 3;

interface Target {
  readonly running: RunningTopology;
  readonly environment: Environment;
  /** Node whose windows are measured. */
  readonly windows: string;
  readonly motion: string | undefined;
  /** Absolute. */
  readonly file: string;
}

const started = new WeakMap<object, Map<string, Measurement>>();

/** The newest measurement of an environment. @throws ApiError 404, 409 without a node to calibrate */
export function calibrationOf(deployment: Parts, id: string): Calibration {
  const target = targetOf(deployment, id);
  const known = started.get(deployment.topologies)?.get(target.environment.id);
  return known?.describe() ?? describeNothing(target);
}

/** Starts to listen to the running topology. @throws ApiError also 503 unless it runs, 409 while it is measured */
export function startCalibration(deployment: Parts, id: string, seconds: number): Calibration {
  const target = targetOf(deployment, id);
  requireRunning(target.running);
  const all = started.get(deployment.topologies) ?? new Map<string, Measurement>();
  started.set(deployment.topologies, all);
  const known = all.get(target.environment.id);
  if (known?.describe().state === 'measuring')
    throw conflict(`${target.environment.id} is being measured already`, target.running);
  const measurement = new Measurement(deployment, target, seconds);
  all.set(target.environment.id, measurement);
  return measurement.describe();
}

/** Ends it without a result. @throws ApiError */
export function cancelCalibration(deployment: Parts, id: string): Calibration {
  const target = targetOf(deployment, id);
  const all = started.get(deployment.topologies);
  all?.get(target.environment.id)?.end();
  all?.delete(target.environment.id);
  return describeNothing(target);
}

/**
 * Writes the measured profiles to the calibration file of `infer-pose`, and restarts the topology, which then
 * reads them. Profiles of links that were not heard stay.
 * @throws ApiError 409 if nothing is measured, or if the file cannot be written
 */
export async function saveCalibration(deployment: Parts, id: string): Promise<Calibration> {
  const target = targetOf(deployment, id);
  const measurement = started.get(deployment.topologies)?.get(target.environment.id);
  if (measurement?.describe().state !== 'measured')
    throw conflict(`${target.environment.id} is not measured: start a calibration first`, target.running);
  measurement.save();
  if (['running', 'degraded'].includes(target.running.state)) await target.running.restart();
  return measurement.describe();
}

function targetOf(deployment: Parts, id: string): Target {
  const { running, environment } = environmentOf(deployment, id);
  const { topology } = running;
  const node = topology.nodes.find(({ component }) => component.name === 'infer-pose');
  const windows = readBy(topology, 'infer-pose', 'window');
  if (!node || windows === undefined)
    throw conflict(`${topology.id} has no infer-pose: nothing uses a calibration`, running);
  const { calibration } = node.config as { readonly calibration?: string };
  if (calibration === undefined)
    throw conflict(
      `${node.id} names no file: add \`calibration: ${environment.id}.calibration.json\` to it, and apply the topology`,
      running,
    );
  const motion = topology.nodes.find(({ component }) => component.name === 'detect-motion')?.id;
  return { running, environment, windows, motion, file: resolve(topology.folder, calibration) };
}

const describeNothing = ({ running, file }: Target): Calibration => ({
  ...{ state: 'none', seconds: 0, heard: 0, presence: null, links: [], problem: null },
  file: relative(running.topology.folder, file),
});

class Measurement {
  readonly #target: Target;
  readonly #seconds: number;
  readonly #learner = new ProfileLearner();
  readonly #former: Profiles;
  readonly #end: (() => void)[] = [];
  #state: Calibration['state'] = 'measuring';
  #problem: string | null = null;
  #first: number | undefined;
  #heard = 0;
  /** Whole seconds of event time with somebody. */
  readonly #present = new Set<number>();

  constructor({ watch }: Parts, target: Target, seconds: number) {
    this.#target = target;
    this.#seconds = seconds;
    this.#former = formerOf(target);
    const { running, windows, motion } = target;
    this.#end.push(watch(windows, this.#take.bind(this), running.topology.id));
    if (motion !== undefined) this.#end.push(watch(motion, this.#notice.bind(this), running.topology.id));
    const timer = setTimeout(
      () => {
        this.#fail(`only ${this.#heard.toFixed(0)} s came in ${PATIENCE * seconds} s: see the view Links`);
      },
      PATIENCE * seconds * 1000,
    );
    timer.unref();
    this.#end.push(() => {
      clearTimeout(timer);
    });
  }

  #take(record: Data): void {
    if (record.port !== 'window' || record.environment !== this.#target.environment.id) return;
    this.#first ??= record.start;
    this.#learner.add(record);
    this.#heard = Math.min(this.#seconds, (record.start - this.#first) / 1e6);
    if (this.#heard < this.#seconds) return;
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

  /** @throws ApiError 409 if the file cannot be written */
  save(): void {
    const { file, running } = this.#target;
    try {
      const content = readIfThere(file);
      const whole = (content ? JSON.parse(content.toString('utf8')) : {}) as Readonly<
        Record<string, unknown>
      >;
      const profiles = { ...(whole['profiles'] as Profiles | undefined), ...this.#learner.profiles() };
      // What is not of infer-pose stays, such as the links of calibrate.
      const beside = Object.entries(whole).filter(([name]) => !['features', 'profiles'].includes(name));
      writeProfiles(file, profiles, Object.fromEntries(beside));
      this.#state = 'saved';
    } catch (error) {
      const name = relative(running.topology.folder, file);
      const { code } = error as NodeJS.ErrnoException;
      throw conflict(
        `${name} cannot be written (${code ?? errorText(error)}): make it writable for csiflow`,
        running,
      );
    }
  }

  describe(): Calibration {
    const { environment, motion } = this.#target;
    const profiles = this.#learner.profiles();
    return {
      ...describeNothing(this.#target),
      state: this.#state,
      seconds: this.#seconds,
      heard: this.#heard,
      presence: motion === undefined ? null : this.#present.size,
      links: environment.links.map(({ id }) => ({
        id,
        isHeard: Object.hasOwn(profiles, id),
        changeDb: changeOf(profiles[id], this.#former[id]),
      })),
      problem: this.#problem,
    };
  }
}

/** @throws ApiError 409 if the file cannot be used, which a result would replace */
function formerOf({ file, running }: Target): Profiles {
  try {
    return readIfThere(file) ? readProfiles(file) : {};
  } catch (error) {
    const name = relative(running.topology.folder, file);
    throw conflict(`${name} is no calibration file (${errorText(error)}): move it away`, running);
  }
}

/** Profiles hold natural logarithms of amplitudes. */
function changeOf(now: readonly number[] | undefined, former: readonly number[] | undefined): number | null {
  if (!now || !former || now.length !== former.length) return null;
  const sum = now.reduce((total, value, band) => total + Math.abs(value - former[band]!), 0);
  return (DB_PER_NEPER * sum) / now.length;
}

const conflict = (message: string, running: RunningTopology): ApiError =>
  new ApiError('RESOURCE_CONFLICT', message, { details: { state: running.state } });
