import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputFile } from '../../pipeline/base/paths.js';
import type { Story } from './crossings.js';
import { PUBLISHED, trackSequence } from './published-sequence.js';
import { judge, nearestNeighbour, scenesOf, shipped, type Row } from './tracked.js';
import type { TrackingScore } from './tracking.js';

export interface TrackingOptions {
  readonly seed: number;
  readonly scenes: number;
  /** Folder with the published sequence; missing: it is not measured. */
  readonly data?: string | undefined;
  readonly out?: string | undefined;
  readonly print: (line: string) => void;
}

export interface TrackingReport {
  readonly seed: number;
  readonly scenes: number;
  /** On the published sequence; null: not measured. */
  readonly sequence: TrackingScore | null;
  readonly rows: readonly NamedRow[];
}

export interface NamedRow extends Row {
  readonly tracker: 'nearest neighbour' | 'track-persons';
  readonly people: number;
}

const KINDS: readonly (readonly [Story, number])[] = [
  ['cross', 2],
  ['cross', 3],
  ['wander', 2],
  ['alone', 1],
];

/** Judges `track-persons` and plain nearest neighbour on simulated people, and writes docs/reports/tracking.md and tracking.json. */
export function evaluateTracking({ seed, scenes, data, out, print }: TrackingOptions): TrackingReport {
  const sequence = data === undefined ? null : trackSequence(data);
  const rows = KINDS.flatMap(([story, people]): NamedRow[] => {
    print(`${story}, ${people}`);
    const played = scenesOf(seed, scenes, story, people);
    return [
      { tracker: 'nearest neighbour', people, ...judge(nearestNeighbour, played, story) },
      { tracker: 'track-persons', people, ...judge(shipped(), played, story) },
    ];
  });
  const report = { seed, scenes, sequence, rows };
  const folder = out ?? outputFile('docs/reports');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tracking.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(folder, 'tracking.md'), trackingPage(report));
  for (const line of [...sequenceLines(sequence), '', ...tableOf(report)]) print(line);
  return report;
}

const percent = (share: number): string => (100 * share).toFixed(1);
const metres = (value: number): string => value.toFixed(2);

const tableOf = ({ rows }: TrackingReport): string[] => [
  '| people | tracker | IDF1 | HOTA | MOTA | switches | count right | position error, m | reported / true error by fifths, m |',
  '|---|---|---|---|---|---|---|---|---|',
  ...rows.map(({ tracker, story, people, idf1, hota, mota, switches, count, ...row }) =>
    [
      `| ${people}, ${story} | ${tracker}`,
      ...[idf1, hota, mota].map(percent),
      ...[switches, percent(count), metres(row.metres)],
      `${row.fifths.map(([reported, actual]) => `${metres(reported)} / ${metres(actual)}`).join(', ')} |`,
    ].join(' | '),
  ),
];

/** On TUD-Campus. */
function sequenceLines(sequence: TrackingScore | null): readonly string[] {
  const what = "With `association: iou`, on SORT's own detections of TUD-Campus (MOTChallenge).";
  if (sequence === null)
    return [
      `${what} Not measured in this report: pass a folder with \`tracking/tud-campus\` with \`--data\`.`,
    ];
  const { mota, idf1, hota, ...counts } = sequence;
  const tenths = { mota: percent(mota), idf1: percent(idf1), hota: percent(hota) };
  const line = (name: string, of: Readonly<Record<keyof typeof PUBLISHED, number | string>>) =>
    `| ${[name, ...[of.mota, of.idf1, of.hota, of.falsePositives, of.misses, of.switches, of.fragmentations]].join(' | ')} |`;
  return [
    `${what} \`track-persons\` is set as SORT is.`,
    '',
    '| | MOTA | IDF1 | HOTA | false positives | misses | switches | fragmentations |',
    '|---|---|---|---|---|---|---|---|',
    line('`track-persons`, measured', { ...counts, ...tenths }),
    line('SORT, published', PUBLISHED),
  ];
}

const isCrossingOfTwo = ({ tracker, story, people }: NamedRow): boolean =>
  tracker === 'track-persons' && story === 'cross' && people === 2;

/** The page of a report: `docs/reports/tracking.md`. */
export const trackingPage = (report: TrackingReport): string => `# Accuracy of \`track-persons\`

This page shows how well \`track-persons\` follows people who meet. For example, when two people cross each other's paths, it
counts them correctly in ${percent(report.rows.find(isCrossingOfTwo)!.count)} % of frames. It was written by \`csiflow evaluate tracking --seed ${report.seed} --scenes ${report.scenes}${report.sequence ? ' --data recordings' : ''}\`. Seeds from
900,000 on were never used for tuning.

## Published sequence

${sequenceLines(report.sequence).join('\n')}

## Simulated people

Each row covers ${report.scenes} rooms with people of the simulator. The output of a network is drawn at random, so only the tracker is
judged. The errors are those that the shipped network had on 23 November 2026, in rooms that it was not trained on. Today's are in
the [accuracy report](accuracy.md): larger for people at rest and for several people.

| situation | mean error | correlation time |
|---|---|---|
| one person who walks | 0.43 m | 3 s |
| one person at rest | 0.45 m | a minute |
| each of several people | 0.75 m | 1.5 s |

In 0.5 to 2 % of frames a person is missed, and once per minute a false person appears for about a second.

- \`cross\`: people walk between opposite corners for a minute, and repeatedly all meet in the middle.
- \`wander\`: people walk anywhere, and stop now and then.
- \`alone\`: one person walks, sits or stands, lies, falls, lies for half a minute, and leaves for a minute.

The similarity of two positions falls from 1 at 0 m to 0 at 2 m; positions within 1 m match. Lost tracks count as reported. *Nearest
neighbour*: each track takes the nearest person within 1.5 m, starts after three frames, and ends after 3 s.

${tableOf(report).join('\n')}
`;
