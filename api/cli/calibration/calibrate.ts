import { ProfileLearner } from '../../../operators/infer-pose/profiles.js';
import { writeProfiles, type Profiles } from '../../../operators/infer-pose/weights.js';
import { formatProblem, loadTopology, type CheckedTopology } from '../../../pipeline/config/index.js';
import { listenTo, readBy } from '../../../pipeline/runtime/listen.js';
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
  const component = topology.nodes.find(({ id }) => id === node)?.component;
  if (component?.kind !== 'operator' || !component.outputs.includes('window')) {
    throw new CommandError(`${node} of ${topology.id} is no operator that gives windows`, EXIT.invalid);
  }
  const learner = new ProfileLearner();
  let first: number | undefined;
  settings.print(`listening to ${node} for ${settings.seconds} s; nobody may be in the room`);
  const links = await listenTo(topology, node, (window) => {
    if (window.port !== 'window') return false;
    first ??= window.start;
    learner.add(window);
    return (window.start - first) / 1e6 >= settings.seconds;
  });
  const profiles = learner.profiles();
  if (Object.keys(profiles).length === 0) {
    throw new CommandError(`${node} gave no window with frames: do the links of ${file} send?`);
  }
  const missing = [...links].map(({ link }) => link.id).filter((id) => !(id in profiles));
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
  const node = readBy(topology, 'infer-pose', 'window');
  if (node !== undefined) return node;
  throw new CommandError(
    `${topology.id} has no infer-pose: name its window operator with --node`,
    EXIT.invalid,
  );
}
