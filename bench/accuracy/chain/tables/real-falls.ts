import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CheckedTopology } from '../../../../pipeline/config/index.js';
import { rocAuc } from '../../statistics.js';
import { exact, meanOver, over, poissonRate, shareOfRooms, type Figure } from '../bootstrap.js';
import { playlist, type Played } from '../inputs.js';
import { each, type Plan, type RecordingsPlan } from '../plan.js';
import { recordedEnvironment } from '../rooms.js';
import { feed, placedIn, type Given, type Observed } from '../scene.js';
import type { Column, Row, Table } from '../table.js';
import type { SensedEvent } from '../../../../pipeline/model/index.js';

const COLUMNS: readonly Column[] = [
  { id: 'auc', title: 'ROC AUC of clips', unit: 'number' },
  { id: 'found', title: 'falls found at the default threshold', unit: 'share' },
  { id: 'falseClips', title: 'other clips with an alarm', unit: 'share' },
  { id: 'falls', title: 'falls', unit: 'count' },
  { id: 'others', title: 'other clips', unit: 'count' },
  { id: 'quietAlarms', title: 'alarms an hour of lying and sitting', unit: 'per_h' },
];

export interface FallClip {
  readonly path: string;
  readonly seconds: number;
  /** Score of its strongest candidate at any threshold; 0 if it has none. */
  readonly score: number;
  readonly alarms: number;
}

/** Who moves in a clip, and how. */
interface Label {
  readonly person: string;
  readonly activity: string;
}

interface RealSet {
  readonly name: string;
  readonly folder: string;
  readonly note: string;
  /** Paths in the order in which they are played as one room. */
  readonly paths: (folder: string, share: number) => readonly string[];
  readonly label: (path: string) => Label;
}

const INTEL = 'labelled/falls-intel5300-bedroom';
const NEXMON = 'labelled/falls-nexmon-pcap';
const SERIAL = 'captures/esp32-serial';
/** The activity of falls. */
const FALL = 'fall';
const QUIET = ['lying', 'sitting'];
/** Fewer people cannot tell how people differ. */
const FEWEST_PEOPLE = 3;
/** From this many rooms on, all clips are played; with fewer, the same share of them. */
const ALL_FROM_ROOMS = 20;
/** Streams of a set that are played concurrently. */
const STREAMS = 4;

const SETS: readonly RealSet[] = [
  {
    name: 'Intel 5300, a bedroom',
    folder: INTEL,
    note: 'room, people and chip not in training; for evaluation only',
    paths: (folder, share) =>
      readdirSync(folder)
        .flatMap((activity) =>
          sharedOut(readdirSync(join(folder, activity)), share).map((file) => join(activity, file)),
        )
        .sort((a, b) => (numberOf(a) < numberOf(b) ? -1 : numberOf(a) > numberOf(b) ? 1 : a < b ? -1 : 1))
        .map((path) => join(folder, path)),
    label: (path) => ({ activity: basename(dirname(path)), person: basename(path).split('-')[0]! }),
  },
  {
    name: 'Nexmon, two rooms',
    folder: NEXMON,
    note: 'rooms, people and chip not in training; for evaluation only; no RSSI, and 20 MHz in a capture of 80 MHz',
    paths: (folder, share) =>
      sharedOut(
        readdirSync(folder).flatMap((group) =>
          readdirSync(join(folder, group)).map((file) => join(group, file)),
        ),
        share,
      ).map((path) => join(folder, path)),
    label: (path) => {
      const [activity, person] = basename(dirname(path)).split('_') as [string, string];
      return { activity: activity === 'falling' ? FALL : activity, person };
    },
  },
  {
    name: 'ESP32-S3, in training',
    folder: SERIAL,
    note: 'six falls, a minute of motion, a minute of stillness: part of the training of detect-falls',
    paths: (folder) =>
      ['motion', 'still', ...[1, 2, 3, 4, 5, 6].map((fall) => `fall_0${fall}`)].map((log) =>
        join(folder, `${log}.txt.gz`),
      ),
    label: (path) => ({ activity: basename(path).replace(/_.*|\..*/, ''), person: '' }),
  },
];

export const missingFalls = (data: string): string | undefined =>
  SETS.map(({ folder }) => join(data, folder)).find((folder) => !existsSync(folder));

export async function realFalls(plan: RecordingsPlan): Promise<Table> {
  const share = Math.min(1, plan.rooms / ALL_FROM_ROOMS);
  const played = await playClips(
    plan,
    SETS.map(({ folder, paths }) => paths(join(plan.data, folder), share)),
  );
  const rows = SETS.map(({ name, label }, index) =>
    rowOf(
      name,
      played[index]!.map((clip) => ({ ...clip, ...label(clip.path) })),
    ),
  );
  return {
    id: 'real-falls',
    title: 'Falls on recordings',
    method: `${SETS.map(({ folder, note }) => `${folder}: ${note}`).join('. ')}. The \`file\` source plays clips one after another, with ten seconds of silence between them. A clip with an event is an alarm. For the AUC, the same topology runs again with the lowest threshold of \`detect-falls\`; a clip's score is the highest score of its candidates. Intervals are by bootstrap over people; with fewer than three people, those of shares are exact, as if clips were independent, and that of the AUC is by bootstrap over clips.`,
    columns: COLUMNS,
    rows: [
      ...rows,
      { name: 'never', baseline: true, cells: { auc: exact(0.5), found: exact(0), falseClips: exact(0) } },
      { name: 'always', baseline: true, cells: { auc: exact(0.5), found: exact(1), falseClips: exact(1) } },
    ],
  };
}

