import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { AgainstReference, divideByAntenna } from '../shared/against-antenna.js';
import { mapFrames } from '../shared/frame-mapper.js';
import {
  LEARN_FRAMES,
  REFERENCE_ANTENNA,
  ReferenceAntenna,
  refuseAntennas,
} from '../shared/reference-antenna.js';

export const csiRatio = defineOperator({
  name: 'csi-ratio',
  summary: 'Divides the values of each antenna by those of a reference antenna.',
  description: `
Use it if the phase over time matters and a receiver has two antennas or more: breathing, Doppler, gestures. It replaces
\`phase-sanitize\`.

All antennas of a receiver share one oscillator, one clock and, most often, one gain, so the offsets that these add to each
packet (carrier frequency, packet detection, automatic gain) are the same in H_a and H_b and cancel in H_a / H_b. The
ratio moves on a circle while one path changes its length: it is a Möbius transform of that path's phase.

A frame of N antennas becomes one of N - 1, in their order, without the reference. Without \`reference_antenna\` the reference is
the antenna with the largest mean of mean(|H|) / var(|H|) over its subcarriers in the first \`learn_frames\` frames of a link;
these frames are dropped and counted as \`reference_unknown\`. The choice is part of checkpoints.

Gotchas: when the reference fades, the ratio becomes large and noisy; \`conjugate-multiply\` avoids this but retains the gain. A
value is 0 if the reference is zero or not a number. Frames with one antenna are dropped as \`one_antenna\`, and the node is
degraded and names the link. Amplitudes are ratios: \`detect-motion\` and the networks do not expect them.

Source: Zeng et al., FarSense: Pushing the Range Limit of WiFi-based Respiration Sensing with CSI Ratio of Two Antennas
(UbiComp 2019).
`,
  inputs: ['csi'],
  outputs: ['csi'],
  config: Type.Object(
    { reference_antenna: REFERENCE_ANTENNA, learn_frames: LEARN_FRAMES },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'With the steadiest antenna', config: {} },
    { title: 'With the first antenna, from the first frame', config: { reference_antenna: 0 } },
  ],
  create: ({ reference_antenna: antenna, learn_frames: learn }, context) =>
    mapFrames(
      context,
      (layout) =>
        refuseAntennas(layout, antenna) ??
        new AgainstReference(layout, new ReferenceAntenna(layout, antenna, learn), divideByAntenna),
    ),
});
