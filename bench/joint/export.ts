import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LINK_FEATURES } from '../../operators/infer-pose/inputs/features.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import { PEOPLE, playRoom, TOLD, type PlayedRoom } from '../memory/courses.js';
import { answersOf } from './answers.js';
import { halvesOf, writeArrays, type ShapedArray } from './arrays-file.js';
import { rawCourse, type RawCourse } from './raw-course.js';
import { inTurn, TABLES } from './rooms.js';

/**
 * Simulates the rooms of a table and writes each to a file for train.py. Several processes share the work: each is
 * told its number and how many there are. With `--answers`, the files also hold what the shipped networks answer, for
 * check.py.
 */

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    table: { type: 'string', default: 'training' },
    shard: { type: 'string', default: '0' },
    of: { type: 'string', default: '1' },
    /** Rooms of all processes. */
    rooms: { type: 'string', default: 'Infinity' },
    /** After this time, no process begins another room. */
    'seconds-limit': { type: 'string', default: 'Infinity' },
    answers: { type: 'boolean', default: false },
  },
});
const { out, table, answers } = values;
if (out === undefined || !(table in TABLES)) throw new Error('usage: README.md beside this file');
const [shard, of, limit] = [Number(values.shard), Number(values.of), Number(values['seconds-limit'])];
const began = performance.now();
const seconds = (): number => (performance.now() - began) / 1000;

mkdirSync(out, { recursive: true });
if (answers) await loadTrainingBackend();
const rooms = inTurn(TABLES[table as keyof typeof TABLES]).slice(0, Number(values.rooms));
let done = 0;
for (const { seed, ...wanted } of rooms.filter((_, index) => index % of === shard)) {
  if (seconds() > limit) break;
  const path = join(out, `${seed}.room`);
  if (existsSync(path)) continue;
  const played = playRoom(seed, wanted);
  const about = { seed, kind: played.kind, centreMhz: played.layout.centreMhz };
  const course = rawCourse(played);
  writeArrays(path, about, { ...columnsOf(course), ...(answers ? shipped(played, course) : {}) });
  done++;
}
process.stdout.write(`process ${shard}: ${done} rooms in ${seconds().toFixed(0)} s\n`);

function columnsOf({ windows, links, rows, ...course }: RawCourse): Record<string, ShapedArray> {
  return {
    features: { values: halvesOf(course.features), shape: [rows, LINK_FEATURES] },
    row: { values: course.row, shape: [windows, links] },
    size: { values: course.size, shape: [2] },
    places: { values: course.places, shape: [links, 6] },
    people: { values: course.people, shape: [windows] },
    truth: { values: course.truth, shape: [windows, PEOPLE, TOLD] },
  };
}

/** Answers of the shipped networks, and the features that they came from. */
function shipped(played: PlayedRoom, { features, rows }: RawCourse): Record<string, ShapedArray> {
  return { exact: { values: features, shape: [rows, LINK_FEATURES] }, ...answersOf(played) };
}
