import { normal } from '../../../pipeline/base/random.js';
import { JOINTS } from '../networks/body.js';
import { LAYERS, OUT, PARAMETERS, OFFSETS } from '../networks/layers.js';
import { PERSON, peopleIn, personTruth, type Samples } from './samples.js';

/**
 * Weights before training: normal, scaled by the number of inputs (He et al. 2015), small for outputs, which
 * start from the mean pose.
 */
export function initialWeights(random: () => number, samples: Samples): Float32Array {
  const weights = new Float32Array(PARAMETERS);
  for (const { name, inputs } of LAYERS) {
    const { kernel, bias } = OFFSETS.get(name)!;
    const linear = name === 'out' || name === 'logit' || name === 'attention' || name === 'count';
    const deviation = (linear ? 0.3 : 1) * Math.sqrt(2 / inputs);
    for (let i = kernel; i < bias; i++) weights[i] = deviation * normal(random);
  }
  const { bias } = OFFSETS.get('out')!;
  weights.set(meanJoints(samples), bias + OUT.joints);
  for (let j = 0; j < JOINTS; j++) weights[bias + OUT.jointScales + j] = -1.5;
  return weights;
}

/** Mean pose of the people present, in the body's own axes. */
function meanJoints(samples: Samples): Float32Array {
  const mean = new Float32Array(3 * JOINTS);
  let count = 0;
  for (let s = 0; s < samples.count; s++) {
    for (let person = 0; person < peopleIn(samples.truth, s); person++) {
      const truth = personTruth(samples.truth, s, person);
      count++;
      for (let i = 0; i < mean.length; i++) mean[i]! += truth[PERSON.joints + i]!;
    }
  }
  return mean.map((sum) => sum / Math.max(1, count));
}
