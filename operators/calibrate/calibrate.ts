import { resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import { choice, defineOperator, inputFile } from '../../pipeline/component/index.js';
import { calibrationFacts } from '../shared/calibration-facts.js';
import { calibrator, type CalibratorSettings } from './calibrator.js';
import { readCalibrations } from './link-calibration.js';

const config = Type.Object(
  {
    calibration: Type.Optional(
      inputFile({
        description:
          "What `csiflow calibrate` measured of the links; from the topology's folder on. Without it each link is learnt when it first sends.",
      }),
    ),
    apply: Type.Array(
      choice(
        {
          phase: 'Turn each antenna back by its phase.',
          response: 'Divide each value by the mean amplitude that it has in the still room.',
        },
        { description: 'What is taken out of frames.' },
      ),
      {
        uniqueItems: true,
        default: ['phase', 'response'],
        description: 'What is taken out of frames. An empty list: nothing, frames are only looked at.',
      },
    ),
    learn_s: Type.Number({
      exclusiveMinimum: 0,
      maximum: 86_400,
      default: 60,
      description: 'Without a file: seconds of frames of a link that it is learnt from. Nobody may be there.',
    }),
    check_s: Type.Number({
      exclusiveMinimum: 0,
      maximum: 86_400,
      default: 300,
      description: 'Time over which amplitudes and phases are averaged to see whether the calibration fits.',
    }),
    max_drift: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.15,
      description: '`calibration_drift` above which a link no longer fits.',
    }),
    interval_ms: Type.Number({
      minimum: 10,
      maximum: 3_600_000,
      default: 10_000,
      description: 'Time between measures of a link, milliseconds.',
    }),
  },
  { additionalProperties: false },
);

/** What a node of a configuration does. @param folder that relative paths start from @throws Error where its file is no calibration */
export const settingsOf = (
  fields: Omit<Static<typeof config>, 'calibration'> & { readonly calibration?: string | undefined },
  folder: string,
): CalibratorSettings => ({
  known: fields.calibration === undefined ? null : readCalibrations(resolve(folder, fields.calibration)),
  apply: fields.apply,
  learn: fields.learn_s * 1e6,
  check: fields.check_s * 1e6,
  interval: fields.interval_ms * 1000,
  maxDrift: fields.max_drift,
});

export const calibrate = defineOperator({
  name: 'calibrate',
  summary: 'Takes out of frames what devices add to them, and says when a room or device has changed.',
  description: `
Use it behind \`denoise\` and right before \`window\`, where each link should be judged by its own noise, or where phases between
antennas matter. Measure the empty room once, and name the file:

\`\`\`bash
csiflow calibrate topologies/ward-3.yaml --out topologies/ward-3.calibration.json
\`\`\`

Of each link and layout it knows, from frames taken while nothing moves:

- the **phase of each receive antenna** against the strongest one: the mean direction of H_a conj(H_b) over frames and
  subcarriers. The offset and slope that a receiver adds to a packet are the same for all of its antennas and drop out. An
  antenna whose phase differs from frame to frame has none, and is not turned.
- its **frequency response**: the mean amplitude of each value over the mean of its frame. One link cannot tell the device from
  the room, so this is that of both: divided by it, the still room is flat.
- its **thresholds**: the \`motion\` that the still link does not reach (1.5 times what nine tenths of its stretches of two
  seconds stay below, at least 0.02), and its noise, the change of amplitude within 0.25 s. \`detect-motion\` has both once it also reads this node:
  \`from: [windows, calibrated]\`.

Without \`calibration\` each link is learnt from its first \`learn_s\` seconds; these frames do not go on and are counted as
\`learning\`. What was learnt is part of checkpoints. With a file, frames that it does not know go on as they are, and the node
is degraded and names the link.

**Whether it fits.** Over \`check_s\` it averages amplitudes and phases, and gives these measures of each link:

| measure | what |
|---|---|
| \`calibration_drift\` | how far the amplitudes over subcarriers and antennas are from those of the calibration: 0 the same; up to 0.14 while somebody moves, 0.4 at another place, on recordings |
| \`calibration_phase_drift_deg\` | the largest change of an antenna's phase against the reference; of two antennas or more |
| \`motion_threshold\`, \`noise_level_db\` | the thresholds, for \`detect-motion\` |

Above \`max_drift\`, or 45 degrees, the node is degraded and names the link: a receiver was moved or changed, an antenna is
lost, furniture stands elsewhere. People who move do not do that to a mean of minutes; somebody who lies there for hours may.

Gotchas: \`infer-pose\` was trained on frames that nothing was divided out of: give it windows of its own, or leave \`response\`
out of \`apply\`. Values of less than a tenth of the mean amplitude are divided by that tenth: they are noise for the most part.
Receivers that choose their phases anew with each start (Intel 5300: half a turn) no longer fit after it.

Sources: the phase between antennas as in Xiong and Jamieson, ArrayTrack (NSDI 2013); docs/decisions/0113 has the design and
docs/reports/cleaning.md figures.
`,
  inputs: ['csi'],
  outputs: ['csi', 'measure'],
  stateFields: ['calibration'],
  timeFields: ['time', 'begin', 'judged', 'due'],
  config,
  calibration: calibrationFacts((file) => [...readCalibrations(file).keys()]),
  examples: [
    { title: 'By what was measured', config: { calibration: 'ward-3.calibration.json' } },
    { title: 'Learnt in the first two minutes', config: { learn_s: 120 } },
    { title: 'In front of a pose network', config: { apply: ['phase'] } },
  ],
  create: (fields, context) => calibrator(settingsOf(fields, context.folder), context),
});
