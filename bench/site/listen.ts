import { resolve } from 'node:path';
import { Type } from 'typebox';
import { chooseModels } from '../../operators/infer-pose/model/choose-models.js';
import type { Network } from '../../operators/infer-pose/networks/network.js';
import { RoomBands } from '../../operators/infer-pose/windows/band.js';
import { problemOf, requestOf, type Request } from '../../operators/infer-pose/windows/request.js';
import {
  readCalibration,
  UNCALIBRATED,
  type RoomCalibration,
} from '../../operators/infer-pose/model/calibration.js';
import { modelFolder } from '../../operators/infer-pose/model/weights.js';
import { withUsableLinks } from '../../operators/shared/usable-links.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { defineOperator } from '../../pipeline/component/index.js';
import type { CheckedTopology } from '../../pipeline/config/index.js';
import { LinkTable, type Window } from '../../pipeline/model/index.js';
import { readBy } from '../../pipeline/runtime/listen.js';
import { playlist, type Played } from '../accuracy/chain/inputs.js';
import { feed, type Observed } from '../accuracy/chain/scene.js';
import { batches, shownTo, type ShownWindow } from '../memory/courses.js';

/** A window of a recording, as network input. */
export interface HeardWindow extends ShownWindow {
  /** Event time as played, microseconds. */
  readonly start: number;
  readonly end: number;
}

/** A topology whose `infer-pose` uses this model. @param folder absolute */
export const withModel = (topology: CheckedTopology, folder: string): CheckedTopology => ({
  ...topology,
  nodes: topology.nodes.map((node) =>
    node.component.name === 'infer-pose' ? { ...node, config: { ...node.config, weights: folder } } : node,
  ),
});

/** The model folders and the calibration of an `infer-pose`. */
interface PoseSettings {
  readonly usual: string;
  /** For rooms at 5 GHz. */
  readonly high: string;
  readonly calibration: string | null;
}

/** Those of a topology. @throws CommandError if it has no `infer-pose` */
export function poseSettings(topology: CheckedTopology): PoseSettings {
  const config = topology.nodes.find(({ component }) => component.name === 'infer-pose')?.config as
    { readonly weights: string; readonly calibration?: string } | undefined;
  if (!config)
    throw new CommandError(`${topology.id} has no infer-pose: nothing of it can be trained`, EXIT.invalid);
  const { usual, high } = chooseModels(config.weights, topology.environments);
  const { calibration } = config;
  return {
    usual: modelFolder(usual, topology.folder),
    high: modelFolder(high ?? usual, topology.folder),
    calibration: calibration === undefined ? null : resolve(topology.folder, calibration),
  };
}

/** Sink output for recordings, and the input of the pose network. */
export interface Heard {
  readonly observed: Observed;
  readonly windows: readonly HeardWindow[];
  readonly played: readonly Played[];
  /** Folder of the model for the room's band. */
  readonly model: string;
}

/**
 * Plays recordings one after another through every node of a topology.
 * @param networkOf the pose network of a model's folder
 */
export async function listenToRecordings(
  topology: CheckedTopology,
  networkOf: (model: string) => Network,
  recordings: readonly string[],
): Promise<Heard> {
  const node = readBy(topology, 'infer-pose', 'window')!;
  const listener = new Listener(networkOf, topology);
  const played: Played[] = [];
  const input = playlist(recordings, played, { isEnough: () => listener.problem !== null });
  const { observed } = await feed(besides(topology, node, listener), input);
  if (listener.problem !== null) throw new CommandError(listener.problem, EXIT.invalid);
  return { observed, windows: listener.end(), played, model: listener.model };
}

/** A topology that also sends a node's windows to a listener. */
const besides = (topology: CheckedTopology, node: string, listener: Listener): CheckedTopology => ({
  ...topology,
  nodes: [
    ...topology.nodes,
    {
      id: `${node} (listener)`,
      component: defineOperator({
        name: 'listener',
        summary: 'Shows windows to the pose network that trainings use.',
        inputs: ['window'],
        outputs: ['measure'],
        config: Type.Object({}),
        stateFields: [],
        timeFields: [],
        examples: [],
        create: () => ({
          process: (window: Window) => {
            listener.take(window);
            return { data: [] };
          },
        }),
      }),
      config: {},
      inputs: [{ from: node, ports: ['window'] }],
      queue: null,
      secrets: [],
      hash: 'listener',
    },
  ],
});

/** Windows per inference of the network. */
const WAITING = 30;

/** Runs the network on windows as they arrive, because its output is a tenth of their size. */
class Listener {
  readonly #networkOf: (model: string) => Network;
  readonly #table: LinkTable;
  readonly #calibration: RoomCalibration;
  readonly #bands: RoomBands;
  readonly #settings: PoseSettings;
  /** Folder of the model for the first window; null before it. */
  #model: string | null = null;
  #network: Network | null = null;
  /** The network cannot read the windows, or they need two of them. An operator must not throw it. */
  problem: string | null = null;
  readonly #windows: HeardWindow[] = [];
  #waiting: Waiting[] = [];

  constructor(networkOf: (model: string) => Network, topology: CheckedTopology) {
    this.#settings = poseSettings(topology);
    const { calibration } = this.#settings;
    this.#networkOf = networkOf;
    this.#table = new LinkTable(topology.environments);
    this.#calibration = calibration === null ? UNCALIBRATED : readCalibration(calibration);
    this.#bands = new RoomBands(topology.environments);
  }

  /** Folder of the model that all windows need; without any, the usual one. */
  get model(): string {
    return this.#model ?? this.#settings.usual;
  }

  take(given: Window): void {
    const window = withUsableLinks(given);
    // Without a usable link, it says nothing of the band.
    if (window.links.length === 0) return;
    this.#bands.hear(window);
    this.problem ??= problemOf(window) ?? this.#otherModel(window.environment);
    if (this.problem !== null) return;
    const request = requestOf(window, this.#table, this.#calibration);
    if (!request) return;
    const end = window.start + window.points * window.step;
    if (this.#waiting.push({ request, start: window.start, end }) >= WAITING) this.#read();
  }

  #otherModel(room: string): string | null {
    const model = this.#bands.isHigh(room) ? this.#settings.high : this.#settings.usual;
    this.#model ??= model;
    return model !== this.#model
      ? 'some of these recordings are at 2.4 GHz, others at 5 GHz: train a model for each band, from its own recordings'
      : null;
  }

  end(): readonly HeardWindow[] {
    this.#read();
    return this.#windows;
  }

  #read(): void {
    if (this.#waiting.length === 0) return;
    this.#network ??= this.#networkOf(this.model);
    this.#windows.push(...shown(this.#network, this.#waiting));
    this.#waiting = [];
  }
}

interface Waiting {
  readonly request: Request;
  readonly start: number;
  readonly end: number;
}

const shown = (network: Network, waiting: readonly Waiting[]): HeardWindow[] =>
  [...batches(waiting)].flatMap((batch) => {
    const requests = batch.map(({ request }) => request);
    return shownTo(network, requests).map((one, i) => {
      const { start, end } = batch[i]!;
      return { ...one, start, end };
    });
  });
