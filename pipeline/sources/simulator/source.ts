import { resolve } from 'node:path';
import type { Static } from 'typebox';
import {
  defineSource,
  type Context,
  type Position,
  type Source,
  type SourceOutput,
} from '../../component/index.js';
import { LinkActivity } from '../../formats/index.js';
import type { CsiBlock } from '../../model/index.js';
import { LaggingPace } from '../lagging-pace.js';
import { DEVICES } from './devices.js';
import { GAINS } from './gain-control.js';
import { IMPAIRMENTS, type ImpairmentOptions } from './impairments.js';
import { loadMotion } from './recorded/library.js';
import { checkPeople, checkThings } from './script.js';
import { Stage } from './stage.js';
import { TruthFile, type ThingLine, type TruthLine } from './truth-file.js';
import { config } from './config.js';
import { Missed, Pace, SECOND, signalled } from './pace.js';

export const simulator = defineSource({
  name: 'simulator',
  summary: 'Simulates a room with people and the CSI that its links would measure.',
  description: [
    "Sends CSI of the topology's environments as receivers of a `device` would report it, with random phase,",
    'gain steps, noise and loss. The room is a box with wall reflections of first and second order, furniture,',
    'and bodies of 13 ellipsoids that scatter and shadow.',
    '',
    'Everything follows from `seed`: the same configuration produces the same frames, and a stopped run',
    'resumes from its last checkpoint. Inner walls and zones of the environment are not simulated.',
    'Results carry the provenance `simulated`.',
  ].join('\n'),
  config,
  examples: [
    { title: 'One person who walks, sits, lies down and falls', config: {} },
    {
      title: 'Two people, no loss, as fast as possible for ten minutes',
      config: {
        people: [{ script: [] }, { start: [1, 1], script: [{ activity: 'walk', seconds: 30 }] }],
        loss: [0, 0],
        speed: 0,
        duration_s: 600,
      },
    },
    { title: 'An empty room, to calibrate on', config: { people: [], duration_s: 60 } },
  ],
  check: ({ people, things, snr_db, loss, rssi_noise_db, rssi_outliers, start_time }) => {
    const complaints = [...checkPeople(people), ...checkThings(things)];
    for (const [name, [low, high]] of Object.entries({ snr_db, loss, rssi_noise_db, rssi_outliers })) {
      if (low! > high!)
        complaints.push({ path: [name], message: `the range ${low!} to ${high!} is upside down` });
    }
    if (start_time !== undefined && Number.isNaN(Date.parse(start_time))) {
      complaints.push({
        path: ['start_time'],
        message: `${start_time} is not a time: use the form 2026-01-01T00:00:00Z`,
      });
    }
    return complaints;
  },
  outputs: ['csi'],
  settings: { 'hardware.csi_sampling_rate': 'rate_hz' },
  replayable: true,
  simulates: true,
  timing: (settings) => (isLive(settings) ? 'now' : 'recorded'),
  create: (settings, context) => new SimulatorSource(settings, context),
});

/** Event time follows the clock, as in a real room. */
const isLive = ({ speed, start_time }: Pick<Static<typeof config>, 'speed' | 'start_time'>): boolean =>
  speed === 1 && start_time === undefined;

/** Position of the simulation. Ticks are packets of one link; a cycle is one run of the scripts. */
interface SimulatorPosition {
  /** Event time of the first tick, microseconds. */
  readonly start: number;
  /** For each environment, in order. */
  readonly stages: readonly StagePosition[];
  /** Ticks since the start. */
  readonly tick: number;
}

interface StagePosition {
  readonly cycle: number;
  /** First tick of the cycle. */
  readonly since: number;
}

const diffuseOf = ({ paths, power_db, excess_m }: NonNullable<Static<typeof config>['diffuse']>) => ({
  ...{ paths, powerDb: power_db, excess: excess_m },
});

const BATCH_FRAMES = 64;
const BATCH_SECONDS = 0.04;
const TRUTH_HZ = 20;

class SimulatorSource implements Source {
  readonly #settings: Static<typeof config>;
  readonly #context: Context;
  readonly #stages: readonly Stage[];
  /** Numbers of the links of each environment in the topology's table. */
  readonly #tables: readonly (readonly number[])[];
  /** Null: there is no pace to keep, or the room is live. */
  readonly #lagging: LaggingPace | null;
  #tick = 0;
  #cycles: readonly number[] = [];
  readonly #activity: LinkActivity;
  /** Jump of event time at the next batch, microseconds. */
  #jump = 0;

