import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { AgainstReference, multiplyByConjugate, type AgainstAntenna } from '../shared/against-antenna.js';
import { amplitudeAt } from '../shared/amplitude.js';
import { mapFrames } from '../shared/frame-mapper.js';
import {
  LEARN_FRAMES,
  REFERENCE_ANTENNA,
  ReferenceAntenna,
  refuseAntennas,
} from '../shared/reference-antenna.js';

/** Added to the reference, in mean amplitudes of its weakest moments (IndoTrack, csiread). */
const RAISE = 1000;

export const conjugateMultiply = defineOperator({
  name: 'conjugate-multiply',
  summary: 'Multiplies the values of each antenna by the conjugate of a reference antenna.',
  description: `
Use it before \`doppler\`, or wherever the change of a path matters and a receiver has two antennas or
more. It replaces \`phase-sanitize\`.

Phase offsets that a receiver adds to each packet are the same on all its antennas and cancel in H_a conj(H_b). The result
consists of products of paths: those of a moving path with a still one rotate at its Doppler frequency.

A frame of N antennas becomes one of N - 1, in their order, without the reference. Without \`reference_antenna\` the reference is
the antenna with the largest mean of mean(|H|) / var(|H|) over its subcarriers in the first \`learn_frames\` frames of a link;
these frames are dropped and counted as \`reference_unknown\`. The choice is part of checkpoints.

\`raise_reference\` follows IndoTrack: it subtracts from each amplitude its smallest value, which weakens the still paths,
and adds 1,000 times the mean of these to the reference, so that its own changes matter little: the sign of the Doppler
frequency becomes visible. Both are learnt from the first \`learn_frames\` frames. The scale then has no meaning. In Widar's recordings of
a gesture the spectra stayed almost symmetrical; \`csi-ratio\` shows the sign better (docs/reports/cleaning.md).

Gotchas: unlike \`csi-ratio\` it retains changes of the receiver's gain, squared. The moving path also appears with the opposite
sign; the stronger the reference's still paths, the weaker this is. Frames with one antenna are dropped as \`one_antenna\`, and the node
is degraded and names the link. Values that are not numbers become 0.

Sources: Li et al., IndoTrack: Device-Free Indoor Human Tracking with Commodity Wi-Fi (UbiComp 2017); Zheng et al., Widar 3.0
(MobiSys 2019); \`csiWiDar3\` of csiread.
`,
  inputs: ['csi'],
  outputs: ['csi'],
  config: Type.Object(
    {
      reference_antenna: REFERENCE_ANTENNA,
      learn_frames: LEARN_FRAMES,
      raise_reference: Type.Boolean({
        default: false,
        description:
          'Lowers the amplitudes by their smallest ones and raises the reference, as IndoTrack does.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'With the steadiest antenna', config: {} },
    { title: 'Signed Doppler frequencies, as in IndoTrack', config: { raise_reference: true } },
  ],
  create: ({ reference_antenna: antenna, learn_frames: learn, raise_reference: raise }, context) =>
    mapFrames(context, (layout) => {
      const refusal = refuseAntennas(layout, antenna);
      if (refusal) return refusal;
      const reference = new ReferenceAntenna(layout, antenna, learn);
      return new AgainstReference(layout, reference, raise ? raised(reference) : multiplyByConjugate, raise);
    }),
});

/** Products with (|H_a| - alpha) (|H_b| + beta) instead of |H_a| |H_b|, once all frames to learn from have arrived. */
function raised(reference: ReferenceAntenna): AgainstAntenna {
  let beta: number | undefined;
  return (layout, antenna, input, offset, output, to) => {
    multiplyByConjugate(layout, antenna, input, offset, output, to);
    const row = layout.tx * layout.subcarriers.length;
    beta ??= (RAISE * sumOfLeast(reference, layout.rx * row)) / (layout.rx * row);
    for (let other = 0, at = to; other < layout.rx; other++) {
      if (other === antenna) continue;
      for (let i = 0; i < row; i++, at += 2) {
        const own = amplitudeAt(input, offset + 2 * (other * row + i));
        const steady = amplitudeAt(input, offset + 2 * (antenna * row + i));
        const factor = ((own - reference.least(other * row + i)) * (steady + beta)) / (own * steady);
        const usable = Math.abs(factor) < Infinity;
        output[at] = usable ? output[at]! * factor : 0;
        output[at + 1] = usable ? output[at + 1]! * factor : 0;
      }
    }
  };
}

function sumOfLeast(reference: ReferenceAntenna, columns: number): number {
  let sum = 0;
  for (let column = 0; column < columns; column++) sum += reference.least(column);
  return sum;
}
