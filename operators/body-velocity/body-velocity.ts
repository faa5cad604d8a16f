import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { maxGap, RATE, windowFrames } from '../shared/spectrum-settings.js';
import { BodyVelocity } from './room.js';
import { WRITES } from './written.js';

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
      description: 'Largest velocity along x and y, in either direction.',
    }),
    bins: Type.Integer({
      minimum: 4,
      maximum: 60,
      default: 20,
      description: 'Number of velocities along each axis.',
    }),
    sparsity: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.01,
      description: 'Penalty on each share of a profile: higher values give fewer velocities.',
    }),
    links: Type.Integer({
      minimum: 3,
      maximum: 64,
      default: 3,
      description: 'Number of links of a room that must have a full spectrum.',
    }),
    place: Type.Optional(
      Type.Array(Type.Number({ minimum: 0, maximum: 1000 }), {
        minItems: 2,
        maxItems: 2,
        description:
          'Where people move, [x, y] in metres, if no pose provides it. Default: the middle of the room.',
      }),
    ),
    profile: Type.Boolean({
      default: false,
      description: 'Also outputs the profile: a measure for each velocity with a share of 1 % or more.',
    }),
  },
  { additionalProperties: false },
);

export const bodyVelocity = defineOperator({
  name: 'body-velocity',
  summary: 'Estimates how fast, and in which direction of the room, a body moves.',
  description: `
Use it in a room with three links or more whose positions are known and whose receivers have two antennas or more, behind
\`csi-ratio\`, \`resample\`, and \`denoise\` with a band-pass over complex values. It assumes frames evenly spaced at
\`rate_hz\`.

Each link measures only how fast its path over the body becomes shorter. Links in different directions together determine a velocity:
every \`hop_ms\` it searches for the distribution of velocities, \`bins\` times \`bins\` from -\`max_speed_mps\` to \`max_speed_mps\` along x
and y of the room, whose Doppler spectra on all links best match the measured ones. No share is negative, and few velocities
have one (least squares with an L1 term; Widar 3.0 compares by the earth mover's distance). Limbs and trunk move at
different velocities, so there is a distribution.

\`\`\`yaml
operators:
  ratio: { type: csi-ratio, from: receivers }
  even: { type: resample, from: ratio, rate_hz: 200 }
  filtered: { type: denoise, from: even, method: butterworth, part: complex, low_hz: 2, high_hz: 60, rate_hz: 200 }
  velocity: { type: body-velocity, from: filtered, rate_hz: 200 }
\`\`\`

| measure, of the room | meaning |
|---|---|
| \`body_velocity_x_mps\`, \`body_velocity_y_mps\` | velocity of the trunk, in the room's axes: the mean of the shares around the densest cluster |
| \`body_speed_mps\` | its length |
| \`body_velocity_fit\` | fraction of the spectra that it explains, 0 to 1 |
| \`body_velocity_share\` | with \`profile\`: the share of the velocity that \`subject\` names, \`x=0.3,y=-1.1\` metres per second |

The frequency that a velocity causes on a link depends on the position of the body. It uses the poses that it also
reads (\`from: [filtered, people]\`, if they show exactly one person), otherwise \`place\`, otherwise the middle of the room.

Gotchas: with fewer than \`links\` links whose spectrum is full it outputs nothing; its details (\`GET /topologies/{id}\`) have
the number of each room. It measures one body. Parallel links measure only one direction; place them around the room. Frequencies need
their sign: behind \`phase-sanitize\`, with one antenna, simulated walkers' directions were wrong by 90 degrees and more; behind
\`conjugate-multiply\` with \`raise_reference\`, recordings of a gesture hardly showed the direction. Frequencies beyond half
of \`rate_hz\` alias. For a body at rest the measures are noise. Speeds are proportional to the wavelength: csiflow assumes
5.32 GHz where a format does not tell the channel (Intel 5300). Recordings of several receivers need a common axis of time:
\`start_time\` of the source \`file\`.

Sources: Zheng et al., Zero-Effort Cross-Domain Gesture Recognition with Wi-Fi (Widar 3.0, MobiSys 2019); Beck and Teboulle, FISTA
(2009). Figures on simulated walkers and on Widar's recordings of a gesture: docs/reports/cleaning.md.
`,
  inputs: ['csi', 'pose'],
  requires: ['csi'],
  outputs: ['measure'],
  writes: WRITES,
  stateFields: ['window'],
  timeFields: ['time', 'due'],
  config,
  examples: [
    { title: 'Five times a second', config: { rate_hz: 200 } },
    { title: 'Runners, with the whole profile', config: { rate_hz: 400, max_speed_mps: 5, profile: true } },
  ],
  create: (settings, context) => new BodyVelocity(settings, context),
});
