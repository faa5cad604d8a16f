import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { maxGap, RATE, windowFrames } from '../shared/spectrum-settings.js';
import { BodyVelocity } from './room.js';

const config = Type.Object(
  {
    rate_hz: RATE,
    window: windowFrames('Frames of a spectrum.'),
    hop_ms: Type.Number({
      minimum: 10,
      maximum: 60_000,
      default: 200,
      description: 'Time between profiles, milliseconds.',
    }),
    max_gap_ms: maxGap('spectrum'),
    max_speed_mps: Type.Number({
      exclusiveMinimum: 0,
      maximum: 20,
      default: 2,
      description: 'Velocities along x and y that are looked for go so far either way.',
    }),
    bins: Type.Integer({
      minimum: 4,
      maximum: 60,
      default: 20,
      description: 'Velocities along each axis.',
    }),
    sparsity: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.01,
      description: 'How dear each share of a profile is: more gives fewer velocities.',
    }),
    links: Type.Integer({
      minimum: 3,
      maximum: 64,
      default: 3,
      description: 'Links of a room that must have a full spectrum.',
    }),
    place: Type.Optional(
      Type.Array(Type.Number({ minimum: 0, maximum: 1000 }), {
        minItems: 2,
        maxItems: 2,
        description:
          'Where people move, [x, y] in metres, while no pose tells. Left out: the middle of the room.',
      }),
    ),
    profile: Type.Boolean({
      default: false,
      description: 'Gives the profile as well, a measure for each velocity that has a share of 1 % or more.',
    }),
  },
  { additionalProperties: false },
);

export const bodyVelocity = defineOperator({
  name: 'body-velocity',
  summary: 'Tells how fast, and in which direction of the room, a body moves.',
  description: `
Use it in a room with three links or more whose places are known and whose receivers have two antennas or more, behind
\`conjugate-multiply\` with \`raise_reference\`, \`resample\`, and \`denoise\` with a band-pass over complex values. It takes frames as
evenly spaced at \`rate_hz\`.

Each link sees only how fast its path over the body becomes shorter. Together, links in different directions tell a velocity:
every \`hop_ms\` it looks for the distribution of velocities, \`bins\` times \`bins\` from -\`max_speed_mps\` to \`max_speed_mps\` along x
and y of the room, whose Doppler spectra on all links come nearest to those measured. Nothing is negative, and few velocities
have a share (least squares with an L1 term; Widar 3.0 compares by the earth mover's distance). Limbs and trunk move at
different velocities, so there is a distribution.

\`\`\`yaml
operators:
  moving: { type: conjugate-multiply, from: receivers, raise_reference: true }
  even: { type: resample, from: moving, rate_hz: 200 }
  filtered: { type: denoise, from: even, method: butterworth, part: complex, low_hz: 2, high_hz: 60, rate_hz: 200 }
  velocity: { type: body-velocity, from: filtered, rate_hz: 200 }
\`\`\`

| measure, of the room | what |
|---|---|
| \`body_velocity_x_mps\`, \`body_velocity_y_mps\` | velocity of the trunk, in the room's axes: the middle of the shares about the place where most lie close together |
| \`body_speed_mps\` | its length |
| \`body_velocity_fit\` | how much of the spectra it explains, 0 to 1 |
| \`body_velocity_share\` | with \`profile\`: the share of the velocity that \`subject\` names, \`x=0.3,y=-1.1\` metres a second |

The frequency that a velocity gives on a link depends on where the body is: it takes the place from the poses that it also
reads (\`from: [filtered, people]\`, where they tell of one person), else from \`place\`, else the middle of the room.

Gotchas: one body. Links that cross a room in parallel tell one direction; lead them round it. Frequencies must have
their sign: behind \`phase-sanitize\`, with one antenna, simulated walkers' directions were wrong by 90 degrees and more. Frequencies
beyond half of \`rate_hz\` alias. At rest the measures are those of noise.

Sources: Zheng et al., Zero-Effort Cross-Domain Gesture Recognition with Wi-Fi (Widar 3.0, MobiSys 2019); Beck and Teboulle, FISTA
(2009). Figures on simulated walkers: docs/reports/cleaning.md.
`,
  inputs: ['csi', 'pose'],
  requires: ['csi'],
  outputs: ['measure'],
  stateFields: ['window'],
  timeFields: ['time', 'due'],
  config,
  examples: [
    { title: 'Five times a second', config: { rate_hz: 200 } },
    { title: 'Runners, and the whole profile', config: { rate_hz: 400, max_speed_mps: 5, profile: true } },
  ],
  create: (settings, context) => new BodyVelocity(settings, context),
});
