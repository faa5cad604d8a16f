import type { Table } from '../accuracy/chain/table.js';
import { tableText } from '../accuracy/chain/table.js';

/** Results of a training on a site's own recordings. */
export interface SiteReport {
  readonly model: string;
  /** SHA-256 of the first and the final model, hexadecimal. */
  readonly from: { readonly folder: string; readonly sha256: string };
  readonly sha256: string;
  readonly training: Readonly<Record<string, unknown>>;
  /** Steps, training loss and validation loss; the first entry is of the initial model. */
  readonly curve: readonly (readonly [step: number, loss: number | null, watched: number])[];
  readonly table: Table;
}

/** The report as Markdown; its curve is a Mermaid chart. */
export const markdownOf = ({ model, from, training, curve, table, sha256 }: SiteReport): string =>
  [
    `# The model ${model}, trained on recordings of its own room`,
    '',
    `This page shows what a training on recordings of the room itself changed. \`csiflow train site\` wrote it, beginning with the weights in \`${from.folder}\`.`,
    '',
    '| fact | |',
    '|---|---|',
    `| SHA-256 of memory.bin, before | \`${from.sha256}\` |`,
    `| after | \`${sha256}\` |`,
    ...Object.entries(training).map(
      ([name, value]) => `| ${name} | ${typeof value === 'string' ? value : JSON.stringify(value)} |`,
    ),
    '',
    tableText(table),
    '## Curve',
    '',
    'Loss at each look in the stretches that were looked at but not trained on; 0 is the model that it began with.',
    '',
    '```mermaid',
    'xychart-beta',
    `  x-axis "step" [${curve.map(([step]) => step).join(', ')}]`,
    '  y-axis "loss"',
    `  line [${curve.map(([, , watched]) => watched).join(', ')}]`,
    '```',
    '',
    '| step | loss of what is trained on | of what is looked at |',
    '|---|---|---|',
    ...curve.map(([step, loss, watched]) => `| ${step} | ${loss ?? ''} | ${watched} |`),
    '',
  ].join('\n');
