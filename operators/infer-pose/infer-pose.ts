import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import {
  choice,
  inputFile,
  defineOperator,
  hostComplaints,
  type Complaint,
  type Context,
  type Operator,
  type Output,
} from '../../pipeline/component/index.js';
import type {
  Environment,
  LeftOutLink,
  Person,
  PoseFrame,
  SensedEvent,
  Window,
} from '../../pipeline/model/index.js';
import { leftOutOf, withUsableLinks } from '../shared/usable-links.js';
import { BackendHealth } from './backend-health.js';
import type { Answered } from './serving/engine.js';
import { CALIBRATION_FACTS, NETWORK_FACTS } from './facts.js';
import type { Answer } from './serving/inference.js';
import { LOCATING_LINKS, strongestMotion } from './memory/movement.js';
import { RoomMemories, type StoredMemories } from './people/room-memories.js';
import { peopleOf } from './people/people.js';
import { keptFrom } from './memory/confirmation.js';
import { inView, ofOneWindow, recall, type PersonEstimate } from './people/recall.js';
import { MAX_LINKS, problemOf, requestOf, shareOf } from './windows/request.js';
import {
  profileIn,
  readCalibration,
  reducedBy,
  UNCALIBRATED,
  type RoomCalibration,
} from './model/calibration.js';
import { chooseModels } from './model/choose-models.js';
import { describeModels } from './serving/describe.js';
import { ServedModel } from './serving/served-model.js';
import { ServedModels } from './serving/served-models.js';
import {
  memoryIn,
  modelFolder,
  unknownModel,
  unreadableModel,
  type ErrorCalibration,
  type Manifest,
} from './model/weights.js';
import { errorText } from '../../pipeline/base/error-text.js';
import { urlFault } from '../../pipeline/base/host.js';

/** Backends that use a GPU if there is one. */
const GPU_BACKENDS: readonly unknown[] = ['auto', 'tensorflow-gpu', 'webgpu', 'remote'];

const Config = Type.Object(
  {
    backend: choice(
      {
        auto: 'A GPU if there is one, otherwise WebAssembly; the log gives the reason.',
        wasm: 'WebAssembly: available everywhere, and fast enough for tens of windows per second.',
        'tensorflow-gpu': 'TensorFlow of @tensorflow/tfjs-node-gpu, on a GPU or a CPU.',
        tensorflow: 'TensorFlow of @tensorflow/tfjs-node, on a CPU; requires installation.',
        webgpu: 'WebGPU in Node (Dawn), on any GPU with Vulkan, Metal or Direct3D 12; requires installation.',
        remote: 'An inference server at `url` that has the network (`csiflow export-model`).',
      },
      {
        default: 'auto',
        description: 'Where to compute the network. `csiflow list backends` shows what is available.',
      },
    ),
    url: Type.Optional(
      Type.String({
        pattern: '^https?://[^/]+/?$',
        'x-expected': 'must be an address without a path, such as http://triton.example:8000',
        description:
          'For `remote`: address of a server that speaks the Open Inference Protocol 2 over HTTP, such as Triton or OpenVINO.',
      }),
    ),
    token: Type.Optional(
      Type.String({ minLength: 1, description: 'Bearer token for `remote`: `${secret:inference_token}`.' }),
    ),
    fallback: choice(
      {
        wasm: 'WebAssembly takes over, the node is degraded, and the backend is tried again every 30 s.',
        none: 'Windows become dead letters.',
      },
      {
        default: 'wasm',
        description:
          'What happens if the backend fails while csiflow runs: a GPU is lost, a server is offline.',
      },
    ),
    threads: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 1,
      description:
        'Number of threads that compute, each with its own copy of the networks; of `remote`: of batches that the server receives at once. More than one helps WebAssembly if there are idle cores.',
    }),
    weights: inputFile({
      orName: true,
      default: 'auto',
      description:
        "The name of a shipped model, or a folder created by `csiflow train pose` (`./folder`), relative to the topology's folder. `auto` uses the shipped model trained for exactly this environment if there is one, otherwise `general`, and `general-5-ghz` for rooms most of whose links are at 5 or 6 GHz.",
    }),
    calibration: Type.Optional(
      inputFile({
        description:
          "File with empty-room profiles of the links and the strength of echoes, created by `csiflow calibrate` or on the live page; relative to the topology's folder. Without it, or until it exists, postures, and times in analytics, are less accurate. Measure again after you move a node or rebuild the room: with an outdated calibration, csiflow may report somebody in an empty room.",
      }),
    ),
    max_batch: Type.Integer({
      minimum: 1,
      maximum: 1024,
      default: 32,
      description: 'Largest number of windows computed together.',
    }),
    max_wait_ms: Type.Number({
      minimum: 0,
      maximum: 1000,
      default: 0,
      description:
        'How long a window can wait for others to join its batch, milliseconds. Windows that close while others are being computed always share a batch.',
    }),
    max_in_flight: Type.Integer({
      minimum: 1,
      maximum: 4096,
      default: 64,
      description:
        'Largest number of windows in progress or waiting. Beyond it, the sources wait, or windows are dropped if `settings.max_lag_ms` is set.',
    }),
    timeout_ms: Type.Integer({
      minimum: 10,
      maximum: 600_000,
      default: 30_000,
      description:
        'A window whose inference, including waiting, takes longer becomes a dead letter, milliseconds.',
    }),
    articulate_below_m: Type.Number({
      minimum: 0,
      maximum: 10,
      default: 0.55,
      description: 'Expected error of the position from which a disc is drawn instead of a skeleton. Metres.',
    }),
    presence: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.9,
      description:
        'Probability from which a person is reported. At 0.9, networks report fewer false persons in similar empty rooms than at 0.5, and miss almost no more people.',
    }),
  },
  { additionalProperties: false },
);

