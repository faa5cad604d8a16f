import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { ProfileLearner } from '../../../operators/infer-pose/profiles.js';
import { writeProfiles, type Profiles } from '../../../operators/infer-pose/weights.js';
import { defineSink } from '../../../pipeline/component/index.js';
import {
  formatProblem,
  loadTopology,
  type CheckedNode,
  type CheckedTopology,
} from '../../../pipeline/config/index.js';
import type { Window } from '../../../pipeline/model/index.js';
import { createRunner } from '../../../pipeline/runtime/runner.js';
import { createLogger } from '../../../pipeline/telemetry/log.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { components } from '../../components.js';

export interface CalibrateSettings {
  /** Seconds of event time to listen for. */
  readonly seconds: number;
  /** File to be written. */
  readonly out: string;
  /** Id of the window operator; default: the one that the first `infer-pose` reads. */
  readonly node?: string;
  readonly print: (line: string) => void;
}

/**
 * Runs a topology's sources and operators up to its windows while nobody is in the room, and writes the
 * empty-room profile of each link. Nothing else of the topology runs, and none of its state is touched.
 *
 * @throws CommandError where the topology is invalid, has no windows, or no frame came
 */
export async function calibrateTopology(file: string, settings: CalibrateSettings): Promise<Profiles> {
  const topology = load(file);
  const node = settings.node ?? windowsOf(topology);
  const learner = new ProfileLearner();
  let heardEnough: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => {
    heardEnough = resolve;
  });
  let first: number | undefined;
  const take = (window: Window): void => {
    first ??= window.start;
    learner.add(window);
    if ((window.start - first) / 1e6 >= settings.seconds) heardEnough();
  };
  const stateFolder = await mkdtemp(join(tmpdir(), 'csiflow-calibrate-'));
  const runner = createRunner(upTo(topology, node, stateFolder, take), {
    log: createLogger({ level: 'warn' }),
  });
  settings.print(`listening to ${node} for ${settings.seconds} s; nobody may be in the room`);
  try {
    await runner.start();
    await Promise.race([enough, runner.finished()]);
  } finally {
    await runner.stop({ force: true, saveState: false });
    await rm(stateFolder, { recursive: true, force: true });
  }
  const profiles = learner.profiles();
  if (Object.keys(profiles).length === 0) {
    throw new CommandError(`${node} gave no window with frames: do the links of ${file} send?`);
  }
  const missing = [...runner.links].map(({ link }) => link.id).filter((id) => !(id in profiles));
  if (missing.length > 0) settings.print(`without a profile, as no frames came: ${missing.join(', ')}`);
  writeProfiles(settings.out, profiles);
  settings.print(`wrote the profiles of ${Object.keys(profiles).length} links to ${settings.out}`);
  return profiles;
}

function load(file: string): CheckedTopology {
  const secrets = process.env['CSIFLOW_SECRETS'];
  const { topology, problems } = loadTopology(file, components, { env: process.env, secrets });
  if (topology) return topology;
  throw new CommandError(problems.map((problem) => formatProblem(problem)).join('\n'), EXIT.invalid);
}

/** The windows that the first infer-pose reads. */
function windowsOf(topology: CheckedTopology): string {
  const reader = topology.nodes.find(({ component }) => component.name === 'infer-pose');
  const edge = reader?.inputs.find(({ ports }) => ports.includes('window'));
  if (edge) return edge.from;
  throw new CommandError(
    `${topology.id} has no infer-pose: name its window operator with --node`,
    EXIT.invalid,
  );
}

/** The part of a topology that `node` needs, with `take` behind it and a state of its own. */
function upTo(
  topology: CheckedTopology,
  node: string,
  stateFolder: string,
  take: (window: Window) => void,
): CheckedTopology {
  const byId = new Map(topology.nodes.map((one) => [one.id, one]));
  const component = byId.get(node)?.component;
  if (component?.kind !== 'operator' || !component.outputs.includes('window')) {
    throw new CommandError(`${node} of ${topology.id} is no operator that gives windows`, EXIT.invalid);
  }
  const needed = new Set<string>();
  const need = (id: string): void => {
    needed.add(id);
    for (const { from } of byId.get(id)?.inputs ?? []) need(from);
  };
  need(node);
  const listener: CheckedNode = {
    id: 'calibration',
    component: collector(take),
    config: {},
    inputs: [{ from: node, ports: ['window'] }],
    queue: null,
    secrets: [],
    hash: 'calibration',
  };
  return {
    ...topology,
    nodes: [...topology.nodes.filter(({ id }) => needed.has(id)), listener],
    settings: { ...topology.settings, journal: false, stateFolder },
  };
}

const collector = (take: (window: Window) => void) =>
  defineSink({
    name: 'calibration',
    summary: 'Hands windows to the calibration.',
    inputs: ['window'],
    recovery: 'at-least-once',
    config: Type.Object({}, { additionalProperties: false }),
    examples: [],
    create: () => ({
      open: async () => undefined,
      write: async (records) => {
        for (const record of records) take(record);
        return [];
      },
      flush: async () => undefined,
      close: async () => undefined,
    }),
  });
