import { resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import { choice, defineOperator, inputFile } from '../../pipeline/component/index.js';
import { calibrationFacts } from '../shared/calibration-facts.js';
import { calibrator, type CalibratorSettings } from './calibrator.js';
import { readCalibrations } from './link-calibration.js';
import { WRITES } from './written.js';

const config = Type.Object(
  {
    calibration: Type.Optional(
      inputFile({
        description:
          "Calibration file of `csiflow calibrate`, relative to the topology's folder. Without it, each link is calibrated from its first frames.",
      }),
    ),
    apply: Type.Array(
      choice(
        {
          phase: 'Rotate each antenna back by its phase.',
          response: 'Divide each value by its mean amplitude in the still room.',
        },
        { description: 'A correction to apply to frames.' },
      ),
      {
        uniqueItems: true,
        default: ['phase', 'response'],
        description: 'Corrections to apply to frames. With an empty list frames are only checked.',
      },
    ),
    learn_s: Type.Number({
      exclusiveMinimum: 0,
      maximum: 86_400,
      default: 60,
      description:
        'Without a file: seconds of frames from which a link is calibrated. The room must be empty meanwhile.',
    }),
    check_s: Type.Number({
      exclusiveMinimum: 0,
      maximum: 86_400,
      default: 300,
      description:
        'Time over which amplitudes and phases are averaged to check whether the calibration fits.',
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

/**
 * Resolves a node's configuration. @param folder base of relative paths @throws Error if its file is not a
 * calibration
 */
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
  summary: 'Removes device effects from frames, and detects when a room or device has changed.',
  description: `
Use it behind \`denoise\` and directly before \`window\`, if each link should be judged by its own noise, or if phases between
antennas matter. Measure the empty room once, and name the file:

\`\`\`bash
csiflow calibrate topologies/ward-3.yaml --out topologies/ward-3.calibration.json
\`\`\`

For each link and layout it learns, from frames taken while nothing moves:

- the **phase of each receive antenna** against the strongest one: the mean direction of H_a conj(H_b) over frames and
  subcarriers. The offset and slope that a receiver adds to a packet are the same for all of its antennas and drop out. An
  antenna whose phase varies between frames has none and is not rotated.
- its **frequency response**: the mean amplitude of each value over the mean of its frame. One link cannot separate the device from
  the room, so this covers both: after division the still room is flat.
- its **thresholds**: the \`motion\` that the still link does not reach (1.5 times the 90th percentile over stretches of two
  seconds, at least 0.02), and its noise, the change of amplitude within 0.25 s. \`detect-motion\` uses both if it also reads this node:
  \`from: [windows, calibrated]\`.

Without \`calibration\` each link is calibrated from its first \`learn_s\` seconds; these frames are dropped and counted as
\`learning\`. The calibration is part of checkpoints. With a file, frames of an unknown link or layout pass unchanged, and the node
is degraded and names the link.

**Checking the fit.** It averages amplitudes and phases over \`check_s\`, and outputs these measures of each link:

| measure | meaning |
|---|---|
| \`calibration_drift\` | distance of the amplitudes over subcarriers and antennas from those of the calibration: 0 is identical; in recordings up to 0.14 while somebody moves, 0.4 at another place |
| \`calibration_phase_drift_deg\` | the largest change of an antenna's phase against the reference; requires two antennas or more |
| \`motion_threshold\`, \`noise_level_db\` | the thresholds of carriers, for \`detect-motion\` |

Above \`max_drift\`, or 45 degrees, the node is degraded, and logs and names the link: a receiver was moved or replaced, an antenna is
lost, or furniture was moved. Moving people do not change a mean over minutes this much; somebody who lies there for hours may.

Gotchas: \`infer-pose\` was trained on undivided frames: give it separate windows, or omit \`response\`
from \`apply\`. Values below a tenth of the mean amplitude are divided by that tenth: they are mostly noise.
Receivers whose phases change with each start (Intel 5300: half a turn) no longer fit after a restart.

Sources: the phase between antennas as in Xiong and Jamieson, ArrayTrack (NSDI 2013); docs/decisions/0113 describes the design,
docs/reports/cleaning.md has figures.
`,
  inputs: ['csi'],
  outputs: ['csi', 'measure'],
  writes: WRITES,
  stateFields: ['calibration'],
  timeFields: ['time', 'begin', 'judged', 'due'],
  config,
  calibration: calibrationFacts((file) => [...readCalibrations(file).keys()]),
  examples: [
    { title: 'With a calibration file', config: { calibration: 'ward-3.calibration.json' } },
    { title: 'Calibrated from the first two minutes', config: { learn_s: 120 } },
    { title: 'In front of a pose network', config: { apply: ['phase'] } },
  ],
  create: (fields, context) => calibrator(settingsOf(fields, context.folder), context),
});