export const inferPose = defineOperator({
  name: 'infer-pose',
  summary: 'Infers the position and posture of people from a window of CSI, with a small neural network.',
  description: `
Put it behind \`window\` with \`length_ms: 2000\`, \`points: 100\`. It outputs the number of people, up to four, and for
each the position on the floor, heading, posture and 17 joints.

A first network reads one window. A second network has a memory: it combines the output of the first with its state of 0.4 s before. On a grid
of the floor, that state records where people are, and moves with them when they walk; for the room, it records how many people there are and how they sat or lay down. A person who
stops therefore stays where the walk ended, nobody vanishes without walking away, and a person who sat down stays seated. \`counts\` of a result contains the
probabilities of nobody, one person and so on; people are reported from a probability of \`presence\`, and while they keep still after that, from 0.5 on (only with four links or more, and unless \`presence\` is above 0.9). The memory is part of
checkpoints; if it is older than 10 s when windows arrive again, it is dropped. While anybody walks, it fades to a third within 40 s, so that old mistakes disappear.

Pets, and at times fans and curtains, resemble people. With four links or more, anybody who appears in an empty room is therefore reported only
once confirmed as a person: evidence is summed up from window to window. Somebody who walks in is confirmed within about two seconds, and stays
confirmed, however still they keep, until nobody has been reported for 20 s. Until then \`counts\` holds the
probability that it is a person. Anybody present when csiflow first sees a room needs no confirmation, because they may be asleep.

**Strong echoes.** In many real rooms, people change the channels more than those whom the networks learnt, and one person then counts as several.
\`csiflow calibrate --walker\` measures by how much, while one person walks about: the field \`echoes\` in the file of \`calibration\`, decibels by environment.
All changes of that room's channels are reduced by as much before the networks read them if it is 10 to 15 dB; by 15 dB if it is more; by twice what exceeds 5 dB if it is less;
and up to 5 dB not at all, because rooms differ as much by chance. Changes are never increased, because that would increase the noise, too.

**One or two links** can hardly distinguish somebody who keeps still from an empty room. With them, somebody is reported once something has moved
for 0.4 s (a motion of 0.03, as \`detect-motion\` measures that of carriers, or a walk that the networks see), and until nothing has moved for a minute.
Without movement, \`counts\` assigns at most a half to somebody being there, because it is unknown. With \`presence: 0.4\`, anyone whom the networks
see is reported anyway.

Models that you train have no memory until you run \`csiflow train memory\`: each window is then inferred independently. Until you run \`csiflow train confirmation\`, people need no confirmation.

Each person has \`positionError\`, the expected distance between the reported and the true position, calibrated in rooms
that the network never saw. \`confidence\` is derived from it: 0.6 / (0.6 + positionError). If it is above
\`articulate_below_m\`, no skeleton is drawn.

The network was trained on simulated CSI, for any room, from the positions of its links (1 to 9; at least 3 for a useful
position). Its accuracy is in the report that every pose names. It learnt the joints of people who walk; for others,
position and posture (standing, sitting, lying) are less accurate.

Place the links around the room and at different heights. Links that all cross in the middle of a room cannot distinguish a position from
its mirror image through the middle: measured on one layout of four, 1.1 m of error for walkers instead of 0.4 m.

With \`weights: auto\`, rooms most of whose links are at 5 or 6 GHz have networks of their own, trained at 5 GHz. They start with the first window
of such a room; it waits for them, and so do the windows after it, for less than a second on WebAssembly. Each result names its model, and each room's memory belongs to one of them:
it starts again if the room changes its band.

The network runs in separate threads, shared by all nodes and partitions of the process with the same \`weights\`,
\`backend\`, \`max_batch\`, \`max_wait_ms\` and \`threads\`. Windows that arrive together are computed together; a result does not depend on
the rest of its batch. Results are rounded to a millimetre. On a GPU, batches are padded to powers of two, and all sizes are computed once at the start.

If the backend fails while csiflow runs, the next window of each environment is followed by the event \`inference_degraded\` with the reason; when the
backend works again, by \`inference_restored\`. Neither is an alert: webhooks and subscribers to alerts receive them if they list their types.

If you change \`weights\`, the new model loads while the old one continues to compute. No window is lost; the rooms' memory starts again if the memory network differs.

Sources: docs/reports/accuracy.md has figures; docs/decisions/0008, 0048, 0093, 0099, 0100, 0119, 0120, 0123, 0126, 0137, 0157, 0163, 0164 and 0165 describe the method.
`,
  inputs: ['window'],
  outputs: ['pose', 'event'],
  level: () => 'needs',
  needsAmplitude: () => 'because its networks were trained on them',
  stateFields: ['calibration'],
  stateVersion: 3,
  timeFields: ['time', 'seen'],
  liveFields: ['timeout_ms', 'articulate_below_m', 'presence', 'weights'],
  check: complaints,
  contents: ({ weights }, folder) => {
    const unreadable = unreadableModel(weights, folder);
    return { complaints: unreadable === null ? [] : [{ path: ['weights'], message: unreadable }] };
  },
  config: Config,
  role: 'pose-network',
  network: NETWORK_FACTS,
  calibration: CALIBRATION_FACTS,
  settings: {
    'neural_network.batch_size': 'max_batch',
    'neural_network.inference_timeout': 'timeout_ms',
    'neural_network.enable_gpu': {
      field: 'backend',
      show: (stored) => GPU_BACKENDS.includes(stored),
      store: (value, { config: { backend } }) =>
        value === GPU_BACKENDS.includes(backend) ? backend : value === true ? 'auto' : 'wasm',
    },
  },
  examples: [
    { title: 'Any room', config: {} },
    {
      title: 'A calibrated room, on WebAssembly',
      config: { backend: 'wasm', calibration: 'calibrations/ward-3.json' },
    },
    {
      title: 'A shared server with a GPU',
      config: { backend: 'remote', url: 'http://gpu-1:8000', max_batch: 64, threads: 2 },
    },
    {
      title: 'Many rooms on a GPU',
      config: { backend: 'tensorflow-gpu', max_batch: 256, max_in_flight: 1024 },
    },
  ],
  asynchronous: { maxInFlight: (config) => config.max_in_flight },
  create: (config, context) => new InferPose(config, context),
});

