import { ProfileLearner } from '../../../operators/infer-pose/windows/profiles.js';
import { writeCalibration, type Profiles } from '../../../operators/infer-pose/model/calibration.js';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import { listenTo } from '../../../pipeline/runtime/listen.js';
import { calibratedNetwork } from '../../service/configuration/answering.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { components } from '../../components.js';
import { loadForCommand } from '../topologies.js';
import { hearWindows } from './hear.js';
import { calibrators, learning } from './learning.js';
import type { CalibrateSettings, HearSettings, Measured } from './settings.js';
import { formerOf, withWalker } from './walker.js';

/** How long to wait for links that start later than others, microseconds. */
const LATE = 10_000_000;
const EMPTY = 'the room must be empty';

/**
 * Runs a topology's sources and operators up to its windows while the room is empty, and writes the
 * calibrations of its `calibrate` nodes and the empty-room profile of each link; or, with a walker, adds the echo of
 * each room. Nothing else of the topology runs, and its state is not touched.
 *
 * @throws CommandError if the topology is invalid, has nothing to calibrate, or receives no frame
 */
export async function calibrateTopology(file: string, settings: CalibrateSettings): Promise<Measured> {
  const topology = loadForCommand(
    file,
    { env: process.env, secrets: process.env['CSIFLOW_SECRETS'] },
    settings.registry ?? components,
  );
  const windows = settings.node ?? calibratedNetwork(topology)?.windows;
  if (settings.walker) return withWalker(topology, windows, settings);
  // Before a minute of listening: is it a file to write to?
  formerOf(settings.out);
  const links: Record<string, object[]> = {};
  const listening = learning(topology, settings.seconds, links);
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
  const { echoes } = formerOf(settings.out);
  writeCalibration(settings.out, { profiles, echoes }, Object.keys(links).length > 0 ? { links } : {});
  const what = windows === undefined ? '' : `the profiles of ${Object.keys(profiles).length} links to `;
  settings.print(`wrote ${what}${settings.out}`);
  return { profiles, echoes, links };
}

/** Empty-room profiles from the windows of a node. */
async function profilesOf(
  topology: CheckedTopology,
  node: string,
  file: string,
  settings: HearSettings,
): Promise<Profiles> {
  const learner = new ProfileLearner();
  const what = { wanted: EMPTY, less: 'the profiles are' };
  const links = await hearWindows(topology, node, learner, { ...settings, ...what });
  const profiles = learner.profiles();
  if (Object.keys(profiles).length === 0) {
    throw new CommandError(`${node} output no window with frames: check that the links of ${file} send`);
  }
  const missing = [...links].map(({ link }) => link.id).filter((id) => !(id in profiles));
  if (missing.length > 0) settings.print(`no profile, because no frames arrived: ${missing.join(', ')}`);
  return profiles;
}

/** Listens to a `calibrate` node until it has learnt its links: it passes their frames from then on. */
async function learnAt(
  topology: CheckedTopology,
  node: string,
  { seconds, print, progress }: CalibrateSettings,
): Promise<void> {
  let first: number | undefined;
  print(`listening to ${node} for ${seconds} s; ${EMPTY}`);
  await listenTo(topology, node, (block) => {
    if (block.port !== 'csi') return false;
    first ??= block.time[0]!;
    const waited = block.time[0]! - first;
    progress?.(waited / 1e6);
    return waited >= LATE;
  });
}
