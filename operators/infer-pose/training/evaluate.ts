import type { Environment } from '../../../pipeline/model/index.js';
import { CALIBRATED, LINK_FEATURES } from '../inputs/features.js';
import { Network, weightTensors } from '../networks/network.js';
import type { ErrorCalibration, Manifest } from '../model/weights.js';
import { accuracyOf, meanPose } from './accuracy.js';
import { calibrateErrors } from './calibrate.js';
import {
  FIRST_HELD_OUT_SEED,
  FIRST_TUNING_SEED,
  heldOutSamples,
  outcomes,
  trueJoints,
  type HeldOut,
} from './outcomes.js';
import { floorsOf, type PoseReport } from './report.js';
import type { Samples } from './samples.js';

/** Seeds of the held-out rooms: for fitting scales, and for measuring accuracy. */
export const CALIBRATION_SEED = FIRST_TUNING_SEED + 1;
export const TEST_SEED = FIRST_HELD_OUT_SEED + 101;

/** Numbers of links for which a general model is measured; the floors are those of four. */
const LINKS = [2, 3, 4, 6, 9];

/** Rooms on which a general model's scales are fitted. */
const CALIBRATED_ON = [
  { links: 3, conditions: 'wide' },
  { links: 4, conditions: 'ordinary' },
  { links: 6, conditions: 'ordinary' },
] as const;

/**
 * Fits error scales on rooms excluded from training; for a general model over several numbers of links.
 * @param centreMhz channel of all rooms; missing: 2.4 GHz, and 5 GHz in a few
 */
export function calibrate(
  weights: Float32Array,
  environment: Environment | null,
  sequences: number,
  centreMhz?: number,
): ErrorCalibration {
  const network = new Network(weightTensors(weights));
  const rooms = environment
    ? [{ links: environment.links.length, conditions: 'ordinary' as const }]
    : CALIBRATED_ON;
  const held = rooms.flatMap(({ links, conditions }, i) =>
    outcomes(
      network,
      heldOutSamples({ seed: CALIBRATION_SEED + i, sequences, links, environment, conditions, centreMhz }),
    ),
  );
  return calibrateErrors(held);
}

/** Measures a model on held-out rooms (of its own environment, if it was trained for one). */
export function evaluate(
  weights: Float32Array,
  manifest: Pick<
    Manifest,
    'name' | 'version' | 'trainedOn' | 'sha256' | 'parameters' | 'training' | 'calibration'
  >,
  environment: Environment | null,
  sequences: number,
  print: (line: string) => void,
): PoseReport {
  const network = new Network(weightTensors(weights));
  const { calibration } = manifest;
  const other: HeldOut = { seed: CALIBRATION_SEED, sequences, links: 4, environment };
  const constantPose = meanPose(trueJoints(heldOutSamples(other)));
  const counts = environment ? [environment.links.length] : LINKS;
  const links = counts.flatMap((count, i) => {
    print(`measuring with ${count} links`);
    const samples = heldOutSamples({ seed: TEST_SEED + i, sequences, links: count, environment });
    const calibrated = accuracyOf(outcomes(network, samples), calibration, constantPose);
    const row = { links: count, calibrated: true, accuracy: calibrated };
    if (count !== (environment?.links.length ?? 4)) return [row];
    const without = accuracyOf(outcomes(network, withoutCalibration(samples)), calibration, constantPose);
    return [row, { links: count, calibrated: false, accuracy: without }];
  });
  const four = links.find((row) => row.links === 4 && row.calibrated);
  const { name, version, trainedOn, sha256, parameters, training } = manifest;
  return {
    model: { name, version, trainedOn, sha256, parameters, training, calibration },
    heldOut: {
      seed: TEST_SEED,
      sequences,
      place: environment
        ? `each with different wall materials, furniture, body and motion in \`${environment.id}\``
        : 'each with a different room, layout, body and motion',
    },
    links,
    floors: environment || !four ? [] : floorsOf(four.accuracy),
  };
}

/** The same windows as seen by a user without an empty-room calibration. */
function withoutCalibration(samples: Samples): Samples {
  const features = samples.features.slice();
  for (let at = CALIBRATED.start; at < features.length; at += LINK_FEATURES) {
    features.fill(0, at, at + CALIBRATED.length);
  }
  return { ...samples, features };
}
