import { resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import {
  choice,
  filePath,
  inputFile,
  defineOperator,
  type Context,
  type Operator,
  type Output,
} from '../../pipeline/component/index.js';
import type { LeftOutLink, Person, PoseFrame, Window } from '../../pipeline/model/index.js';
import { leftOutOf, withUsableLinks } from '../shared/usable-links.js';
import { countsOf, noBelief, update, type Belief } from './context.js';
import type { Sight } from './estimate.js';
import { Inference, type Answer } from './inference.js';
import { peopleOf } from './people.js';
import { expectedError } from './person.js';
import { MAX_LINKS, problemOf, requestOf, shareOf } from './request.js';
import {
  chooseModel,
  modelFolder,
  readManifest,
  readProfiles,
  type Manifest,
  type Profiles,
} from './weights.js';
import { errorText } from '../../pipeline/base/error-text.js';

const Config = Type.Object(
  {
    backend: choice(
      {
        auto: 'A GPU where there is one, else WebAssembly; the log says why.',
        wasm: 'WebAssembly: everywhere, and quick enough for tens of windows a second.',
        'tensorflow-gpu': 'TensorFlow of @tensorflow/tfjs-node-gpu, on a GPU or a CPU.',
        tensorflow: 'TensorFlow of @tensorflow/tfjs-node, on a CPU; to be installed.',
      },
      {
        default: 'auto',
        description: 'Where the network is computed. `csiflow list backends` says what is there.',
      },
    ),
    weights: filePath({
      default: 'auto',
      description:
        "`general` for any room, the name of another model that ships, or a folder made by `csiflow train pose`, from the topology's folder on. `auto` takes the model trained for exactly this environment where one ships, else `general`.",
    }),
    calibration: Type.Optional(
      inputFile({
        description:
          "Empty-room profiles of the links, made by `csiflow calibrate`; from the topology's folder on. Without it people who keep still are found less well.",
      }),
    ),
    max_batch: Type.Integer({
      minimum: 1,
      maximum: 1024,
      default: 32,
      description: 'Windows that are computed together at most.',
    }),
    max_wait_ms: Type.Number({
      minimum: 0,
      maximum: 1000,
      default: 0,
      description:
        'How long a window may wait for others to travel with, milliseconds. Windows that close while others are computed travel together at any setting.',
    }),
    max_in_flight: Type.Integer({
      minimum: 1,
      maximum: 4096,
      default: 64,
      description:
        'Windows that are under way or waiting at most; more of them hold the sources back, or are shed where `settings.max_lag_ms` says so.',
    }),
    timeout_ms: Type.Integer({
      minimum: 10,
      maximum: 600_000,
      default: 30_000,
      description:
        'A window whose inference, waiting included, takes longer becomes a dead letter, milliseconds.',
    }),
    articulate_below_m: Type.Number({
      minimum: 0,
      maximum: 10,
      default: 0.6,
      description: 'Expected error of the position from which no skeleton is drawn, but a disc. Metres.',
    }),
    presence: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'Probability from which somebody is said to be there.',
    }),
  },
  { additionalProperties: false },
);

