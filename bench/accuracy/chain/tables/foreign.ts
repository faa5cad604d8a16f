import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import type { AnySource } from '../../../../pipeline/component/index.js';
import { EnvironmentSchema, type Environment } from '../../../../pipeline/model/index.js';
import { file } from '../../../../pipeline/sources/file/file.js';
import { mean } from '../../../../operators/shared/mean.js';
import { located, poseFramesIn, type Located } from '../answers.js';
import { countsPersons, each, howCalibrated, isCalibrated, type RecordingsPlan } from '../plan.js';
import { feed, learn, placedIn } from '../scene.js';
import type { Column, Row, Table } from '../table.js';
import { Truth } from '../truth.js';
import { countsOf, EMPTY_COLUMNS, emptyCells, type Counts } from './empty.js';
import { SCALE_COLUMNS, scaleCells } from './error-scale.js';
import { baselineOf, errorsOf, rowOf, SETTLED_US, WALKING_COLUMNS, type Walk } from './walking.js';

const FOLDER = 'scenes';

/** Folders of a room: the same walk over other channels. */
const VARIANTS = [
  { name: 'no diffuse paths', folder: 'plain' },
  { name: '30 diffuse paths', folder: 'diffuse' },
] as const;

const EMPTY_IDS: readonly string[] = ['missed', 'ghosts', 'seen', 'told', 'skeleton', 'wrong30'];
const COLUMNS: readonly Column[] = [
  ...WALKING_COLUMNS,
  ...EMPTY_COLUMNS.filter(({ id }) => EMPTY_IDS.includes(id)),
  ...SCALE_COLUMNS,
];

/** The time after the person has left that counts. */
const EMPTY_S = 60;

/** What a topology says of one scene. */
interface Found {
  readonly walk: Walk;
  readonly located: Located;
  readonly counts: Counts;
}

export const missingScenes = (data: string): string | undefined =>
  [join(data, FOLDER)].find((folder) => !existsSync(folder));

/** Walkers in scenes of another simulator, which bench/referee/scenes.py writes. */
export async function foreign(plan: RecordingsPlan): Promise<Table> {
  const folder = join(plan.data, FOLDER);
  const rooms = readdirSync(folder)
    .filter((room) => existsSync(join(folder, room, 'environment.json')))
    .sort()
    .slice(0, plan.rooms);
  if (rooms.length === 0) throw new Error(`${folder} has no room with an environment.json`);
  const found = await each(plan, rooms, async (room) => {
    const scenes: Found[] = [];
    for (const variant of VARIANTS) scenes.push(await sceneOf(plan, join(folder, room), variant));
    return scenes;
  });
  const links = environmentIn(join(folder, rooms[0]!)).links.length;
  return {
    id: 'foreign',
    title: 'Walking in another simulator',
    method: `The same ${rooms.length} rooms with ${links} links in each row, ${howCalibrated(plan)}, by [another simulator](simulator.md#another-simulator) than that of the training. One person enters, walks for 60 s and leaves; then the room is empty for ${EMPTY_S} s. The first ${SETTLED_US / 1e6} s after they entered are excluded. Columns as for walkers, for empty rooms and for the reported error.`,
    columns: COLUMNS,
    rows: [
      ...VARIANTS.map(({ name }, index) =>
        rowOfScenes(
          name,
          found.map((scenes) => scenes[index]!),
        ),
      ),
      baselineOf(
        'both',
        found.map(([first]) => first!.walk),
      ),
    ],
  };
}

function rowOfScenes(name: string, scenes: readonly Found[]): Row {
  const walks = rowOf(
    name,
    scenes.map(({ walk }) => walk),
  );
  const empty = Object.entries(emptyCells(scenes.map(({ counts }) => counts)));
  return {
    ...walks,
    cells: {
      ...walks.cells,
      ...Object.fromEntries(empty.filter(([id]) => EMPTY_IDS.includes(id))),
      ...scaleCells(scenes.map((scene) => scene.located)),
    },
  };
}

async function sceneOf(
  plan: RecordingsPlan,
  room: string,
  { name, folder }: (typeof VARIANTS)[number],
): Promise<Found> {
  const environment = environmentIn(room);
  const truth = new Truth(readFileSync(join(room, 'truth.jsonl'), 'utf8'));
  const there = truth.moments.filter(({ people }) => people.length > 0).map(({ time }) => time);
  const [came, left] = [there[0], there.at(-1)];
  if (came === undefined || left === undefined)
    throw new Error(`${room}/truth.jsonl: nobody is ever present`);
  const calibration = isCalibrated(plan.topology)
    ? await learn(
        placedIn(plan.topology, { environment, calibration: null }),
        capture(join(room, folder, 'empty.csi')),
        join(plan.folder, `${environment.id}-${folder}.json`),
      )
    : null;
  const whole = (truth.moments.at(-1)!.time - truth.moments[0]!.time) / 1000;
  const { observed } = await feed(
    placedIn(plan.topology, { environment, calibration }),
    capture(join(room, folder, 'walk.csi')),
    undefined,
    (ms) => plan.playing?.(`${environment.id}: ${name}`, Math.min(0.99, ms / whole)),
  );
  plan.playing?.(`${environment.id}: ${name}`, 1);
  const poseFrames = poseFramesIn(observed, came + SETTLED_US, left);
  const walk = errorsOf(poseFrames, truth, environment);
  plan.print(`${environment.id}, ${name}: ${summary(walk)}`);
  const zones = countsPersons(plan);
  return {
    walk,
    located: located(poseFrames, truth, environment),
    counts: countsOf({ ...observed, truth }, zones, EMPTY_S * 1e6),
  };
}

/** For the log: which rooms are good, and which are not. */
function summary({ place, abstained, middle }: Walk): string {
  const metres = (values: readonly number[]) => (values.length === 0 ? '-' : `${mean(values).toFixed(2)} m`);
  return `${metres(place)} off, the middle ${metres(middle)}, no answer in ${(100 * mean(abstained)).toFixed(0)} %`;
}

/** A capture as fast as possible, as the `file` source of a topology plays it. */
function capture(path: string): {
  readonly kind: 'source';
  readonly component: AnySource;
  readonly config: Readonly<Record<string, unknown>>;
} {
  const config = Value.Default(file.config, { path, speed: 0 }) as Readonly<Record<string, unknown>>;
  return { kind: 'source', component: file, config };
}

function environmentIn(room: string): Environment {
  const path = join(room, 'environment.json');
  const environment: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const [problem] = Value.Errors(EnvironmentSchema, environment);
  if (problem) throw new Error(`${path}${problem.instancePath}: ${problem.message}`);
  return environment as Environment;
}
