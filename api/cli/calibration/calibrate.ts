import { ProfileLearner } from '../../../operators/infer-pose/profiles.js';
import { writeProfiles, type Profiles } from '../../../operators/infer-pose/weights.js';
import { formatProblem, loadTopology, type CheckedTopology } from '../../../pipeline/config/index.js';
import { listenTo, readBy } from '../../../pipeline/runtime/listen.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { components } from '../../components.js';
import { calibrators, learning, type LearntLinks } from './learning.js';

export interface CalibrateSettings {
  /** Seconds of event time to listen for. */
  readonly seconds: number;
  /** File to be written. */
  readonly out: string;
  /** Id of the window operator; default: the one that the first `infer-pose` reads. */
  readonly node?: string;
  readonly print: (line: string) => void;
}

/** What a calibration file holds. */
export interface Measured {
  /** Of the windows' links, for `infer-pose`. */
  readonly profiles: Profiles;
  /** Of the frames' links, for `calibrate`: a list of layouts each. */
  readonly links: LearntLinks;
}

/** Links that begin to send later than others are waited for, microseconds. */
const LATE = 10_000_000;

/**
 * Runs a topology's sources and operators up to its windows while nobody is in the room, and writes what its
 * `calibrate` nodes learn of each link, and the empty-room profile of each link behind them. Nothing else of the topology
 * runs, and none of its state is touched.
 *
 * @throws CommandError where the topology is invalid, has nothing to calibrate, or no frame came
 */
export async function calibrateTopology(file: string, settings: CalibrateSettings): Promise<Measured> {
  const topology = load(file);
  const links: Record<string, object[]> = {};
  const listening = learning(topology, settings.seconds, links);
  const windows = settings.node ?? readBy(topology, 'infer-pose', 'window');
  if (windows === undefined && calibrators(topology).length === 0)
    throw new CommandError(
      `${topology.id} has no infer-pose and no calibrate: name its window operator with --node`,
      EXIT.invalid,
    );
  const profiles = windows === undefined ? {} : await profilesOf(listening.topology, windows, file, settings);
  for (const node of listening.left()) await learnAt(listening.topology, node, settings);
  if (calibrators(topology).length > 0) {
    const known = Object.keys(links).length;
    if (known === 0) throw new CommandError(`no link of ${file} sent frames for ${settings.seconds} s`);
    settings.print(`learnt the frames of ${known} links`);
  }
  writeProfiles(settings.out, profiles, Object.keys(links).length > 0 ? { links } : {});
  settings.print(`wrote the profiles of ${Object.keys(profiles).length} links to ${settings.out}`);
  return { profiles, links };
}

/** Empty-room profiles from the windows of a node. */
async function profilesOf(
  topology: CheckedTopology,
  node: string,
  file: string,
  { seconds, print }: CalibrateSettings,
): Promise<Profiles> {
  const component = topology.nodes.find(({ id }) => id === node)?.component;
  if (component?.kind !== 'operator' || !component.outputs.includes('window')) {
    throw new CommandError(`${node} of ${topology.id} is no operator that gives windows`, EXIT.invalid);
  }
  const learner = new ProfileLearner();
  let first: number | undefined;
  print(`listening to ${node} for ${seconds} s; nobody may be in the room`);
  const links = await listenTo(topology, node, (window) => {
    if (window.port !== 'window') return false;
    first ??= window.start;
    learner.add(window);
    return (window.start - first) / 1e6 >= seconds;
  });
  const profiles = learner.profiles();
  if (Object.keys(profiles).length === 0) {
    throw new CommandError(`${node} gave no window with frames: do the links of ${file} send?`);
  }
  const missing = [...links].map(({ link }) => link.id).filter((id) => !(id in profiles));
  if (missing.length > 0) print(`without a profile, as no frames came: ${missing.join(', ')}`);
  return profiles;
}

/** Listens to a `calibrate` node until it has learnt its links: frames of each go on once it has. */
async function learnAt(
  topology: CheckedTopology,
  node: string,
  { seconds, print }: CalibrateSettings,
): Promise<void> {
  let first: number | undefined;
  print(`listening to ${node} for ${seconds} s; nobody may be in the room`);
  await listenTo(topology, node, (block) => {
    if (block.port !== 'csi') return false;
    first ??= block.time[0]!;
    return block.time[0]! - first >= LATE;
  });
}

function load(file: string): CheckedTopology {
  const secrets = process.env['CSIFLOW_SECRETS'];
  const { topology, problems } = loadTopology(file, components, { env: process.env, secrets });
  if (topology) return topology;
  throw new CommandError(problems.map((problem) => formatProblem(problem)).join('\n'), EXIT.invalid);
}
