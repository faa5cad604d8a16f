import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cellText, tableText, type Column, type Row } from '../accuracy/chain/table.js';
import { unknownAgain } from '../accuracy/chain/tables/report.js';
import { provenanceText, type Provenance } from '../shared/provenance.js';
import { CONTRACTS, TASK_NAMES } from './contracts.js';
import { abstained } from './metrics.js';
import { OWN, type Measured, type SuitePlan } from './task.js';

/** A task of the report: each states how it was measured, so that one can be measured again by itself. */
export interface Reported extends Measured, Provenance {
  readonly seed: number;
  readonly rooms: number;
}

export interface SuiteReport {
  /** The file's name. */
  readonly topology: string;
  readonly tasks: readonly Reported[];
}

export const suiteReport = (
  { topology, seed, rooms }: Pick<SuitePlan, 'topology' | 'seed' | 'rooms'>,
  made: Provenance,
  tasks: readonly Measured[],
): SuiteReport => ({
  topology: basename(topology.file ?? topology.id),
  tasks: tasks.map((one) => ({ ...one, ...made, seed, rooms })),
});

export const measuredText = ({ title, table, skipped }: Measured): string =>
  table ? tableText(table) : `## ${title}\n\nSkipped: ${skipped ?? ''}.\n`;

export const reportText = ({ topology, tasks }: SuiteReport): string =>
  [
    '# The benchmark suite',
    '',
    `This page shows how well csiflow does on eight tasks of Wi-Fi sensing, with people, rooms or devices that no model was trained on ([what is measured, and how](../suite.md)). Its rows are the results of \`${topology}\` on raw frames, unless a task says otherwise. \`csiflow evaluate suite\` writes the page; do not edit it.`,
    '',
    'Brackets contain the 95 % interval, by bootstrap over whole people, rooms or devices; there is none if there is only one. Rows in italics are baselines that need no CSI, or no learning.',
    '',
    ...tasks.map((one) => `${measuredText(one)}\n${measuredOn(one)}\n`),
  ].join('\n');

const measuredOn = (task: Reported): string =>
  `${provenanceText(task)}, seed ${task.seed}, ${task.rooms} rooms or the same share of the recordings, ${task.seconds} s.`;

const REPORT = 'suite.json';

/** Writes `suite.md` and `suite.json`; tasks not measured in this run keep their earlier results. */
export function writeSuite(folder: string, report: SuiteReport): SuiteReport {
  mkdirSync(folder, { recursive: true });
  const whole = { ...report, tasks: withEarlier(folder, report) };
  writeFileSync(join(folder, REPORT), `${JSON.stringify(whole, null, 2)}\n`);
  writeFileSync(join(folder, 'suite.md'), reportText(whole));
  return whole;
}

/** In the order of the suite; a skipped task keeps its earlier result. */
function withEarlier(folder: string, { topology, tasks }: SuiteReport): readonly Reported[] {
  const earlier = earlierTasks(folder, topology);
  return TASK_NAMES.flatMap((name) => {
    const now = tasks.find(({ id }) => id === name);
    const before = earlier.find(({ id }) => id === name);
    const kept = now?.table ? now : (before ?? now);
    return kept ? [kept] : [];
  });
}

/** The tasks of a folder's report. @throws Error if it is of another topology */
export function earlierTasks(folder: string, topology: string): readonly Reported[] {
  const file = join(folder, REPORT);
  if (!existsSync(file)) return [];
  const earlier = readSuite(file);
  if (earlier.topology !== topology)
    throw new Error(
      `${file} is of ${earlier.topology}, not of ${topology}: remove it, or name another folder with --out`,
    );
  return earlier.tasks;
}

export const readSuite = (file: string): SuiteReport =>
  JSON.parse(readFileSync(file, 'utf8'), unknownAgain) as SuiteReport;

/**
 * The table of README: the first measure of each task, beside the best answer that needs no CSI or no
 * learning.
 */
function readmeTable({ tasks }: SuiteReport): string {
  const rows = tasks.flatMap(({ id, title, groups, table }) => {
    if (!table) return [];
    const [column] = table.columns;
    const text = (row: Row | undefined) => cellText(row?.cells[column!.id], column!.unit) || '-';
    const own = table.rows.find(({ name }) => name === OWN);
    const held = own?.cells[column!.id]?.rooms ?? 0;
    return [
      `| [${title}](docs/suite.md#${id}) | ${column!.title} | ${text(own)} | ${text(bestOf(table.rows, column!.id, CONTRACTS[id].best))} | ${held > 0 ? `${held} ${groups}` : `1 of the ${groups}`} | ${unansweredOf(table.columns, own)} |`,
    ];
  });
  return [
    '| task | measure | csiflow | best baseline | measured on | no answer |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** How often there is no answer, for README; empty if there always is one. */
function unansweredOf(columns: readonly Column[], own: Row | undefined): string {
  const column = columns.find(({ id }) => id === abstained.id);
  return column ? cellText(own?.cells[column.id], column.unit) : '';
}

function bestOf(rows: readonly Row[], column: string, best: 'highest' | 'lowest'): Row | undefined {
  const value = (row: Row) => row.cells[column]?.value ?? NaN;
  const sign = best === 'highest' ? 1 : -1;
  return rows
    .filter((row) => row.baseline && !Number.isNaN(value(row)))
    .sort((a, b) => sign * (value(b) - value(a)))[0];
}

const [BEGIN, END] = ['<!-- suite: begin -->', '<!-- suite: end -->'];

/** README with the table between its marks. @throws Error if it has no marks */
export function withTable(readme: string, report: SuiteReport): string {
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${BEGIN} with ${END} behind it`);
  return `${readme.slice(0, from + BEGIN.length)}\n${readmeTable(report)}\n${readme.slice(to)}`;
}