export const inferPose = defineOperator({
  name: 'infer-pose',
  summary: 'Infers where a person is and how they stand from a window of CSI, with a small neural network.',
  description: `
Put it behind \`window\` with \`length_ms: 2000\`, \`points: 100\`. It tells how many people are there, up to four, and of
each the place on the floor, heading, posture and 17 joints.

The network reads one window. What windows say together is kept by a filter over time: a person who stops is held where the walk
ended, nobody vanishes without having walked away, and a posture stays until there is evidence of another. \`counts\` of a result holds the
probabilities of nobody, one person and so on; from \`presence\` on somebody is said to be there. The state is part of checkpoints.

Each person carries \`positionError\`, the distance to be expected between the told and the true place, calibrated in rooms
that the network never saw. \`confidence\` is a view of it: 0.6 / (0.6 + positionError). Where it is above
\`articulate_below_m\` there is no skeleton to draw.

The network was trained on simulated CSI, for any room, from the positions of its links (1 to 9; at least 3 for a place
worth having). What it reaches is in the report that every pose names. It learnt joints of people who walk; of others it
tells the place, roughly, and whether they stand, sit or lie, less well.

Lead the links round the room and at different heights. Links that all cross in the middle of a room see each place and
its mirror image through the middle alike: measured on one layout of four, 1.1 m of error for walkers instead of 0.4 m.

The network runs in a thread of its own, one for all nodes and partitions of the process that ask for the same \`weights\`,
\`backend\`, \`max_batch\` and \`max_wait_ms\`. Windows that arrive together are computed together; a result does not depend on
what it travelled with. Results are rounded to a millimetre.

Sources: docs/reports/accuracy.md has figures; docs/decisions/0008 and 0048 have the method.
`,
  inputs: ['window'],
  outputs: ['pose'],
  stateFields: ['weights', 'calibration'],
  stateVersion: 2,
  timeFields: ['time'],
  liveFields: ['timeout_ms', 'articulate_below_m', 'presence'],
  config: Config,
  examples: [
    { title: 'Any room', config: {} },
    {
      title: 'A calibrated room, on WebAssembly',
      config: { backend: 'wasm', calibration: 'calibrations/ward-3.json' },
    },
    {
      title: 'Many rooms on a GPU',
      config: { backend: 'tensorflow-gpu', max_batch: 256, max_in_flight: 1024 },
    },
  ],
  asynchronous: { maxInFlight: (config) => config.max_in_flight },
  create: (config, context) => new InferPose(config, context),
});

class InferPose implements Operator<'window', 'pose'> {
  #config: Static<typeof Config>;
  readonly #context: Context;
  readonly #manifest: Manifest;
  readonly #profiles: Profiles;
  readonly #inference: Inference;
  /** What the network said for a result that was not settled yet. */
  readonly #sights = new WeakMap<PoseFrame, Sight>();
  /** By environment. */
  readonly #beliefs = new Map<string, Belief>();

