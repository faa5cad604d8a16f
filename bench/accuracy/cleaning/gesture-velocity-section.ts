import type { GestureVelocity } from './gesture-velocity.js';
import { table } from './table.js';

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

export const gestureVelocitySection = (
  rows: readonly GestureVelocity[],
): string => `## The velocity of a gesture

\`body-velocity\` on the same six recordings, with Widar's positions and channel (5.825 GHz) and windows of 256 ms, ten looks a second, behind three ways of removing the phase offsets of packets, \`resample\` and a band-pass of 2 to 60 Hz. The receivers' clocks differ by up to 43 minutes; the recordings began together, so each is counted from its first packet (\`start_time\` of the source \`file\`).

Widar publishes a body-coordinate velocity profile of a push and pull with this room's example data, 14 snapshots of 100 packets, which its own solver computed from such recordings. It is no measurement of the hand. *Likeness* is the cosine between two profiles that are blurred by 0.3 m/s: between a profile and its own mirror image (1 where the direction is not seen), and between a profile and Widar's of the same time and of the 13 other times.

${table(
  [
    'phase offsets removed by',
    'looks',
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

Agreement with Widar's profiles is hardly better at the same time than at another: one gesture of 1.6 s shows no more. What it does show is that \`raise_reference\` hides the direction in these recordings: the spectra are almost symmetrical. Behind \`csi-ratio\` the signs of the table above change in the middle of the gesture, as those of a push and pull do.`;
