import type { Environment } from '../../pipeline/model/index.js';
import type { ServedEnvironment } from '../service/deployment/environments.js';
import { PoseView } from './pose.js';

const views = new WeakMap<Environment, PoseView>();

/** The current view of an environment: applying a new file may have changed it. */
export function viewOf({ environment, running }: ServedEnvironment): PoseView {
  const known = views.get(environment);
  if (known) return known;
  const made = new PoseView(environment, running.topology.id);
  views.set(environment, made);
  return made;
}
