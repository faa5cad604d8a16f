import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageVersion } from '../../../pipeline/base/paths.js';
import type { Plan } from './plan.js';
import type { Measured } from './evaluate.js';
import { tableText } from './table.js';

export interface ChainReport {
  readonly version: string;
  /** The file's name. */
  readonly topology: string;
  readonly seed: number;
  readonly rooms: number;
  readonly tables: readonly Measured[];
}

export const reportOf = (
  { topology, seed, rooms }: Pick<Plan, 'topology' | 'seed' | 'rooms'>,
  tables: readonly Measured[],
): ChainReport => ({
  version: packageVersion(),
  topology: basename(topology.file ?? topology.id),
  seed,
  rooms,
  tables,
});

const reportText = ({ version, topology, seed, rooms, tables }: ChainReport): string =>
  [
    '# Accuracy',
    '',
    `What the sinks of \`${topology}\` get, csiflow ${version}: raw frames of ${rooms} rooms a row (seeds from ${seed}) went through every node of the topology. Written by \`csiflow evaluate\`; do not edit.`,
    '',
    'In brackets: 95 % interval by bootstrap over whole rooms. Rows in italics need no CSI. Figures are of simulated rooms unless a table says otherwise.',
    '',
    ...tables.map(measuredText),
  ].join('\n');

export const measuredText = ({ id, table, problem }: Measured): string =>
  table ? tableText(table) : `## ${id}\n\n${problem ?? ''}\n`;

/** Writes `accuracy.md` and `accuracy.json`; returns their paths. */
export function writeReport(folder: string, report: ChainReport): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const files = [
    [join(folder, 'accuracy.md'), reportText(report)],
    [join(folder, 'accuracy.json'), `${JSON.stringify(report, null, 2)}\n`],
  ] as const;
  for (const [file, content] of files) writeFileSync(file, content);
  return files.map(([file]) => file);
}
