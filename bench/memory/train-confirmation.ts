import { resolve } from 'node:path';
import {
  CLAIMED,
  confirm,
  confirmedCounts,
  confirmationInputs,
  type Confirmation,
  type ConfirmationLaw,
} from '../../operators/infer-pose/memory/confirmation.js';
import { BEAT_S } from '../../operators/infer-pose/networks/memory-layers.js';
import type { Recall } from '../../operators/infer-pose/memory/memory.js';
import { extendedModel, namedModel } from '../../operators/infer-pose/model/named-model.js';
import { Network, weightTensors } from '../../operators/infer-pose/networks/network.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import {
  readMemory,
  readModel,
  writeMemory,
  type Manifest,
} from '../../operators/infer-pose/model/weights.js';
import { InputError } from '../../pipeline/base/input-error.js';
import { fitLogistic } from '../falls/logistic.js';
import type { Band } from './bands.js';
import { simulateCourses, type Course, type Rooms } from './courses.js';
import { inBand } from './receivers.js';
import { RoomProgress } from './room-progress.js';
import { recalls } from './recalls.js';
import type { Kind } from './what-happens.js';

/** Training rooms. */
const TRAINING: readonly Rooms[] = [
  { kind: 'pet', first: 570_000, count: 160 },
  { kind: 'curtain', first: 571_000, count: 60 },
  { kind: 'fan', first: 572_000, count: 20 },
  { kind: 'daily', first: 573_000, count: 60 },
  { kind: 'rest', first: 574_000, count: 40 },
  { kind: 'asleep', first: 575_000, count: 40 },
  { kind: 'walk', first: 576_000, count: 20 },
  { kind: 'many', first: 577_000, count: 30 },
];
/** Rooms for comparing settings. */
const TUNING: readonly Rooms[] = [
  { kind: 'pet', first: 746_000, count: 60 },
  { kind: 'keeper', first: 747_000, count: 10 },
  { kind: 'fan', first: 748_000, count: 15 },
  { kind: 'curtain', first: 748_500, count: 25 },
  { kind: 'asleep', first: 749_000, count: 25 },
  { kind: 'fallen', first: 749_500, count: 20 },
  ...(['walk', 'rest', 'many', 'daily', 'leave'] as const).map((kind) => ({
    kind,
    first: 740_000,
    count: 10,
  })),
];

/** Windows from this probability of somebody on are examples: those just below {@link CLAIMED} are alike. */
const EXAMPLE = 0.3;
/** Penalty of large weights, so that a few rooms do not decide. */
const PENALTY = 100;
/** Windows at the start of a course that are not judged: nothing is remembered yet. */
const BEGINNING = 12;

/** Options of `csiflow train confirmation`. */
export interface TrainConfirmationOptions {
  /** A model with a memory: `general`, or a folder. */
  readonly model: string;
  /** Folder of the extended model. Default: see {@link extendedModel}. */
  readonly out?: string;
  /** Where the rooms' receivers work. */
  readonly band: Band;
  /** Folder that caches simulated rooms. */
  readonly cache?: string;
  readonly print: (line: string) => void;
}

/** Shares of windows in rooms of one kind. */
export interface ConfirmationFigures {
  readonly kind: Kind;
  readonly before: Mistakes;
  readonly after: Mistakes;
}

interface Mistakes {
  /** Share of the windows without people for which somebody is reported; null if there are none. */
  readonly claimed: number | null;
  /** The same in the second half of a course. */
  readonly claimedLater: number | null;
  /** Share of the windows with people for which nobody is reported; null if there are none. */
  readonly missed: number | null;
}

/** Output of the memory network after a window, and whether people are there. */
interface Recalled {
  readonly recall: Pick<Recall, 'counts' | 'alone'>;
  readonly occupied: boolean;
}

type Recollection = Pick<Course, 'kind'> & { readonly windows: readonly Recalled[] };

/**
 * Simulates rooms with people, pets, fans and curtains, fits the law that tells people from the others, and
 * writes it beside the model's memory.
 * @throws InputError that names the folder if the model has no memory
 */
