import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { poseFramesIn, measuresIn, seenIn, toldOf } from '../answers.js';
import { exact, meanOver } from '../bootstrap.js';
import { captureOf } from '../espectre.js';
import { playlist, type Played } from '../inputs.js';
import { each, type Plan, type RecordingsPlan } from '../plan.js';
import { recordedEnvironment } from '../rooms.js';
import { feed, placedIn } from '../scene.js';
import type { Column, Row, Table } from '../table.js';

const COLUMNS: readonly Column[] = [
  { id: 'presence', title: 'seconds with presence', unit: 'share' },
  { id: 'unknown', title: 'seconds without an answer', unit: 'share' },
  { id: 'seen', title: 'pose frames that see a person', unit: 'share' },
  { id: 'told', title: 'pose frames that report a person', unit: 'share' },
  { id: 'skeleton', title: 'pose frames with a skeleton', unit: 'share' },
  { id: 'recordings', title: 'recordings', unit: 'count' },
];

interface Found {
  readonly group: string;
  readonly presence: readonly number[];
  readonly unknown: readonly number[];
  readonly seen: readonly number[];
  readonly told: readonly number[];
  readonly skeleton: readonly number[];
}

const ESPECTRE = 'labelled/esp32-presence';
const SERIAL = 'captures/esp32-serial';
const CHIPS = ['esp32', 'c3', 's3'] as const;

/** The first required folder that is missing; undefined if all exist. */
export const missingRecordings = (data: string): string | undefined =>
  [ESPECTRE, SERIAL].map((folder) => join(data, folder)).find((folder) => !existsSync(folder));

export async function recordings(plan: RecordingsPlan): Promise<Table> {
  const files = [...espectre(plan), ...serial(plan)];
  const found = await each(plan, files, async ({ group, path }) => {
    const one = await play(plan, group, path);
    plan.print(`${basename(path)}: played`);
    return one;
  });
  const groups = [...new Set(found.map(({ group }) => group))];
  const all = (part: string) =>
    rowOf(
      `${part}, all chips`,
      found.filter(({ group }) => group.startsWith(part)),
    );
  return {
    id: 'recordings',
    title: 'Recordings of real rooms',
    method: `One link each, read by the \`file\` source, without calibration, each from a cold start: ${ESPECTRE} (ten seconds each, an empty room or movement, three chips, GPL-3.0: for evaluation only) and ${SERIAL} (a minute of somebody moving, a minute of stillness; part of the training of \`detect-falls\`). Rows with several recordings have intervals over recordings.`,
    columns: COLUMNS,
    rows: [
      all('empty'),
      all('movement'),
      ...groups.map((group) =>
        rowOf(
          group,
          found.filter((one) => one.group === group),
        ),
      ),
      constant('nobody, always', 0),
      constant('somebody, always', 1),
    ],
  };
}

interface Listed {
  readonly group: string;
  readonly path: string;
}

function espectre({ data, folder }: RecordingsPlan): readonly Listed[] {
  const files = readdirSync(join(data, ESPECTRE)).filter((file) => file.endsWith('.npz'));
  return CHIPS.flatMap((chip) =>
    files
      .filter((file) => file.includes(`_${chip}_`))
      .map((file) => {
        const path = join(folder, file.replace('.npz', '.csi'));
        captureOf(join(data, ESPECTRE, file), path);
        const kind = file.startsWith('baseline') ? 'empty' : 'movement';
        return { group: `${kind}, ${chip.toUpperCase()}`, path };
      }),
  );
}

const serial = ({ data }: RecordingsPlan): readonly Listed[] =>
  ['motion', 'still'].map((log) => ({
    group: `esp32-serial, ${log}`,
    path: join(data, SERIAL, `${log}.txt.gz`),
  }));

async function play({ topology }: Plan, group: string, path: string): Promise<Found> {
  const played: Played[] = [];
  const placed = placedIn(topology, { environment: recordedEnvironment(), calibration: null });
  const { observed } = await feed(placed, playlist([path], played));
  const { from, to } = played[0]!;
  const poseFrames = poseFramesIn(observed, from, to);
  if (poseFrames.length === 0) throw new Error(`${path}: it gave no pose frame`);
  const presence = measuresIn(observed, 'presence', from, to + 1e6);
  const seconds = Math.floor((to - from) / 1e6);
  const answered = presence.filter(Number.isFinite);
  const share = (is: (poseFrame: (typeof poseFrames)[number]) => boolean) =>
    poseFrames.map((poseFrame) => Number(is(poseFrame)));
  return {
    group,
    presence: answered.map((value) => Number(value > 0)),
    unknown: Array.from({ length: seconds }, (_, second) => Number(second >= answered.length)),
    seen: share((poseFrame) => seenIn(poseFrame).length > 0),
    told: share((poseFrame) => toldOf(poseFrame).length > 0),
    skeleton: share((poseFrame) => toldOf(poseFrame).some(({ articulated }) => articulated)),
  };
}

const rowOf = (name: string, found: readonly Found[]): Row => ({
  name,
  baseline: false,
  cells: {
    presence: meanOver(found.map(({ presence }) => presence)),
    unknown: meanOver(found.map(({ unknown }) => unknown)),
    seen: meanOver(found.map(({ seen }) => seen)),
    told: meanOver(found.map(({ told }) => told)),
    skeleton: meanOver(found.map(({ skeleton }) => skeleton)),
    recordings: exact(found.length),
  },
});

const constant = (name: string, value: number): Row => ({
  name,
  baseline: true,
  cells: Object.fromEntries(['presence', 'seen', 'told', 'skeleton'].map((id) => [id, exact(value)])),
});
