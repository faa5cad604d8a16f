import type { GestureVelocity } from './gesture-velocity.js';
import { table } from './table.js';

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

export const gestureVelocitySection = (
  rows: readonly GestureVelocity[],
): string => `## The velocity of a gesture

\`body-velocity\` on the same six recordings, with Widar's positions and channel (5.825 GHz) and windows of 256 ms, ten estimates per second, after three ways of removing the phase offsets of packets, \`resample\` and a band-pass of 2 to 60 Hz. The receivers' clocks differ by up to 43 minutes; the recordings started together, so the time of each counts from its first packet (\`start_time\` of the source \`file\`).

Widar publishes a body-coordinate velocity profile of a push and pull with this room's example data, 14 snapshots of 100 packets, which its own solver computed from such recordings. It is not a measurement of the hand. *Likeness* is the cosine between two profiles, blurred by 0.3 m/s: between a profile and its own mirror image (1 if the direction cannot be seen), and between a profile and Widar's of the same time and of the 13 other times.

${table(
  [
    'phase offsets removed by',
    'estimates',
    'spectra explained, median',
    'likeness to its mirror image, median',
    "to Widar's, same time",
    "to Widar's, other times",
  ],
  rows.map(({ behind, looks, fit, mirrored, alike, atOtherTimes }) => [
    behind,
    String(looks),
    percent(fit),
    mirrored.toFixed(2),
    alike.toFixed(2),
    atOtherTimes.toFixed(2),
  ]),
)}

Agreement with Widar's profiles is hardly better at the same time than at another, because one gesture of 1.6 s does not suffice. It does show that \`raise_reference\` hides the direction in these recordings: the spectra are almost symmetrical. After \`csi-ratio\` the signs of the table above change in the middle of the gesture, as those of a push and pull do.`;