  constructor(settings: Static<typeof config>, context: Context) {
    this.#settings = settings;
    this.#context = context;
    const isWatched = settings.speed > 0 && !isLive(settings);
    this.#lagging = isWatched ? new LaggingPace(context, settings.speed) : null;
    const impairments: ImpairmentOptions = {
      ...IMPAIRMENTS,
      snrDb: [settings.snr_db[0]!, settings.snr_db[1]!],
      following: GAINS[settings.gain],
      rssi: {
        noiseDb: [settings.rssi_noise_db[0]!, settings.rssi_noise_db[1]!],
        outliers: [settings.rssi_outliers[0]!, settings.rssi_outliers[1]!],
        always: settings.rssi_dbm,
      },
      loss: [settings.loss[0]!, settings.loss[1]!],
      jitterMs: settings.jitter_ms,
    };
    const { motion, motion_part } = settings;
    const library =
      motion === undefined ? undefined : loadMotion(resolve(context.folder, motion), motion_part);
    this.#stages = context.environments.map(
      (environment, index) =>
        new Stage(environment, {
          seed: settings.seed + index,
          rateHz: settings.rate_hz,
          layout: DEVICES[settings.device],
          people: settings.people,
          things: settings.things,
          obstacles: settings.obstacles.map(({ from, to, opacity }) => ({
            from: [from[0]!, from[1]!, from[2]!] as const,
            to: [to[0]!, to[1]!, to[2]!] as const,
            opacity,
          })),
          impairments,
          library,
          echoDb: settings.echo_db,
          ...(settings.diffuse && { diffuse: diffuseOf(settings.diffuse) }),
          ...(settings.door ? { door: [settings.door[0]!, settings.door[1]!] as const } : {}),
        }),
    );
    this.#activity = new LinkActivity(context.links);
    this.#tables = context.environments.map((environment) =>
      environment.links.map((link) => {
        const entry = context.links.byId(link.id);
        if (!entry)
          throw new Error(`the link ${link.id} of ${environment.id} is not in the topology's table`);
        return entry.index;
      }),
    );
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    const { truth, duration_s, rate_hz } = this.#settings;
    const file = truth === undefined ? null : await TruthFile.open(resolve(this.#context.folder, truth));
    output.ready?.();
    let reached = position === null ? this.#begin() : this.#resume(position as SimulatorPosition);
    const end = duration_s === 0 ? Infinity : Math.ceil(duration_s * rate_hz);
    const missed = this.#missedBefore(reached);
    const pace = new Pace(
      this.#context,
      output.signal,
      this.#settings.speed,
      reached.tick / rate_hz + missed.simulated,
      this.#lagging,
    );
    const skipAt = reached.tick + missed.simulated * rate_hz;
    const step = this.#step();
    try {
      while (reached.tick < end && !output.signal.aborted) {
        const to = Math.min(end, (Math.floor(reached.tick / step) + 1) * step);
        await pace.until(to / rate_hz);
        if (signalled(output.signal)) break;
        if (reached.tick >= skipAt) this.#jump += missed.takeSkipped();
        reached = { ...reached, start: reached.start + this.#jump };
        this.#jump = 0;
        const { data, next, lines } = this.#advance(reached, to, file !== null);
        await file?.write(lines);
        reached = next;
        this.#tick = reached.tick;
        this.#cycles = reached.stages.map((stage) => stage.cycle);
        for (const block of data) this.#activity.see(block);
        if (data.length > 0) await output.offer({ position: reached, data });
      }
    } finally {
      await file?.close();
    }
  }

  reanchor(by: number): void {
    this.#jump += by;
  }

  describe(): Readonly<Record<string, unknown>> {
    const simulated_seconds = this.#tick / this.#settings.rate_hz;
    const reached = this.#lagging && { speed_reached: this.#lagging.reached };
    return { simulated_seconds, ...reached, cycles: this.#cycles, ...this.#activity.describe() };
  }

  #begin(): SimulatorPosition {
    const { start_time } = this.#settings;
    // Start on a whole second: every start of a seed then aligns with the grids of windows in the same way,
    // and gives the same results.
    const now = Math.floor(this.#context.clock.now() / SECOND) * SECOND;
    const start = start_time === undefined ? now : Date.parse(start_time) * 1000;
    return { start: Math.round(start), tick: 0, stages: this.#stages.map(() => ({ cycle: 0, since: 0 })) };
  }

  /** Environments that are missing from the position start at it. */
  #resume(reached: SimulatorPosition): SimulatorPosition {
    const stages = this.#stages.map((_, index) => reached.stages[index] ?? { cycle: 0, since: reached.tick });
    return { ...reached, stages };
  }

  /**
   * Handles the time passed in a live room since `reached`. Its first seconds are simulated immediately,
   * because a crash discards everything after the last checkpoint; the rest is skipped.
   */
  #missedBefore({ start, tick }: SimulatorPosition): Missed {
    if (!isLive(this.#settings)) return new Missed(0);
    const behind = this.#context.clock.now() - (start + (tick / this.#settings.rate_hz) * SECOND);
    return new Missed(Math.max(0, behind));
  }

  /** Ticks per batch: at most about 64 frames, and in real time no more than 40 ms. */
  #step(): number {
    const { speed, rate_hz } = this.#settings;
    const links = this.#stages.reduce((sum, stage) => sum + stage.links, 0);
    const whole = BATCH_FRAMES / Math.max(1, links);
    return Math.max(1, Math.round(speed === 0 ? whole : Math.min(whole, BATCH_SECONDS * rate_hz * speed)));
  }

  /** Plays from `reached` to tick `to`. */
  #advance(
    reached: SimulatorPosition,
    to: number,
    withTruth: boolean,
  ): { data: CsiBlock[]; next: SimulatorPosition; lines: TruthLines } {
    const { rate_hz } = this.#settings;
    const told = (tick: number) => Math.floor((tick * TRUTH_HZ) / rate_hz);
    const data: CsiBlock[] = [];
    const lines: TruthLines = [];
    const stages = this.#stages.map((stage, index): StagePosition => {
      let { cycle, since } = reached.stages[index]!;
      for (let tick = reached.tick; tick < to;) {
        const ticks = stage.enter(cycle);
        const last = Math.min(to, since + ticks);
        const origin = reached.start + (since / rate_hz) * 1e6;
        const block = stage.play(tick - since, last - since, origin, since, this.#tables[index]!);
        if (block.count > 0) data.push(block);
        if (withTruth) {
          for (let at = tick; at < last; at++) {
            if (told(at) === told(at - 1)) continue;
            lines.push(...stage.truth(at - since, origin), ...stage.thingTruth(at - since, since, origin));
          }
        }
        tick = last;
        if (last === since + ticks) {
          since = last;
          cycle++;
        }
      }
      return { cycle, since };
    });
    return { data, next: { start: reached.start, tick: to, stages }, lines };
  }
}

type TruthLines = (TruthLine | ThingLine)[];
