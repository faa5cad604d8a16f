import { ProfileLearner } from '../../../operators/infer-pose/windows/profiles.js';
import { writeProfiles, type Profiles } from '../../../operators/infer-pose/model/weights.js';
import type { Registry } from '../../../pipeline/component/index.js';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import { listenTo } from '../../../pipeline/runtime/listen.js';
import { calibratedNetwork } from '../../service/configuration/answering.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { components } from '../../components.js';
import { loadForCommand } from '../topologies.js';
import { calibrators, learning, type LearntLinks } from './learning.js';

export interface CalibrateSettings {
  /** Seconds of event time to listen for. */
  readonly seconds: number;
  /** Output file. */
  readonly out: string;
  /** Id of the window operator; default: the one that the first calibrated pose network reads. */
  readonly node?: string;
  /** Default: the shipped components. */
  readonly registry?: Registry;
  readonly print: (line: string) => void;
  /** Called after each window or block, with the seconds of event time received so far. */
  readonly progress?: (seconds: number) => void;
}

/** Content of a calibration file. */
export interface Measured {
  /** Links of the windows, for the pose network. */
  readonly profiles: Profiles;
  /** Links of the frames, for `calibrate`: a list of layouts each. */
  readonly links: LearntLinks;
}

/** How long to wait for links that start later than others, microseconds. */
const LATE = 10_000_000;
/** Time without frames does not count: listening ends after this many times its duration. */
const PATIENCE = 3;

/**
 * Runs a topology's sources and operators up to its windows while the room is empty, and writes the
 * calibrations of its `calibrate` nodes and the empty-room profile of each link. Nothing else of the topology
 * runs, and its state is not touched.
 *
 * @throws CommandError if the topology is invalid, has nothing to calibrate, or receives no frame
 */
export async function calibrateTopology(file: string, settings: CalibrateSettings): Promise<Measured> {
  const topology = loadForCommand(
    file,
    { env: process.env, secrets: process.env['CSIFLOW_SECRETS'] },
    settings.registry ?? components,
  );
  const links: Record<string, object[]> = {};
  const listening = learning(topology, settings.seconds, links);
  const windows = settings.node ?? calibratedNetwork(topology)?.windows;
  if (windows === undefined && calibrators(topology).length === 0)
    throw new CommandError(
      `${topology.id} has neither a calibrated pose network, such as infer-pose, nor calibrate: pass its window operator with --node`,
      EXIT.invalid,
    );
  const profiles = windows === undefined ? {} : await profilesOf(listening.topology, windows, file, settings);
  for (const node of listening.left()) await learnAt(listening.topology, node, settings);
  if (calibrators(topology).length > 0) {
    const known = Object.keys(links).length;
    if (known === 0) throw new CommandError(`no link of ${file} sent frames for ${settings.seconds} s`);
    settings.print(`calibrated ${known} links`);
  }
  writeProfiles(settings.out, profiles, Object.keys(links).length > 0 ? { links } : {});
  const what = windows === undefined ? '' : `the profiles of ${Object.keys(profiles).length} links to `;
  settings.print(`wrote ${what}${settings.out}`);
  return { profiles, links };
}

/** Empty-room profiles from the windows of a node. */
async function profilesOf(
  topology: CheckedTopology,
  node: string,
  file: string,
  { seconds, print, progress }: CalibrateSettings,
): Promise<Profiles> {
  const component = topology.nodes.find(({ id }) => id === node)?.component;
  if (component?.kind !== 'operator' || !component.outputs.includes('window')) {
    throw new CommandError(`${node} of ${topology.id} is not an operator that outputs windows`, EXIT.invalid);
  }
  const learner = new ProfileLearner();
  let first: number | undefined;
  print(`listening to ${node} for ${seconds} s; the room must be empty`);
  const links = await listenTo(topology, node, (window) => {
    if (window.port !== 'window') return false;
    first ??= window.start;
    learner.add(window);
    progress?.(Math.min(learner.heardSeconds, seconds));
    return learner.heardSeconds >= seconds || window.start - first >= PATIENCE * seconds * 1e6;
  });
  const profiles = learner.profiles();
  if (Object.keys(profiles).length === 0) {
    throw new CommandError(`${node} output no window with frames: check that the links of ${file} send`);
  }
  if (learner.heardSeconds < seconds)
    print(
      `frames arrived in ${learner.heardSeconds.toFixed(0)} of ${seconds} s: the profiles are less exact`,
    );
  const missing = [...links].map(({ link }) => link.id).filter((id) => !(id in profiles));
  if (missing.length > 0) print(`no profile, because no frames arrived: ${missing.join(', ')}`);
  return profiles;
}

/** Listens to a `calibrate` node until it has learnt its links: it passes their frames from then on. */
async function learnAt(
  topology: CheckedTopology,
  node: string,
  { seconds, print, progress }: CalibrateSettings,
): Promise<void> {
  let first: number | undefined;
  print(`listening to ${node} for ${seconds} s; the room must be empty`);
  await listenTo(topology, node, (block) => {
    if (block.port !== 'csi') return false;
    first ??= block.time[0]!;
    const waited = block.time[0]! - first;
    progress?.(waited / 1e6);
    return waited >= LATE;
  });
}
