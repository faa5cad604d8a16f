import type { Accuracy, Row } from './accuracy.js';
import type { Manifest } from '../model/weights.js';

/** Content of the report that training writes: of single windows, without the nodes before `infer-pose`. */
export interface PoseReport {
  readonly model: Pick<
    Manifest,
    'name' | 'version' | 'trainedOn' | 'sha256' | 'parameters' | 'training' | 'calibration'
  >;
  readonly heldOut: { readonly seed: number; readonly sequences: number; readonly place: string };
  /** By number of links. */
  readonly links: readonly {
    readonly links: number;
    readonly calibrated: boolean;
    readonly accuracy: Accuracy;
  }[];
  /** The targets for four links, and whether they were reached; empty for a model of one room. */
  readonly floors: readonly Floor[];
}

export interface Floor {
  readonly what: string;
  readonly floor: number;
  readonly reached: number;
  readonly unit: string;
  readonly met: boolean;
}

/** Results of the feasibility runs with four links, in simulated rooms that the network never saw. */
export function floorsOf({ all, activities }: Accuracy): Floor[] {
  const walking = activities.walking;
  if (!walking) return [];
  const atMost = (what: string, floor: number, reached: number, unit: string): Floor => ({
    ...{ what, floor, reached, unit },
    met: reached <= floor,
  });
  return [
    atMost('root, walking', 0.63, walking.root, 'm'),
    atMost('root, all', 0.89, all.root, 'm'),
    atMost('heading, walking, median', 26, walking.heading, 'deg'),
    atMost('MPJPE, walking', 134, walking.mpjpe, 'mm'),
    atMost('MPJPE, all, drawn towards the axis', 233, all.mpjpeShrunk, 'mm'),
    { what: 'posture of three', floor: 83, reached: 100 * all.posture, unit: '%', met: all.posture >= 0.83 },
  ];
}

/** The report as Markdown. */
export function markdownOf(report: PoseReport): string {
  const { model, heldOut, floors } = report;
  const parts = [
    `# Accuracy of the pose network \`${model.name}\` ${model.version}`,
    '',
    `Trained and measured only on **simulated CSI**: no free recording has both CSI and poses. Another simulator or`,
    `a real room will give worse results. Measured on ${heldOut.sequences} windows of 2 s for each table, ${heldOut.place}; the first`,
    `seed of these is ${heldOut.seed}, and no training run may use seeds from 900,000 on. One person, one antenna each,`,
    `2.437 GHz. Written by \`csiflow train pose\`, about the network alone; \`csiflow evaluate\` measures a whole topology.`,
    '',
    '| fact | |',
    '|---|---|',
    `| parameters | ${model.parameters} |`,
    `| SHA-256 of the weights | \`${model.sha256}\` |`,
    ...Object.entries(model.training).map(([name, value]) => `| ${name} | ${plain(value)} |`),
    '',
    ...(floors.length > 0 ? floorTable(floors) : []),
    ...report.links.flatMap(({ links, calibrated, accuracy }) => [
      `## ${links} link${links === 1 ? '' : 's'}, ${calibrated ? 'with' : 'without'} an empty-room calibration`,
      '',
      ...activityTable(accuracy),
      ...presenceLines(accuracy),
      `Expected against actual mean error of the place, by fifths: ${accuracy.fifths
        .map(({ expected, actual }) => `${expected.toFixed(2)} / ${actual.toFixed(2)}`)
        .join(', ')} m.`,
      '',
    ]),
    '## How to read it',
    '',
    '- *root*: distance of the floor position, mean and (all rows) 90th percentile; *constant*: the middle of the room as the answer.',
    '- *MPJPE*: mean distance of 17 joints, both poses moved to the pelvis, in room axes. *published*: a whole skeleton turned to',
    '  the inferred heading. *shrunk*: the same drawn towards the body’s axis in proportion to the heading’s uncertainty, which has a smaller error but',
    '  does not look like a body. *constant*: one mean pose. *shape*: after rotation to the true heading.',
    '- *heading*: median error. *PCK@20*: joints within 20 % of the torso. *posture*: of three, against always saying upright.',
    '- The network does not see movements of arms, and hardly locates people who keep still from one window.',
    '',
  ];
  return parts.join('\n');
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const floorTable = (floors: readonly Floor[]): string[] => [
  '## Floors, 4 links',
  '',
  '| | floor | reached | |',
  '|---|---|---|---|',
  ...floors.map(({ what, floor, reached, unit, met }) => {
    const digits = unit === 'm' ? 2 : unit === '%' ? 1 : 0;
    return `| ${what} | ${floor} ${unit} | ${reached.toFixed(digits)} ${unit} | ${met ? 'met' : '**missed**'} |`;
  }),
  '',
];

function activityTable(accuracy: Accuracy): string[] {
  const rows: [string, Row][] = [
    ['all', accuracy.all],
    ['keeping still', accuracy.still],
    ...Object.entries(accuracy.activities),
  ];
  return [
    '| | windows | root / p90 / constant, m | MPJPE published / shrunk / constant, mm | shape, mm | heading, deg | PCK@20 / constant, % | posture / constant, % |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(([name, r]) =>
      [
        `| ${name}`,
        r.windows,
        `${r.root.toFixed(2)} / ${r.rootP90.toFixed(2)} / ${r.rootConstant.toFixed(2)}`,
        `${r.mpjpe.toFixed(0)} / ${r.mpjpeShrunk.toFixed(0)} / ${r.mpjpeConstant.toFixed(0)}`,
        r.shape.toFixed(0),
        r.heading.toFixed(0),
        `${percent(r.pck20)} / ${percent(r.pck20Constant)}`,
        `${percent(r.posture)} / ${percent(r.postureConstant)} |`,
      ].join(' | '),
    ),
    '',
  ];
}

function presenceLines({ presence }: Accuracy): string[] {
  const missed = Object.entries(presence.missed).map(([name, share]) => `${name} ${percent(share)} %`);
  return [
    `Presence: a person is reported in ${percent(presence.falsePresence)} % of ${presence.emptyWindows} empty rooms; nobody in ` +
      `${percent(presence.missedAll)} % of the windows with a person (${missed.join(', ')}).`,
    `Correct number of people, for nobody, one, two, three and four: ${presence.counted.map(percent).join(', ')} %.`,
    '',
  ];
}

const percent = (share: number): string => (100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0);
