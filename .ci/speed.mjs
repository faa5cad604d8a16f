// Prints how much slower or faster this commit is than the one before, from what `csiflow bench start` and
// `csiflow bench idle` measured in one run (`.ci/speed.sh`), as a Markdown table.
//
//   node .ci/speed.mjs FOLDER
//
// FOLDER contains start-figures.json and idle-figures.json. Versions in them: this one, this one again, and the
// one before. A ratio above 1 means that this commit takes more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const read = (name) => JSON.parse(readFileSync(join(folder, `${name}-figures.json`), 'utf8'));

/**
 * One row. `[this, again, before]`: medians, and those of the other two over this version's in the same round.
 * A difference is only shown if it is at least 5 %, and more than twice that of this version from itself.
 */
function row(what, [figure, , figureBefore], [, again, before]) {
  const ratio = 1 / before;
  const shown = Math.abs(Math.log(ratio)) > Math.max(Math.log(1.05), 2 * Math.abs(Math.log(again)));
  const verdict = shown ? (ratio > 1 ? 'more' : 'less') : 'no difference shown';
  return `| ${what} | ${figureBefore} | ${figure} | ${ratio.toFixed(2)} | ${again.toFixed(2)} | ${verdict} |`;
}

const { machine, starts } = read('start');
const { costs } = read('idle');
const PARTS = ['ready', 'cpu', 'pose', 'poseCpu'];
const startRow = (what, part) =>
  row(
    what,
    starts.map((start) => Math.round(start[part][0])),
    starts.map(({ overThis }) => overThis[PARTS.indexOf(part)]),
  );

const rows = [
  startRow('start until `/readyz`, processor time, ms', 'cpu'),
  startRow('start until `/readyz`, ms', 'ready'),
  startRow("start until the demo's first pose, processor time, ms", 'poseCpu'),
  startRow("start until the demo's first pose, ms", 'pose'),
  row(
    `a frame of the chain ${costs[0].chain} at ${costs[0].frames} frames/s, processor time, us`,
    costs.map(({ usPerFrame }) => Math.round(usPerFrame[0])),
    costs.map(({ overThis }) => overThis),
  ),
];

console.log(
  `${machine.cores} cores, Node ${machine.node}, load ${machine.load} at the start. Processor times are valid on a busy machine; elapsed times need an idle one.

| what | the commit before | this commit | this over before | control: this over itself | |
|---|---|---|---|---|---|
${rows.join('\n')}`,
);