/** Every n-th file. */
const sharedOut = (files: readonly string[], share: number): readonly string[] =>
  files.filter((_, index) => Math.floor((index + 1) * share) > Math.floor(index * share));

const numberOf = (path: string): string => path.slice(path.indexOf('/') + 1);

/** Plays the clips of each list in a few streams. */
export async function playClips(
  plan: Plan,
  lists: readonly (readonly string[])[],
): Promise<readonly (readonly FallClip[])[]> {
  const streams = lists.flatMap((paths, list) => streamsOf(paths).map((stream) => ({ list, stream })));
  const clips = await each(plan, streams, async ({ stream }, index) => {
    const found = await playBoth(plan, stream);
    plan.print(`stream ${index + 1} of ${streams.length}: ${stream.length} recordings played`);
    return found;
  });
  return lists.map((_, list) => clips.filter((_clips, index) => streams[index]!.list === list).flat());
}

function streamsOf(paths: readonly string[]): readonly (readonly string[])[] {
  const count = Math.min(STREAMS, Math.ceil(paths.length / 8));
  return Array.from({ length: count }, (_, stream) =>
    paths.filter((_path, index) => index % count === stream),
  );
}

/** Plays clips through the topology as it ships, and with the lowest threshold. */
async function playBoth(plan: Plan, stream: readonly string[]): Promise<readonly FallClip[]> {
  const asShipped = await playStream(plan.topology, stream);
  const opened = await playStream(openThreshold(plan.topology), stream);
  return asShipped.played.map((one, at) => ({
    path: one.path,
    seconds: (one.to - one.from) / 1e6,
    score: Math.max(0, ...alarmsOf(opened.observed, opened.played[at]!).map(scoreOf)),
    alarms: alarmsOf(asShipped.observed, one).length,
  }));
}

async function playStream(
  topology: CheckedTopology,
  paths: readonly string[],
): Promise<{ readonly observed: Observed; readonly played: readonly Played[] }> {
  const played: Played[] = [];
  const placed = placedIn(topology, { environment: recordedEnvironment(), calibration: null });
  const { observed } = await feed(placed, playlist(paths, played));
  return { observed, played };
}

/** Lowers the threshold so that each candidate gives an event, for the ROC curve. */
const openThreshold = (topology: CheckedTopology): CheckedTopology => ({
  ...topology,
  nodes: topology.nodes.map((node) =>
    node.component.name === 'detect-falls'
      ? { ...node, config: { ...node.config, threshold: -50, cooldown_ms: 0 } }
      : node,
  ),
});

const alarmsOf = ({ events }: Observed, { from, to }: Played): readonly Given<SensedEvent>[] =>
  events.filter(
    ({ type, source, time }) =>
      type === 'fall_detection' && source === 'csiflow' && time >= from && time <= to,
  );

const scoreOf = ({ confidence }: SensedEvent): number => confidence;

function rowOf(name: string, clips: readonly (FallClip & Label)[]): Row {
  const moving = clips.filter(({ activity }) => !QUIET.includes(activity));
  const people = [...new Set(moving.map(({ person }) => person))];
  const groups =
    people.length >= FEWEST_PEOPLE
      ? people.map((who) => moving.filter(({ person }) => person === who))
      : moving.map((clip) => [clip]);
  return {
    name,
    baseline: false,
    cells: {
      auc: over(groups, (drawn) => auc(drawn.flat())),
      found: alarmed(groups.map((group) => group.filter(isFall))),
      falseClips: alarmed(groups.map((group) => group.filter(isOther))),
      falls: exact(moving.filter(isFall).length),
      others: exact(moving.filter(isOther).length),
      ...quietCells(clips.filter(({ activity }) => QUIET.includes(activity))),
    },
  };
}

const isFall = ({ activity }: Label): boolean => activity === FALL;
const isOther = ({ activity }: Label): boolean => activity !== FALL;

const auc = (clips: readonly (FallClip & Label)[]): number =>
  rocAuc(
    clips.filter(isFall).map(({ score }) => score),
    clips.filter(isOther).map(({ score }) => score),
  );

/** The share of clips with an alarm. A bootstrap over single clips cannot tell what is possible if all agree. */
function alarmed(groups: readonly (readonly FallClip[])[]): Figure {
  const values = groups.map((group) => group.map(({ alarms }) => Number(alarms > 0)));
  const single = values.flat();
  if (values.some(({ length }) => length > 1)) return meanOver(values);
  return shareOfRooms(
    single.reduce((sum, one) => sum + one, 0),
    single.length,
  );
}

function quietCells(quiet: readonly FallClip[]): Row['cells'] {
  const hours = quiet.reduce((sum, { seconds }) => sum + seconds, 0) / 3600;
  const alarms = quiet.reduce((sum, one) => sum + one.alarms, 0);
  return hours > 0 ? { quietAlarms: poissonRate(alarms, hours) } : {};
}
