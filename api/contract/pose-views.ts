import type { Environment } from '../../pipeline/model/index.js';
import type { Deployment } from '../service/deployment/deployment.js';
import { environmentOf, type Sensing } from '../service/deployment/environments.js';
import { PoseView } from './pose.js';

const views = new WeakMap<Environment, PoseView>();

/** The current view of an environment: applying a new file may have changed it. */
export function viewOfEnvironment(deployment: Pick<Deployment, Sensing>, id: string): PoseView {
  const { environment, running } = environmentOf(deployment, id);
  const known = views.get(environment);
  if (known) return known;
  const made = new PoseView(environment, running.topology.id);
  views.set(environment, made);
  return made;
}
