import { resolve } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import {
  choice,
  defineSource,
  filePath,
  type Context,
  type Position,
  type Source,
  type SourceOutput,
} from '../../component/index.js';
import { LinkActivity } from '../../formats/index.js';
import type { CsiBlock } from '../../model/index.js';
import { IMPAIRMENTS, type ImpairmentOptions } from './impairments.js';
import { loadMotion } from './recorded/library.js';
import {
  checkPeople,
  checkThings,
  DEFAULT_PEOPLE,
  ObstacleSchema,
  PersonSchema,
  ThingSchema,
} from './script.js';
import { Stage, type ThingLine, type TruthLine } from './stage.js';
import { TruthFile } from './truth-file.js';

const range = (low: number, high: number, options: { default: number[]; description: string }) =>
  Type.Array(Type.Number({ minimum: low, maximum: high }), { minItems: 2, maxItems: 2, ...options });

const config = Type.Object(
  {
    people: Type.Array(PersonSchema, {
      maxItems: 16,
      default: DEFAULT_PEOPLE,
      description:
        'Who is in the room and what they do; each environment has these people. [] is an empty room.',
    }),
    things: Type.Array(ThingSchema, {
      maxItems: 16,
      default: [],
      description:
        'What else moves in the room, none of it a person. The truth has a line of its own for each: `thing`, `number`, `moving`, `place`.',
    }),
    obstacles: Type.Array(ObstacleSchema, {
      maxItems: 32,
      default: [],
      description:
        'Furniture that blocks: weakens paths that it stands in the way of, and people behind it. People do not walk round it.',
    }),
    door: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 2,
        description:
          'Floor point of the door by which people leave and come in, moved to the nearest wall; default by chance.',
      }),
    ),
    motion: Type.Optional(
      filePath({
        description:
          'Folder with recorded motion that people play besides their own for steps without `to`, `speed` and `fall`: `clips/humanoid3d_*.txt` (DeepMimic) and `ragdoll-falls/fall_*.csv.gz`; relative to the folder of the topology.',
      }),
    ),
    motion_part: choice(
      {
        all: 'All of it.',
        training: 'What models are trained on.',
        held_out: 'What no model is trained on: each fifth fall, and five of the clips.',
      },
      { default: 'all', description: 'Which recordings of `motion` are played.' },
    ),
    rate_hz: Type.Number({
      minimum: 1,
      maximum: 1000,
      default: 50,
      description: 'Packets that each link sends a second.',
    }),
    speed: Type.Number({
      minimum: 0,
      maximum: 1000,
      default: 1,
      description: 'Times real time; 0 as fast as it goes. Changes the pace only, never the results.',
    }),
    duration_s: Type.Number({
      minimum: 0,
      default: 0,
      description:
        'Seconds of event time until the input ends; 0: never. The scripts begin again as often as needed.',
    }),
    seed: Type.Integer({
      minimum: 0,
      maximum: 2 ** 32 - 1,
      default: 1,
      description:
        "The whole scene follows from it: walls, furniture, bodies, chances of the scripts, receivers' faults.",
    }),
    start_time: Type.Optional(
      Type.String({
        description:
          'Event time of the first packet, ISO 8601: `2026-01-01T00:00:00Z`; a restart continues from where it stopped. Default: now. At a `speed` of 1 a later start simulates up to 30 s of the time that it was stopped at once, skips the rest and continues at now.',
      }),
    ),
    snr_db: range(0, 60, {
      default: [15, 35],
      description: 'Signal to noise of the links, by chance from this range.',
    }),
    loss: range(0, 0.9, {
      default: [0, 0.1],
      description: "Links' share of lost packets, by chance from this range.",
    }),
    jitter_ms: Type.Number({
      minimum: 0,
      maximum: 100,
      default: 1,
      description:
        "Spread of the packets' times about their grid; cut off before two packets would change places.",
    }),
    truth: Type.Optional(
      filePath({
        description:
          'File that the true poses are appended to, 20 times a second, one JSON object a line; relative to the folder of the topology. After a restart lines may be there twice.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const simulator = defineSource({
  name: 'simulator',
  summary: 'Simulates a room with people and the CSI that its links would measure.',
  description: [
    "Sends CSI of the topology's environments as ESP32s would report it: 52 subcarriers of the legacy training",
    'field at 2.437 GHz in steps of an 8-bit converter, with random phase, gain steps, noise and loss. The room',
    'is a box with wall reflections of first and second order, furniture, and bodies of 13 ellipsoids that',
    'scatter and shadow.',
    '',
    'Everything follows from `seed`: the same configuration gives the same frames, and a run that was stopped',
    'goes on from its last checkpoint. Inner walls and zones of the environment are not simulated.',
    'Results carry the provenance `simulated`.',
  ].join('\n'),
  config,
  examples: [
    { title: 'One person who walks, sits, lies down and falls', config: {} },
    {
      title: 'Two people, no loss, as fast as it goes for ten minutes',
      config: {
        people: [{ script: [] }, { start: [1, 1], script: [{ activity: 'walk', seconds: 30 }] }],
        loss: [0, 0],
        speed: 0,
        duration_s: 600,
      },
    },
    { title: 'An empty room, to calibrate on', config: { people: [], duration_s: 60 } },
  ],
  check: ({ people, things, snr_db, loss, start_time }) => {
    const complaints = [...checkPeople(people), ...checkThings(things)];
    for (const [name, [low, high]] of Object.entries({ snr_db, loss })) {
      if (low! > high!)
        complaints.push({ path: [name], message: `the range ${low!} to ${high!} is upside down` });
    }
    if (start_time !== undefined && Number.isNaN(Date.parse(start_time))) {
      complaints.push({
        path: ['start_time'],
        message: `${start_time} is no time; write 2026-01-01T00:00:00Z`,
      });
    }
    return complaints;
  },
  outputs: ['csi'],
  replayable: true,
  timing: (settings) => (isLive(settings) ? 'now' : 'recorded'),
  create: (settings, context) => new SimulatorSource(settings, context),
});

/** Its event time follows the clock, as that of a room would. */
const isLive = ({ speed, start_time }: Pick<Static<typeof config>, 'speed' | 'start_time'>): boolean =>
  speed === 1 && start_time === undefined;

/** Where the simulation is. Ticks are packets of one link; a cycle is one run of the scripts. */
interface Place {
  /** Event time of the first tick, microseconds. */
  readonly start: number;
  /** Of each environment, in their order. */
  readonly stages: readonly StagePlace[];
  /** Ticks since the start. */
  readonly tick: number;
}

interface StagePlace {
  readonly cycle: number;
  /** Tick that the cycle began with. */
  readonly since: number;
}

const BATCH_FRAMES = 64;
const BATCH_SECONDS = 0.04;
const TRUTH_HZ = 20;
/** Longer than checkpoints are apart, in seconds: what a kill took back is simulated again. */
const CATCH_UP_S = 30;

class SimulatorSource implements Source {
  readonly #settings: Static<typeof config>;
  readonly #context: Context;
  readonly #stages: readonly Stage[];
  /** Numbers of each environment's links in the topology's table. */
  readonly #tables: readonly (readonly number[])[];
  #tick = 0;
  #cycles: readonly number[] = [];
  readonly #activity: LinkActivity;
  /** By how much event time is to jump with the next batch, microseconds. */
  #jump = 0;

  constructor(settings: Static<typeof config>, context: Context) {
    this.#settings = settings;
    this.#context = context;
    const impairments: ImpairmentOptions = {
      ...IMPAIRMENTS,
      snrDb: [settings.snr_db[0]!, settings.snr_db[1]!],
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
          people: settings.people,
          things: settings.things,
          obstacles: settings.obstacles.map(({ from, to, opacity }) => ({
            from: [from[0]!, from[1]!, from[2]!] as const,
            to: [to[0]!, to[1]!, to[2]!] as const,
            opacity,
          })),
          impairments,
          library,
          ...(settings.door ? { door: [settings.door[0]!, settings.door[1]!] as const } : {}),
        }),
    );
    this.#activity = new LinkActivity([...context.links].length);
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
    let place = position === null ? this.#begin() : this.#resume(position as Place);
    const end = duration_s === 0 ? Infinity : Math.ceil(duration_s * rate_hz);
    const missed = this.#missedBefore(place);
    const pace = new Pace(
      this.#context,
      output.signal,
      this.#settings.speed,
      place.tick / rate_hz + missed.simulated,
    );
    const skipAt = place.tick + missed.simulated * rate_hz;
    const step = this.#step();
    try {
      while (place.tick < end && !output.signal.aborted) {
        const to = Math.min(end, (Math.floor(place.tick / step) + 1) * step);
        await pace.until(to / rate_hz);
        if (signalled(output.signal)) break;
        if (place.tick >= skipAt) this.#jump += missed.takeSkipped();
        place = { ...place, start: place.start + this.#jump };
        this.#jump = 0;
        const { data, next, lines } = this.#advance(place, to, file !== null);
        await file?.write(lines);
        place = next;
        this.#tick = place.tick;
        this.#cycles = place.stages.map((stage) => stage.cycle);
        for (const block of data) this.#activity.see(block);
        if (data.length > 0) await output.offer({ position: place, data });
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
    return { simulated_seconds, cycles: this.#cycles, ...this.#activity.describe() };
  }

  #begin(): Place {
    const { start_time } = this.#settings;
    // On a whole second: every start of a seed then lies alike on the grids of windows, and gives the same results.
    const now = Math.floor(this.#context.clock.now() / SECOND) * SECOND;
    const start = start_time === undefined ? now : Date.parse(start_time) * 1000;
    return { start: Math.round(start), tick: 0, stages: this.#stages.map(() => ({ cycle: 0, since: 0 })) };
  }

  /** Environments that were not there at the position begin with it. */
  #resume(place: Place): Place {
    const stages = this.#stages.map((_, index) => place.stages[index] ?? { cycle: 0, since: place.tick });
    return { ...place, stages };
  }

  /**
   * What passed in a live room since `place`: its first seconds are simulated at once, because a kill took back what
   * came after its last checkpoint; the rest is skipped.
   */
  #missedBefore({ start, tick }: Place): Missed {
    if (!isLive(this.#settings)) return new Missed(0);
    const behind = this.#context.clock.now() - (start + (tick / this.#settings.rate_hz) * SECOND);
    return new Missed(Math.max(0, behind));
  }

  /** Ticks of a batch: at most 64 frames or so, and in real time no more than 40 ms of it. */
  #step(): number {
    const { speed, rate_hz } = this.#settings;
    const links = this.#stages.reduce((sum, stage) => sum + stage.links, 0);
    const whole = BATCH_FRAMES / Math.max(1, links);
    return Math.max(1, Math.round(speed === 0 ? whole : Math.min(whole, BATCH_SECONDS * rate_hz * speed)));
  }

  /** Plays from `place` to tick `to`. */
  #advance(
    place: Place,
    to: number,
    withTruth: boolean,
  ): { data: CsiBlock[]; next: Place; lines: TruthLines } {
    const { rate_hz } = this.#settings;
    const told = (tick: number) => Math.floor((tick * TRUTH_HZ) / rate_hz);
    const data: CsiBlock[] = [];
    const lines: TruthLines = [];
    const stages = this.#stages.map((stage, index): StagePlace => {
      let { cycle, since } = place.stages[index]!;
      for (let tick = place.tick; tick < to;) {
        const ticks = stage.enter(cycle);
        const last = Math.min(to, since + ticks);
        const origin = place.start + (since / rate_hz) * 1e6;
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
    return { data, next: { start: place.start, tick: to, stages }, lines };
  }
}

type TruthLines = (TruthLine | ThingLine)[];

/** Time that passed while a live simulation stood still. */
class Missed {
  /** Seconds that are simulated as fast as they can be. */
  readonly simulated: number;
  #skipped: number;

  constructor(microseconds: number) {
    this.simulated = Math.min(microseconds / SECOND, CATCH_UP_S);
    // In whole seconds, so that a seed lies alike on the grids of windows at each start.
    this.#skipped = Math.floor(microseconds / SECOND - this.simulated) * SECOND;
  }

  /** Microseconds that event time leaves out, once. */
  takeSkipped(): number {
    const skipped = this.#skipped;
    this.#skipped = 0;
    return skipped;
  }
}

/** Waits until the simulation's time has come. */
class Pace {
  readonly #context: Context;
  readonly #signal: AbortSignal;
  readonly #speed: number;
  readonly #from: number;
  readonly #began: number;

  constructor(context: Context, signal: AbortSignal, speed: number, from: number) {
    this.#context = context;
    this.#signal = signal;
    this.#speed = speed;
    this.#from = from;
    this.#began = context.clock.elapsed();
  }

  /** Resolves when `seconds` of the simulation are due, or the source is to stop. */
  async until(seconds: number): Promise<void> {
    if (this.#speed === 0) {
      await nextTurn();
      return;
    }
    const due = this.#began + (1000 * (seconds - this.#from)) / this.#speed;
    const left = due - this.#context.clock.elapsed();
    if (left < 1) await nextTurn();
    else await sleep(left, undefined, { signal: this.#signal }).catch(ignoreAbort);
  }
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}

/** Reads the signal anew: it may have been aborted while a promise was awaited. */
const signalled = (signal: AbortSignal): boolean => signal.aborted;

/** Microseconds. */
const SECOND = 1_000_000;
