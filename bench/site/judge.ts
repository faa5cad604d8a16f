import type { Environment, PoseFrame } from '../../pipeline/model/index.js';
import { placeErrorAt, seenIn, surestOf, toldOf, windowStart } from '../accuracy/chain/answers.js';
import { exact, meanOver } from '../accuracy/chain/bootstrap.js';
import type { Observed } from '../accuracy/chain/scene.js';
import type { Column, Row, Table } from '../accuracy/chain/table.js';
import type { LabelledPerson } from './labels.js';
import { peopleAt, type Labelled, type Span } from './lessons.js';
import { mean } from '../../operators/shared/mean.js';

const COLUMNS: readonly Column[] = [
  { id: 'place', title: 'place of one person, mean error', unit: 'm' },
  { id: 'predicted', title: 'reported error', unit: 'm' },
  { id: 'posture', title: 'posture of one person right', unit: 'share' },
  { id: 'count', title: 'number of people right', unit: 'share' },
  { id: 'missed', title: 'somebody there: frames that see nobody', unit: 'share' },
  { id: 'claimed', title: 'nobody there: frames that see a person', unit: 'share' },
];

/** Pose frames within this time form one block: neighbouring ones are alike. */
const BLOCK_US = 20e6;

/** A pose frame within labelled time, with the people present. */
interface Judged {
  readonly poseFrame: PoseFrame;
  readonly people: readonly LabelledPerson[];
}

type Place = readonly [number, number];

/** Accuracy of a model in stretches excluded from its training, beside two answers that need no CSI. */
export function judgedTable(
  runs: readonly { readonly name: string; readonly observed: Observed }[],
  options: {
    readonly recordings: readonly Labelled[];
    readonly spans: readonly Span[];
    readonly environment: Environment;
    /** Mean place of people in the training data; null if there were none. */
    readonly usual: Place | null;
  },
): Table {
  const { recordings, spans, environment, usual } = options;
  const judged = runs.map(({ name, observed }) => ({ name, blocks: blocksOf(observed, recordings, spans) }));
  const poseFrames = judged[0]!.blocks.flat().length;
  const { size } = environment;
  const constants = [
    { name: "the room's middle", place: [size.x / 2, size.y / 2] as Place },
    ...(usual ? [{ name: 'where people were on average in what was trained on', place: usual }] : []),
  ];
  return {
    id: 'site',
    title: 'Before and after',
    method: `${poseFrames} pose frames of the stretches that were neither trained on nor looked at, as the sinks of the topology get them. Brackets: 95 % interval by bootstrap over blocks of ${BLOCK_US / 1e6} s.`,
    columns: COLUMNS,
    rows: [
      ...judged.map(({ name, blocks }) => rowOf(name, blocks)),
      ...constants.map(({ name, place }) => constantRow(name, place, judged[0]!.blocks)),
    ],
  };
}

function blocksOf(
  { poses }: Observed,
  recordings: readonly Labelled[],
  spans: readonly Span[],
): readonly (readonly Judged[])[] {
  const blocks = new Map<number, Judged[]>();
  for (const poseFrame of poses) {
    if (!spans.some(({ from, to }) => windowStart(poseFrame) >= from && poseFrame.windowEnd <= to)) continue;
    const people = peopleAt(recordings, poseFrame.time);
    if (!people) continue;
    const block = Math.floor(poseFrame.time / BLOCK_US);
    blocks.set(block, [...(blocks.get(block) ?? []), { poseFrame, people }]);
  }
  return [...blocks.values()];
}

function rowOf(name: string, blocks: readonly (readonly Judged[])[]): Row {
  const over = (of: (one: Judged) => number | null) =>
    meanOver(blocks.map((block) => block.flatMap((one) => of(one) ?? [])));
  const alone = <T>(
    { poseFrame, people }: Judged,
    of: (poseFrame: PoseFrame, person: LabelledPerson) => T,
  ) => (people.length === 1 ? of(poseFrame, people[0]!) : null);
  return {
    name,
    baseline: false,
    cells: {
      place: over((one) =>
        alone(one, (poseFrame, { place }) => {
          const person = surestOf(poseFrame);
          return person ? placeErrorAt(person, place) : null;
        }),
      ),
      predicted: over((one) => alone(one, (poseFrame) => surestOf(poseFrame)?.positionError ?? null)),
      posture: over((one) =>
        alone(one, (poseFrame, { posture }) =>
          posture === null ? null : Number(surestOf(poseFrame)?.posture === posture),
        ),
      ),
      count: over(({ poseFrame, people }) => Number(toldOf(poseFrame).length === people.length)),
      missed: over(({ poseFrame, people }) =>
        people.length > 0 ? Number(seenIn(poseFrame).length === 0) : null,
      ),
      claimed: over(({ poseFrame, people }) =>
        people.length === 0 ? Number(seenIn(poseFrame).length > 0) : null,
      ),
    },
  };
}

const constantRow = (name: string, [x, y]: Place, blocks: readonly (readonly Judged[])[]): Row => ({
  name,
  baseline: true,
  cells: {
    place: meanOver(
      blocks.map((block) =>
        block.flatMap(({ people }) =>
          people.length === 1 ? [Math.hypot(x - people[0]!.place[0], y - people[0]!.place[1])] : [],
        ),
      ),
    ),
    missed: exact(0),
    claimed: exact(1),
  },
});

/** Mean of all places; null if there are none. */
export const usualPlace = (places: readonly Place[]): Place | null =>
  places.length === 0 ? null : [mean(places.map(([x]) => x)), mean(places.map(([, y]) => y))];
