import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';

/**
 * A folder for data that a test generates; at its end vitest does not empty the system's temporary folder
 * immediately.
 */
export const madeFolder = (): string => mkdtempSync(join(tmpdir(), 'csiflow-made-'));

/** Movement of the carriers in each activity: hertz, and its time within the clip, seconds from and to. */
const MOVES: Readonly<Record<string, readonly [hertz: number, from: number, to: number]>> = {
  bend: [0.7, 3, 5],
  fall: [6, 3, 4],
  liedown: [0.4, 2, 6],
  run: [8, 0, 9],
  sitdown: [1.5, 3, 4.5],
  standup: [1.5, 4, 6],
  walk: [3, 0, 9],
};

/**
 * Writes a dataset in the layout of falls-rpi4-amplitude: two people, `clips` clips of 6 s of each activity.
 */
export function makeAmplitudes(data: string, clips: number): void {
  for (const [activity, [hertz, from, to]] of Object.entries(MOVES)) {
    const folder = join(data, 'labelled/falls-rpi4-amplitude', activity);
    mkdirSync(folder, { recursive: true });
    for (const person of [1, 2])
      for (let clip = 1; clip <= clips; clip++) {
        const random = new Random(person, clip, Math.round(hertz * 100));
        const phase = random.uniform(0, 6);
        const lines = Array.from({ length: 600 }, (_, row) => {
          const t = row / 100;
          const moved = t >= from && t <= to ? 60 * Math.sin(2 * Math.PI * hertz * t + phase) : 0;
          return Array.from({ length: 52 }, (_carrier, k) =>
            (400 + 100 * Math.sin(k / 9) + moved * Math.cos(k / 7) + 3 * random.normal()).toFixed(1),
          ).join(',');
        });
        writeFileSync(join(folder, `u${person}-${clip}.csv.gz`), gzipSync(lines.join('\n')));
      }
  }
}