  constructor(config: Static<typeof Config>, context: Context) {
    this.#config = config;
    this.#context = context;
    const { environments } = context;
    const name = config.weights === 'auto' ? chooseModel(environments) : config.weights;
    const folder = modelFolder(name, context.folder);
    this.#manifest = readManifest(folder);
    this.#profiles = config.calibration ? readProfiles(resolve(context.folder, config.calibration)) : {};
    this.#inference = new Inference(
      {
        name: `${context.topology}/${context.node}`,
        weights: folder,
        sha256: this.#manifest.sha256,
        backend: config.backend,
        links: environments.map((environment) => Math.min(MAX_LINKS, environment.links.length)),
        maxBatch: config.max_batch,
        maxWaitMs: config.max_wait_ms,
        timeoutMs: config.timeout_ms,
      },
      (reason) => {
        context.metrics.count('inference_restarts', 1);
        context.log.error('the inference thread ended and is started again', { reason });
      },
    );
  }

  adjust(config: Readonly<Record<string, unknown>>): void {
    this.#config = config as Static<typeof Config>;
    this.#inference.setTimeout(this.#config.timeout_ms);
  }

  async open(): Promise<void> {
    const { name, device, version, reason } = await this.#inference.open();
    this.#context.log.info('pose network loaded', {
      ...{ backend: name, device, version, reason },
      model: this.#manifest.name,
      model_version: this.#manifest.version,
      calibrated_links: this.#calibratedLinks(),
    });
    if (this.#config.calibration !== undefined && this.#calibratedLinks() === 0) {
      this.#context.log.warn('the calibration names none of the environments’ links', {
        calibration: this.#config.calibration,
        its_links: Object.keys(this.#profiles).slice(0, 10),
      });
    }
  }

  async process(given: Window): Promise<Output<PoseFrame>> {
    const window = withUsableLinks(given);
    const leftOut = leftOutOf(given);
    const problem = problemOf(window);
    if (problem) return failed(window, 'pose.window.unfit', problem, false);
    // Read once to know whether there is anything to ask; each attempt then makes its own copy.
    const first = requestOf(window, this.#context.links, this.#profiles);
    if (!first) return { data: [this.#frame(window, null, leftOut)] };
    let next: typeof first | null = first;
    try {
      const answer = await this.#inference.infer(() => {
        const request = next ?? requestOf(window, this.#context.links, this.#profiles)!;
        next = null;
        return request;
      });
      return { data: [this.#frame(window, answer, leftOut)] };
    } catch (error) {
      return failed(window, 'pose.inference.failed', errorText(error), true);
    }
  }

  settle(answer: Output<PoseFrame>): Output<PoseFrame> {
    return { ...answer, data: answer.data.map((frame) => this.#inContext(frame)) };
  }

  snapshot(): readonly Kept[] {
    return Array.from(this.#beliefs, ([environment, { place, ...belief }]) => ({
      environment,
      belief: {
        ...belief,
        states: belief.states.slice(),
        postures: belief.postures.slice(),
        place: place && { ...place },
      },
    }));
  }

  restore(state: unknown): void {
    for (const { environment, belief } of state as readonly Kept[]) this.#beliefs.set(environment, belief);
  }

  describe(): Readonly<Record<string, unknown>> {
    const { name, version, trainedOn, accuracy } = this.#manifest;
    return { ...this.#inference.describe(), model: { name, version, trained_on: trainedOn, accuracy } };
  }

  async close(): Promise<void> {
    await this.#inference.close();
  }

  #calibratedLinks(): number {
    return [...this.#context.links].filter(({ link }) => this.#profiles[link.id]).length;
  }

  #frame(window: Window, answer: Answer | null, leftOut: readonly LeftOutLink[]): PoseFrame {
    const { name, version, trainedOn, accuracy } = this.#manifest;
    const length = window.points * window.step;
    const frame: PoseFrame = {
      port: 'pose',
      frameId: window.index,
      environment: window.environment,
      time: window.start + length / 2,
      windowEnd: window.start + length,
      processingMs: Math.round((answer?.milliseconds ?? 0) * 1000) / 1000,
      persons: answer ? this.#people(answer.sight, answer.sight.counts, null) : [],
      ...(answer && { counts: answer.sight.counts.map(rounded) }),
      links: window.links.length,
      ...(leftOut.length > 0 && { leftOut }),
      signalQuality: this.#quality(window),
      provenance: { origin: window.provenance.origin, model: { name, version, trainedOn, accuracy } },
    };
    if (answer) this.#sights.set(frame, answer.sight);
    return frame;
  }

  /** The result of one window as it is with what came before it in view. */
  #inContext(frame: PoseFrame): PoseFrame {
    const sight = this.#sights.get(frame);
    if (!sight) return frame;
    const belief = this.#beliefs.get(frame.environment) ?? noBelief();
    this.#beliefs.set(frame.environment, belief);
    const { position } = this.#manifest.calibration;
    update(belief, sight, frame.time, ({ scale }) => expectedError(scale, position));
    const counts = countsOf(belief);
    return { ...frame, counts: counts.map(rounded), persons: this.#people(sight, counts, belief) };
  }

  #people(sight: Sight, counts: readonly number[], belief: Belief | null): Person[] {
    const { presence, articulate_below_m } = this.#config;
    const options = { presence, articulateBelow: articulate_below_m };
    return peopleOf(sight, counts, belief, this.#manifest.calibration, options);
  }

  /** Share of points with a frame near enough, over all links that the environment has. */
  #quality(window: Window): number {
    const environment = this.#context.environments.find(({ id }) => id === window.environment);
    const links = Math.max(window.links.length, environment?.links.length ?? 0);
    const filled = window.links.reduce((sum, link) => sum + 1 - shareOf(link.gaps), 0);
    return links === 0 ? 0 : Math.round((1000 * filled) / links) / 1000;
  }
}

/** The belief of one environment. */
interface Kept {
  readonly environment: string;
  readonly belief: Belief;
}

const rounded = (probability: number): number => Math.round(1000 * probability) / 1000;

/** A window as a dead letter keeps it: its place in time, not its values. */
function failed(window: Window, code: string, reason: string, retriable: boolean): Output<PoseFrame> {
  const { environment, index, start, step, points } = window;
  const links = window.links.map(({ id, layout }) => ({ id, layout }));
  const record = { port: 'window', environment, index, start, step, points, links };
  return { data: [], failed: [{ record, code, reason, retriable }] };
}
