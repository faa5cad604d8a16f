import { resolve } from 'node:path';
import { calibratedNetwork, nodesAs } from '../configuration/answering.js';
import { conflict } from '../errors.js';
import type { Deployment } from './deployment.js';
import { environmentOf, environmentsOf, requireRunning, type Sensing } from './environments.js';
import { describeNothing, Measurement, type Asked, type Calibration, type Target } from './measurement.js';

type Parts = Pick<Deployment, Sensing | 'calibrations'>;

/** The newest measurement of an environment. @throws ApiError 404, 409 without a node to calibrate */
export function calibrationOf(deployment: Parts, id: string): Calibration {
  const target = targetOf(deployment, id);
  return deployment.calibrations.get(target.environment.id)?.describe(target) ?? describeNothing(target);
}

/** Starts to listen to the running topology. @throws ApiError also 503 unless it runs, 409 while it is measured */
export function startCalibration(
  deployment: Parts & Pick<Deployment, 'watch'>,
  id: string,
  asked: Asked,
): Calibration {
  const target = targetOf(deployment, id);
  requireRunning(target.running);
  const { calibrations, watch } = deployment;
  const { environment } = target;
  if (calibrations.get(environment.id)?.state === 'measuring')
    throw conflict(`${environment.id} is being measured already`, target.running);
  forgetRemoved(deployment);
  const measurement = new Measurement(watch, target, asked);
  calibrations.set(environment.id, measurement);
  return measurement.describe(target);
}

/** Ends it without a result. @throws ApiError 404, 409 */
export function cancelCalibration(deployment: Parts, id: string): void {
  const { environment } = targetOf(deployment, id);
  deployment.calibrations.get(environment.id)?.end();
  deployment.calibrations.delete(environment.id);
}

/**
 * Writes what was measured to the calibration file of the pose network, and restarts the topology, which then
 * reads it. Profiles of links that were not heard stay. A stopped topology reads the file when it starts.
 * @throws ApiError 409 if nothing is measured, if the topology is starting, stopping or being changed, or if
 * the file cannot be written
 */
export async function saveCalibration(deployment: Parts, id: string): Promise<Calibration> {
  const { id: topology } = targetOf(deployment, id).running.topology;
  return deployment.topologies.change(topology, async () => {
    const target = targetOf(deployment, id);
    const { running, environment } = target;
    const measurement = deployment.calibrations.get(environment.id);
    if (measurement?.state === 'saved')
      throw conflict(`the measurement of ${environment.id} is saved already`, running);
    if (measurement?.state !== 'measured')
      throw conflict(`${environment.id} is not measured: start a calibration first`, running);
    // What is starting or stopping can neither be restarted nor read the file for certain.
    if (!SETTLED.includes(running.state))
      throw conflict(`${topology} is ${running.state}: save again once it runs`, running);
    measurement.save(target);
    if (isUp(running.state)) await running.restart();
    return measurement.describe(target);
  });
}

const isUp = (state: string): boolean => state === 'running' || state === 'degraded';
const SETTLED: readonly string[] = ['running', 'degraded', 'stopped', 'failed'];

/** Environments of topologies that were removed. */
function forgetRemoved(deployment: Parts): void {
  const known = new Set(environmentsOf(deployment).map(({ environment }) => environment.id));
  for (const [id, measurement] of deployment.calibrations) {
    if (known.has(id)) continue;
    measurement.end();
    deployment.calibrations.delete(id);
  }
}

function targetOf(deployment: Parts, id: string): Target {
  const { running, environment } = environmentOf(deployment, id);
  const { topology } = running;
  const network = calibratedNetwork(topology);
  if (!network)
    throw conflict(
      `${topology.id} has no pose network with a calibration, such as infer-pose: nothing uses one`,
      running,
    );
  const { node, windows } = network;
  const { calibration } = node.config as { readonly calibration?: string };
  if (calibration === undefined)
    throw conflict(
      `${node.id} names no file: add \`calibration: ${environment.id}.calibration.json\` to it, and apply the topology`,
      running,
    );
  const motion = nodesAs(topology, 'motion-detector')[0]?.id;
  return { running, environment, windows, motion, file: resolve(topology.folder, calibration) };
}
