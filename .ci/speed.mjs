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

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
const spread = (middle, values, digits) =>
  `${middle.toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

/** One version's figure: median, least and most of the rounds, and how many frames it lost. */
const figureText = ([middle, ...ends], lost) =>
  `${spread(middle, ends, 0)}${lost > 0 ? `, ${lost.toLocaleString('en')} frames lost` : ''}`;

/**
 * A difference is only shown if it is at least 5 %, more than twice that of this version from itself, and if all rounds
 * agree which version takes more. Versions that lost frames did not do the same work.
 */
function verdictOf(ratios, controls, lost) {
  if (lost.some((frames) => frames > 0)) return 'no verdict: frames were lost';
  const [ratio, control] = [median(ratios), median(controls)];
  const shown = Math.abs(Math.log(ratio)) > Math.max(Math.log(1.05), 2 * Math.abs(Math.log(control)));
  if (!shown) return 'no difference shown';
  if (ratios.some((one) => one > 1 !== ratio > 1)) return 'no verdict: rounds disagree';
  return ratio > 1 ? 'more' : 'less';
}

/**
 * One row. `[this, again, before]`: the figures, those of the other two over this version's in each round, and lost
 * frames.
 */
function row(what, figures, [, controls, befores], lost = [0, 0, 0]) {
  const ratios = befores.map((before) => 1 / before);
  const [texts, overs] = [
    [2, 0].map((version) => figureText(figures[version], lost[version])),
    [ratios, controls].map((values) => spread(median(values), values, 2)),
  ];
  return `| ${[what, ...texts, ...overs, verdictOf(ratios, controls, lost)].join(' | ')} |`;
}

const { machine, starts } = read('start');
const { costs } = read('idle');
const PARTS = ['ready', 'cpu', 'pose', 'poseCpu'];
const startRow = (what, part) =>
  row(
    what,
    starts.map((start) => start[part]),
    starts.map(({ overThisInRounds }) => overThisInRounds[PARTS.indexOf(part)]),
  );

const rows = [
  startRow('start until `/readyz`, processor time, ms', 'cpu'),
  startRow('start until `/readyz`, ms', 'ready'),
  startRow("start until the demo's first pose, processor time, ms", 'poseCpu'),
  startRow("start until the demo's first pose, ms", 'pose'),
  row(
    `a frame of the chain ${costs[0].chain} at ${costs[0].frames} frames/s, processor time, us`,
    costs.map(({ usPerFrame }) => usPerFrame),
    costs.map(({ overThisInRounds }) => overThisInRounds),
    costs.map(({ lost }) => lost),
  ),
];

console.log(
  `${machine.cores} cores, Node ${machine.node}, load ${machine.load} at the start. Processor times are valid on a busy machine; elapsed times need an idle one.

Times are medians over the rounds, with the least and the most. Ratios are medians of the ratios within each round, so they need not be the quotients of the medians.

| what | the commit before | this commit | this over before | control: this over itself | |
|---|---|---|---|---|---|
${rows.join('\n')}`,
);
