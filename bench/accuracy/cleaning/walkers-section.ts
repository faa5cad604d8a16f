import { table } from './table.js';
import { walkersSeen, type WalkersSeen } from './walkers.js';

/** Rooms per row, each with its own walker and impairments. */
const ROOMS = 4;

export const walkersOf = (rooms = ROOMS): readonly WalkersSeen[] => [
  walkersSeen(3, true, rooms),
  walkersSeen(4, true, rooms),
  walkersSeen(6, true, rooms),
  walkersSeen(6, false, rooms),
];

export const walkersSection = (rows: readonly WalkersSeen[]): string => `## The velocity of a walker

\`body-velocity\` on simulated walkers (8 s per room, 200 packets per second at 5.32 GHz, three antennas, with the simulator's noise, loss and gain), after \`csi-ratio\` and a band-pass of 2 to 60 Hz. Links run along the walls of a room of 5 by 5 m, the fifth and sixth across it. Estimates count while the person walks at 0.4 m/s or more; the bins are 0.2 m/s wide.

${table(
  [
    'links',
    'position of the body',
    'estimates',
    'error of the direction, median',
    'upper quartile',
    'error of the speed, median',
  ],
  rows.map(({ links, place, looks, angle, speed }) => [
    String(links),
    place,
    String(looks),
    `${angle[0].toFixed(1)} degrees`,
    `${angle[1].toFixed(1)} degrees`,
    `${speed.toFixed(2)} m/s`,
  ]),
)}

No recording with a measured velocity was available.`;
