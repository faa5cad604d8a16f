import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { provenanceText, type Provenance } from '../../../shared/provenance.js';
import { TABLES, type Measured, type TableName } from './evaluate.js';
import type { Plan } from '../plan.js';
import { tableText } from '../table.js';

/** A table of the report. Each states what it was measured on, so that one can be measured again by itself. */
export interface Reported extends Measured, Provenance {
  readonly seed: number;
}

export interface ChainReport {
  /** The file's name. */
  readonly topology: string;
  readonly tables: readonly Reported[];
}

export const reportOf = (
  { topology, seed }: Pick<Plan, 'topology' | 'seed'>,
  made: Provenance,
  tables: readonly Measured[],
): ChainReport => ({
  topology: basename(topology.file ?? topology.id),
  tables: tables.map((measured) => ({ ...measured, ...made, seed })),
});

/** The page of a report: `docs/reports/accuracy.md`. */
export const reportText = ({ topology, tables }: ChainReport): string =>
  [
    '# Accuracy',
    '',
    `This page shows how accurate \`${topology}\` is: what its sinks receive when raw frames pass through every node. Written by \`csiflow evaluate\`; do not edit. [How it is measured](../accuracy.md).`,
    '',
    'Brackets contain the 95 % interval, by bootstrap over whole rooms. Where all rooms agree, there are none, although [other rooms may differ](../accuracy.md#read-the-figures). Rows in italics are baselines that need no CSI. All rooms are simulated, unless a table says otherwise.',
    '',
    ...tables.map((one) => `${measuredText(one)}\n${provenanceText(one)}, seeds from ${one.seed}.\n`),
  ].join('\n');

export const measuredText = ({ id, table, problem }: Measured): string =>
  table ? tableText(table) : `## ${id}\n\n${problem ?? ''}\n`;

const REPORT = 'accuracy.json';

/**
 * Writes `accuracy.md` and `accuracy.json`; returns their paths. Tables not measured in this run keep their
 * earlier results, also those of recordings that it was not given.
 */
export function writeReport(folder: string, report: ChainReport): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const whole = { ...report, tables: withEarlier(folder, report) };
  const files = [
    [join(folder, 'accuracy.md'), reportText(whole)],
    [join(folder, REPORT), `${JSON.stringify(whole, null, 2)}\n`],
  ] as const;
  for (const [file, content] of files) writeFileSync(file, content);
  return files.map(([file]) => file);
}

/** In the order of the report. */
function withEarlier(folder: string, { topology, tables }: ChainReport): readonly Reported[] {
  // The first of a name counts.
  const all = [...tables.filter(({ table }) => table), ...earlierTables(folder, topology), ...tables];
  return (Object.keys(TABLES) as TableName[]).flatMap((name) => all.find(({ id }) => id === name) ?? []);
}

/** The tables of a folder's report. @throws Error if it is of another topology */
export function earlierTables(folder: string, topology: string): readonly Reported[] {
  const file = join(folder, REPORT);
  if (!existsSync(file)) return [];
  const earlier = JSON.parse(readFileSync(file, 'utf8'), unknownAgain) as ChainReport;
  if (earlier.topology !== topology)
    throw new Error(
      `${file} is of ${earlier.topology}, not of ${topology}: remove it, or name another folder`,
    );
  return earlier.tables;
}

/** JSON has no NaN: figures without data are null there. */
export const unknownAgain = (key: string, value: unknown): unknown =>
  value === null && ['value', 'low', 'high'].includes(key) ? NaN : value;