export async function trainConfirmationOf({
  model,
  out,
  band,
  cache,
  print,
}: TrainConfirmationOptions): Promise<{
  readonly folder: string;
  readonly manifest: Manifest;
  readonly figures: readonly ConfirmationFigures[];
}> {
  const from = namedModel(model);
  const folder = resolve(out ?? extendedModel(model));
  print(`the extended model will be in ${folder}`);
  const backend = await loadTrainingBackend();
  print(`simulating on ${backend.name} (${backend.device}, ${backend.reason})`);
  const { weights, manifest } = readModel(from);
  const memory = readMemory(from, manifest);
  if (!memory) throw new InputError(`${from} has no memory: train it first with \`csiflow train memory\`.`);
  const network = new Network(weightTensors(weights));
  const progress = new RoomProgress([...TRAINING, ...TUNING], { cache, print });
  const recollectionsOf = (rooms: readonly Rooms[]) =>
    inBand(rooms, band).flatMap((some) => {
      const courses = simulateCourses(network, some, { cache, behind: manifest.sha256, progress });
      return courses.map((course) => recollectionOf(memory, course));
    });
  const confirmation = fitted(recollectionsOf(TRAINING));
  const figures = judge(confirmation, recollectionsOf(TUNING));
  for (const line of figures) print(JSON.stringify(line));
  const { calibration, crowdOdds, training } = manifest.memory!;
  const confirming = {
    rooms: TRAINING,
    band,
    penalty: PENALTY,
    with: '`csiflow train confirmation`',
  };
  const written = writeMemory(
    folder,
    memory,
    {
      calibration,
      confirmation,
      ...(crowdOdds !== undefined && { crowdOdds }),
      training: { ...training, confirmation: confirming },
    },
    from,
  );
  print(`wrote ${folder}`);
  return { folder, manifest: written, figures };
}

/** Output of the memory network for a course. */
const recollectionOf = (weights: Float32Array, course: Course): Recollection => ({
  kind: course.kind,
  windows: Array.from(recalls(weights, course), ({ window, recall: { counts, alone } }) => ({
    recall: { counts, alone },
    occupied: course.people[window]! > 0,
  })),
});

/** Fits the law on as many windows with people as without. */
function fitted(rooms: readonly Recollection[]): ConfirmationLaw {
  const examples = rooms
    .flatMap(({ windows }) => windows)
    .filter(({ recall }) => 1 - recall.counts[0]! >= EXAMPLE);
  const others = examples.filter(({ occupied }) => !occupied);
  const people = examples.filter(({ occupied }) => occupied);
  const stride = Math.max(1, Math.floor(people.length / others.length));
  const chosen = [...others, ...people.filter((_, i) => i % stride === 0)];
  const inputs = chosen.map(({ recall }) => Float32Array.from(confirmationInputs(recall)));
  const { head } = fitLogistic(
    inputs,
    chosen.map(({ occupied }) => occupied),
    PENALTY,
  );
  return Array.from(head, (weight) => Math.round(1e4 * weight) / 1e4);
}

function judge(law: ConfirmationLaw, rooms: readonly Recollection[]): ConfirmationFigures[] {
  return [...new Set(rooms.map(({ kind }) => kind))].map((kind) => {
    const those = rooms.filter((one) => one.kind === kind);
    return {
      kind,
      before: mistakes(
        those,
        () =>
          ({ recall }) =>
            recall.counts,
      ),
      after: mistakes(those, () => confirming(law)),
    };
  });
}

/** Counts of successive windows of a room, as they are reported. */
function confirming(law: ConfirmationLaw): (one: Recalled, window: number) => readonly number[] {
  let standing: Confirmation | undefined;
  return ({ recall }, window) => {
    standing = confirm(law, standing, recall, window * BEAT_S * 1e6);
    return confirmedCounts(recall.counts, standing);
  };
}

function mistakes(
  rooms: readonly Recollection[],
  reporting: () => (one: Recalled, window: number) => readonly number[],
): Mistakes {
  const said = rooms.flatMap(({ windows }) => {
    const report = reporting();
    return windows
      .map((one, w) => ({
        occupied: one.occupied,
        reported: 1 - report(one, w)[0]! >= CLAIMED,
        later: 2 * w > windows.length,
      }))
      .slice(BEGINNING);
  });
  const empty = said.filter(({ occupied }) => !occupied);
  return {
    claimed: shareOf(empty, ({ reported }) => reported),
    claimedLater: shareOf(
      empty.filter(({ later }) => later),
      ({ reported }) => reported,
    ),
    missed: shareOf(
      said.filter(({ occupied }) => occupied),
      ({ reported }) => !reported,
    ),
  };
}

const shareOf = <T>(those: readonly T[], is: (one: T) => boolean): number | null =>
  those.length === 0 ? null : Math.round((1e4 * those.filter(is).length) / those.length) / 1e4;
