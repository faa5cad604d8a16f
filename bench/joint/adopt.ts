import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { namedModel } from '../../operators/infer-pose/model/named-model.js';
import { floatsOf, readManifest, writeMemory, writeModel } from '../../operators/infer-pose/model/weights.js';
import { PARAMETERS } from '../../operators/infer-pose/networks/layers.js';
import { MEMORY_PARAMETERS } from '../../operators/infer-pose/networks/memory-layers.js';
import { Network, weightTensors } from '../../operators/infer-pose/networks/network.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import { calibrate } from '../../operators/infer-pose/training/evaluate.js';
import { readJsonFile } from '../../operators/shared/json-file.js';
import { CROWD_ODDS, withCrowdOdds } from '../memory/crowd-odds.js';
import { BANDS } from '../memory/bands.js';
import { simulateCourses } from '../memory/courses.js';
import { inBand } from '../memory/receivers.js';
import { RoomProgress } from '../memory/room-progress.js';
import { TABLES } from './rooms.js';
import { judgeMemory } from '../memory/judge-memory.js';
import { TUNING } from '../memory/train-memory.js';

/**
 * Makes a model of what train.py wrote: fits the error scales of both networks on rooms that they were not trained on,
 * and makes crowds rarer in the memory's weights. The law that confirms newcomers remains that of the model from which
 * training started; `csiflow train confirmation` fits it anew.
 */

/** A channel in the middle of those at 5 GHz. */
const FIVE_MHZ = 5500;

const { values } = parseArgs({
  options: {
    /** Folder with weights.bin, memory.bin and training.json. */
    trained: { type: 'string' },
    out: { type: 'string' },
    /** The model from which training started. */
    start: { type: 'string', default: 'general' },
    version: { type: 'string' },
    /** Where the receivers work that the model is for. */
    band: { type: 'string', default: '2.4-ghz' },
    /** The table of rooms that it was trained on: as many of them as `rooms` of training.json says, in turn. */
    table: { type: 'string', default: 'training' },
    /** The model's name; that of the model from which training started if missing. */
    name: { type: 'string' },
    /** Held-out windows for each of three numbers of links, for the pose network's error scales. */
    sequences: { type: 'string', default: '1000' },
    /** Folder that caches simulated rooms. */
    cache: { type: 'string' },
  },
});
const { trained, out, start, sequences, cache } = values;
const band = BANDS.find((one) => one === values.band);
if (trained === undefined || out === undefined || !band || !(values.table in TABLES))
  throw new Error('usage: README.md beside this file');
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const weights = trainedWeights('weights.bin', PARAMETERS);
const memory = withCrowdOdds(trainedWeights('memory.bin', MEMORY_PARAMETERS), CROWD_ODDS);
const training = {
  ...(readJsonFile(join(trained, 'training.json')) as Readonly<Record<string, unknown>>),
  ...{ table: values.table, kinds: TABLES[values.table as keyof typeof TABLES] },
};
await loadTrainingBackend();

const before = readManifest(namedModel(start));
const { version, name } = { version: before.version, name: before.name, ...values };
const { trainedOn, accuracy, site } = before;
const manifest = writeModel(out, weights, {
  ...{ name, version, trainedOn, accuracy, site },
  calibration: calibrate(weights, null, Number(sequences), band === '5-ghz' ? FIVE_MHZ : undefined),
  training: { ...training, before: { version: before.version, ...before.training } },
});
print(`wrote the pose network to ${out}`);

const network = new Network(weightTensors(weights));
const { echoes = false } = TABLES[values.table as keyof typeof TABLES][0]!;
const progress = new RoomProgress(TUNING, { cache, print });
const courses = inBand(TUNING, band).flatMap((rooms) =>
  simulateCourses(network, { ...rooms, echoes }, { cache, behind: manifest.sha256, progress }),
);
const { figures, calibration } = judgeMemory(memory, courses);
for (const line of figures) print(JSON.stringify(line));
const { confirmation } = before.memory ?? {};
writeMemory(out, memory, {
  ...(confirmation ? { confirmation } : {}),
  ...{ calibration, crowdOdds: CROWD_ODDS },
  training: { ...training, before: { version: before.version, ...before.memory?.training } },
});
print(`wrote the memory to ${out}`);

/** @throws Error if the file holds weights of another network */
function trainedWeights(file: string, parameters: number): Float32Array {
  const read = floatsOf(readFileSync(join(trained!, file)));
  if (read.length !== parameters) throw new Error(`${file} holds ${read.length} numbers, not ${parameters}`);
  return read;
}