/** Checks beyond the schema. */
function complaints({ backend, url, token, weights }: Static<typeof Config>): readonly Complaint[] {
  const unknown = unknownModel(weights);
  return [
    ...(unknown ? [{ path: ['weights'], message: unknown }] : []),
    ...serverComplaints(backend, url, token),
  ];
}

function serverComplaints(
  backend: string,
  url: string | undefined,
  token: string | undefined,
): readonly Complaint[] {
  if (backend === 'remote')
    return url === undefined
      ? [{ path: ['backend'], message: '`remote` requires `url`, the address of the server' }]
      : hostComplaints(['url'], urlFault(url));
  const given = Object.entries({ url, token }).find(([, value]) => value !== undefined);
  return given
    ? [{ path: [given[0]], message: `only \`backend: remote\` uses \`${given[0]}\`; remove it` }]
    : [];
}

class InferPose implements Operator<'window', 'pose' | 'event'> {
  #config: Static<typeof Config>;
  readonly #context: Context;
  readonly #calibration: RoomCalibration;
  #models: ServedModels;
  /** What a result that is not final yet was inferred from. */
  readonly #answers = new WeakMap<PoseFrame, Inferred>();
  readonly #memories = new RoomMemories();
  /** Changes of the model, one after the other. */
  #changes: Promise<void> = Promise.resolve();
  readonly #problems: Record<'backend' | 'model' | 'high', string | null> = {
    ...{ backend: null, model: null, high: null },
  };
  #isClosed = false;
  readonly #backendHealth: BackendHealth;

  constructor(config: Static<typeof Config>, context: Context) {
    this.#config = config;
    this.#context = context;
    this.#backendHealth = new BackendHealth(context);
    this.#calibration = this.#calibrationFile ? readCalibration(this.#calibrationFile) : UNCALIBRATED;
    this.#models = this.#modelsOf(config);
  }

  adjust(config: Readonly<Record<string, unknown>>): void {
    const { weights } = this.#config;
    this.#config = config as Static<typeof Config>;
    this.#models.setTimeout(this.#config.timeout_ms);
    if (weights !== this.#config.weights)
      this.#changes = this.#changes.then(() => this.#exchange(this.#config));
  }

  async open(): Promise<void> {
    await this.#start(this.#models.usual);
    const { calibration } = this.#config;
    if (calibration !== undefined && this.#calibrationFile === null) {
      this.#context.log.warn('there is no calibration yet: measure the empty room', { calibration });
    } else if (calibration !== undefined && this.#calibratedLinks() === 0) {
      this.#context.log.warn('the calibration has none of the environments’ links', {
        calibration,
        its_links: Object.keys(this.#calibration.profiles).slice(0, 10),
      });
    }
  }

  /** Null without one, also before the empty room is measured for the first time, which needs a running topology. */
  get #calibrationFile(): string | null {
    const { calibration } = this.#config;
    const file = calibration === undefined ? null : resolve(this.#context.folder, calibration);
    return file !== null && existsSync(file) ? file : null;
  }

  #modelsOf(config: Static<typeof Config>): ServedModels {
    const { environments, folder } = this.#context;
    const { usual, high } = chooseModels(config.weights, environments);
    const models: ServedModels = new ServedModels(
      this.#modelOf(config, usual),
      high === null
        ? null
        : {
            memory: memoryIn(modelFolder(high, folder)),
            // As configured now: the timeout may have changed since.
            create: () => this.#modelOf({ ...config, timeout_ms: this.#config.timeout_ms }, high),
            start: (model) => this.#start(model),
            failed: (error) => {
              if (models === this.#models) this.#highFailed(high, error);
            },
          },
      environments,
    );
    return models;
  }

  #highFailed(model: string, error: unknown): void {
    const reason = error === null ? null : errorText(error);
    this.#problem('backend', this.#models.problem);
    if (reason !== null)
      this.#context.log.error('the model for 5 GHz cannot be loaded; the usual one computes', {
        model,
        reason,
      });
    this.#problem(
      'high',
      reason === null
        ? null
        : `${model} cannot be loaded, so the usual model computes rooms at 5 GHz: ${reason}`,
    );
  }

  #modelOf(config: Static<typeof Config>, weights: string): ServedModel {
    const { environments, folder, log, metrics } = this.#context;
    const { backend, url, token } = config;
    const model: ServedModel = new ServedModel(
      {
        ...{ name: `${this.#context.topology}/${this.#context.node}`, weights, backend },
        server: url === undefined ? undefined : { url, token, timeoutMs: config.timeout_ms },
        ...{ threads: config.threads, fallsBack: config.fallback === 'wasm' },
        ...{ maxBatch: config.max_batch, maxWaitMs: config.max_wait_ms, timeoutMs: config.timeout_ms },
      },
      environments,
      { folder, mostLinks: MAX_LINKS },
      {
        crashed: (reason) => {
          metrics.count('inference_restarts', 1);
          log.error('the inference thread ended and is restarted', { reason });
        },
        lost: (reason, hasFallback) => {
          this.#lost(model, reason, hasFallback);
        },
      },
    );
    return model;
  }

  #lost(model: ServedModel, reason: string | null, hasFallback: boolean): void {
    const { log, metrics } = this.#context;
    const { backend } = this.#config;
    const consequence = hasFallback ? 'WebAssembly takes over' : 'windows are rejected until it works again';
    const about = { backend, model: model.manifest.name };
    if (reason === null) log.info('the inference backend computes again', about);
    else {
      if (hasFallback) metrics.count('inference_fallbacks', 1);
      log.error(`the inference backend failed; ${consequence}`, { ...about, reason });
    }
    model.problem = reason === null ? null : `its backend ${backend} failed, ${consequence}: ${reason}`;
    this.#problem('backend', this.#models.problem);
  }

  /** The node is degraded while any of its parts has a problem. */
  #problem(part: 'backend' | 'model' | 'high', problem: string | null): void {
    this.#problems[part] = problem;
    const all = Object.values(this.#problems).filter((one) => one !== null);
    this.#context.degrade(all.length === 0 ? null : all.join('; '));
  }

  /** @param fallsBack default: as configured */
  async #start(model: ServedModel, fallsBack?: boolean): Promise<void> {
    const { name, device, version, reason } = await model.inference.open(fallsBack);
    this.#context.log.info('pose network loaded', {
      ...{ backend: name, device, version, reason },
      model: model.manifest.name,
      model_version: model.manifest.version,
      remembers: model.memory !== null,
      calibrated_links: this.#calibratedLinks(),
      changes_reduced_db: this.#reducedBy(),
    });
  }

  /** Takes another model once it is ready; until then, and if it cannot be loaded, the present one computes. */
  async #exchange(config: Static<typeof Config>): Promise<void> {
    const { log } = this.#context;
    const former = this.#models;
    try {
      const next = this.#modelsOf(config);
      // The present model is better than another one on the fallback.
      await this.#start(next.usual, false);
      if (this.#isClosed) {
        await next.close();
        return;
      }
      next.setTimeout(this.#config.timeout_ms);
      this.#models = next;
      this.#problem('backend', next.problem);
      this.#problem('model', null);
      this.#problem('high', null);
    } catch (error) {
      log.error('the model cannot be loaded', { weights: config.weights, reason: errorText(error) });
      this.#problem(
        'model',
        `the model \`${config.weights}\` cannot be loaded, version ${former.usual.manifest.version} of ${former.usual.manifest.name} computes: ${errorText(error)}`,
      );
      return;
    }
    await former.retire();
  }

  async process(given: Window): Promise<Output<PoseFrame>> {
    const window = withUsableLinks(given);
    const leftOut = leftOutOf(given);
    const problem = problemOf(window);
    if (problem) return failed(window, 'pose.window.unfit', problem, false);
    // Checked once, to see whether there is anything to infer; each attempt then copies the data again.
    const first = requestOf(window, this.#context.links, this.#calibration);
    if (!first) return { data: [this.#poseFrameOf(window, null, leftOut)] };
    let next: typeof first | null = first;
    const model = await this.#models.of(window);
    try {
      const answer = await model.follow(
        model.inference.infer(() => {
          const request = next ?? requestOf(window, this.#context.links, this.#calibration)!;
          next = null;
          return request;
        }),
      );
      return { data: [this.#poseFrameOf(window, { ...answer, model }, leftOut)] };
    } catch (error) {
      return failed(window, 'pose.inference.failed', errorText(error), true);
    }
  }

  settle({ data, ...answer }: Output<PoseFrame | SensedEvent>): Output<PoseFrame | SensedEvent> {
    const given = data.find((record) => record.port === 'pose');
    const model = given && this.#answers.get(given)?.model;
    const results = data.map((record) => (record.port === 'pose' ? this.#inContext(record) : record));
    const result = results.find(({ port }) => port === 'pose') ?? answer.failed?.[0]?.record;
    if (result === undefined) return { ...answer, data: results };
    // Of the model that computed it: the other one may work.
    const { problem } = model ?? this.#models.now((result as PoseFrame).environment);
    const event = this.#backendHealth.eventOf(result as PoseFrame, this.#config.backend, problem);
    return { ...answer, data: event ? [...results, event] : results };
  }

  snapshot(): MemorySnapshot {
    return {
      ...this.#memories.snapshot((environment) => this.#sizeOf(environment)),
      degraded: this.#backendHealth.snapshot(),
    };
  }

  restore({ degraded = [], ...memories }: MemorySnapshot): void {
    this.#backendHealth.restore(degraded);
    const { environments, log } = this.#context;
    const sizeOf = (environment: string) => environments.find(({ id }) => id === environment)?.size;
    const dropped = this.#memories.restore(memories, sizeOf, this.#models.memories);
    for (const environment of dropped)
      log.info('the memory of a room is dropped: the model or the room has changed', { environment });
    for (const [environment, memory] of this.#memories.written) this.#models.restore(environment, memory);
  }

  describe(): Readonly<Record<string, unknown>> {
    const [usual, high = null] = this.#models.serving;
    return describeModels(usual!, high);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#models.close();
    await this.#changes;
  }

  /** By how many decibels the changes of each environment are reduced. */
  #reducedBy(): Readonly<Record<string, number>> {
    const { environments } = this.#context;
    return Object.fromEntries(environments.map(({ id }) => [id, reducedBy(this.#calibration, id)]));
  }

  #calibratedLinks(): number {
    return [...this.#context.links].filter(({ link }) => profileIn(this.#calibration, link.id) !== null)
      .length;
  }

  #poseFrameOf(
    window: Window,
    answer: (Answer & { readonly model: ServedModel }) | null,
    leftOut: readonly LeftOutLink[],
  ): PoseFrame {
    const { manifest } = answer?.model ?? this.#models.now(window.environment);
    const { name, version, trainedOn, accuracy } = manifest;
    const length = window.points * window.step;
    const poseFrame: PoseFrame = {
      port: 'pose',
      frameId: window.index,
      environment: window.environment,
      time: window.start + length / 2,
      windowEnd: window.start + length,
      processingMs: Math.round((answer?.milliseconds ?? 0) * 1000) / 1000,
      persons: answer ? this.#alone(answer.sight, manifest) : [],
      ...(answer && { counts: answer.sight.counts.map(rounded) }),
      links: window.links.length,
      ...(leftOut.length > 0 && { leftOut }),
      signalQuality: this.#quality(window),
      provenance: { origin: window.provenance.origin, model: { name, version, trainedOn, accuracy } },
    };
    if (!answer) return poseFrame;
    const motion = window.links.length < LOCATING_LINKS ? strongestMotion(window) : NaN;
    this.#answers.set(poseFrame, { sight: answer.sight, model: answer.model, motion });
    return poseFrame;
  }

  /** The result of one window, combined with the preceding ones. */
  #inContext(poseFrame: PoseFrame): PoseFrame {
    const answer = this.#answers.get(poseFrame);
    if (!answer) return poseFrame;
    const { sight, model, motion } = answer;
    const { memory: trained } = model.manifest;
    if (!model.memory || !trained) return poseFrame;
    const { environment, time, links } = poseFrame;
    const { reading } = sight;
    if (!reading) throw new Error('the network’s thread has no memory, although the model has one');
    const size = this.#sizeOf(environment);
    const before = this.#memories.continued(environment, trained.sha256);
    const said = recall(model.memory, before, { reading, time, size });
    if (!said) return poseFrame;
    this.#memories.keep(environment, { memory: trained.sha256, remembered: said.remembered });
    const law = trained.confirmation ?? null;
    const { newcomers } = this.#memories;
    const counts = newcomers.counts(law, said.recall, { environment, time, links, motion });
    const { calibration } = trained;
    const seen = inView(sight, said.recall, size, calibration);
    const { presence } = this.#config;
    const from = newcomers.keeps(poseFrame) ? keptFrom(presence) : presence;
    const persons = this.#people(seen, counts, calibration, from);
    return { ...poseFrame, counts: counts.map(rounded), persons };
  }

  #alone(sight: Answered, { calibration }: Manifest): Person[] {
    return this.#people(ofOneWindow(sight, calibration), sight.counts, calibration);
  }

  #people(
    people: readonly PersonEstimate[],
    counts: readonly number[],
    { joints }: ErrorCalibration,
    presence = this.#config.presence,
  ): Person[] {
    const options = { presence, articulateBelow: this.#config.articulate_below_m };
    return peopleOf(people, counts, joints, options);
  }

  #sizeOf(environment: string): Environment['size'] {
    return this.#context.environments.find(({ id }) => id === environment)!.size;
  }

  /** Share of points with a frame near enough, over all links of the environment. */
  #quality(window: Window): number {
    const environment = this.#context.environments.find(({ id }) => id === window.environment);
    const links = Math.max(window.links.length, environment?.links.length ?? 0);
    const filled = window.links.reduce((sum, link) => sum + 1 - shareOf(link.gaps), 0);
    return links === 0 ? 0 : Math.round((1000 * filled) / links) / 1000;
  }
}

/** The network's output for a window, whose it is, and the motion of the window's strongest link. */
interface Inferred {
  readonly sight: Answered;
  readonly model: ServedModel;
  /** NaN: not measured. */
  readonly motion: number;
}

interface MemorySnapshot extends StoredMemories {
  /** Environments that have an event of a lost backend. Absent in older snapshots. */
  readonly degraded?: readonly string[];
}

const rounded = (probability: number): number => Math.round(1000 * probability) / 1000;

/** A window in a dead letter: its time, without its values. */
function failed(window: Window, code: string, reason: string, retriable: boolean): Output<PoseFrame> {
  const { environment, index, start, step, points } = window;
  const links = window.links.map(({ id, layout }) => ({ id, layout }));
  const record = { port: 'window', environment, index, start, step, points, links };
  return { data: [], failed: [{ record, code, reason, retriable }] };
}
