import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../pipeline/base/folders.js';
import type { Operating } from './operating-points.js';

/** What a training shows after an epoch of one of its nets. */
export interface Epoch {
  /** Both from 1. */
  readonly net: number;
  readonly epoch: number;
  /** Mean loss on the examples, and on rooms that are not trained on. */
  readonly loss: number;
  readonly validation: number;
}

export interface SeveralReport {
  /** The file of weights and its checksum. */
  readonly file: string;
  readonly sha256: string;
  readonly trainedOn: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly curve: readonly Epoch[];
  readonly points: readonly Operating[];
}

/** Writes the report of a training to `file`, as Markdown. */
export function writeSeveralReport(file: string, report: SeveralReport): void {
  makeFolder(dirname(file));
  writeFileSync(file, textOf(report));
}

const textOf = ({ file, sha256, trainedOn, settings, curve, points }: SeveralReport): string =>
  [
    '# A training of the networks for falls over several links',
    '',
    `Written by \`csiflow train falls --several\`. Trained on: ${trainedOn}. Weights: \`${file}\`, SHA-256 \`${sha256}\`.`,
    `Settings: ${Object.entries(settings)
      .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
      .join(', ')}.`,
    '',
    '## Falls found in the tuning rooms',
    '',
    'These simulated rooms are not trained on, and the threshold is chosen in them. Only the networks are measured: for a whole topology in rooms that nothing was chosen by, run `csiflow evaluate chain --only falls`.',
    '',
    '| logit | falls found | false alarms an hour |',
    '|---|---|---|',
    ...points.map(
      ({ threshold, found, falls, falseAnHour }) =>
        `| ${threshold.toFixed(2)} | ${found} of ${falls} | ${falseAnHour.toFixed(2)} |`,
    ),
    '',
    '## Loss',
    '',
    'Mean loss of each epoch on the examples, with their noise, and on other rooms, without.',
    '',
    '| net | epoch | loss | other rooms |',
    '|---|---|---|---|',
    ...curve.map(
      ({ net, epoch, loss, validation }) =>
        `| ${net} | ${epoch} | ${loss.toFixed(4)} | ${validation.toFixed(4)} |`,
    ),
    '',
  ].join('\n');
