import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  SEVERAL_WEIGHTS_FILE,
  SLOW_WEIGHTS_FILE,
  readSeveralWeights,
  readSlowWeights,
  readWarningWeights,
  readWeights,
  WARNING_WEIGHTS_FILE,
  WEIGHTS_FILE,
  type SeveralWeights,
} from '../../operators/detect-falls/networks/weights.js';
import { readManifest, SHIPPED } from '../../operators/infer-pose/model/weights.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { tableText } from '../accuracy/chain/table.js';
import type { TaskName } from './contracts.js';
import type { SuiteReport } from './report.js';

/** A page about a shipped model. */
export interface Card {
  /** In the repository. */
  readonly path: string;
  readonly text: string;
}

interface Described {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly trainedOn: readonly string[];
  /** Tasks of the suite that the model answers. */
  readonly tasks: readonly TaskName[];
  readonly more: string;
  readonly limits: readonly string[];
}

/** The cards of all shipped models, with their results from a report. */
export const cards = (report: SuiteReport): readonly Card[] =>
  [pose(), poseAtFive(), falls(), fallsOfSeveral(), fallsOfSlow(), fallWarnings()].map((model) => ({
    path: `docs/models/${model.name}.md`,
    text: cardText(model, report),
  }));

const digest = (path: string): string =>
  createHash('sha256')
    .update(readFileSync(packageFile(path)))
    .digest('hex');

/** A model of infer-pose: both of its networks. */
function poseNetworks(model: string) {
  const folder = `${SHIPPED}/${model}`;
  const manifest = readManifest(packageFile(folder));
  const { name, version, parameters, sha256, training, memory } = manifest;
  if (!memory) throw new Error(`${folder} has no memory`);
  const facts: Described['facts'] = [
    ['parameters', parameters.toLocaleString('en')],
    ['file', `${folder}/weights.bin`],
    ['SHA-256', sha256],
    ['trained with', String(training['with'])],
    ['parameters of its memory', memory.parameters.toLocaleString('en')],
    ['file', `${folder}/memory.bin`],
    ['SHA-256', memory.sha256],
    ['trained with', String(memory.training['with'])],
  ];
  return { name, version, facts, manifest, memory };
}

const POSE_SUMMARY =
  'Place, pose, heading and posture of up to four people from windows of 2 s of 1 to 9 links; used by `infer-pose`';
const KINDS = 'one person, several, nobody; walking, resting, daily life, falls; pets, fans and curtains';

function pose(): Described {
  const { name, version, facts, manifest, memory } = poseNetworks('general');
  return {
    ...{ name, version, facts },
    summary: `${POSE_SUMMARY}.`,
    trainedOn: [
      `${manifest.trainedOn}, no recordings: ${String(manifest.training['data'])}`,
      `its memory: ${roomsOf(memory.training)} simulated rooms, as the shipped chain cleans their frames; ${KINDS}`,
    ],
    tasks: ['count', 'pose'],
    more: '[accuracy.md](../reports/accuracy.md): empty rooms, people who keep still, several people, bad links',
    limits: [
      'It was trained on simulated CSI only. On recordings of real rooms, over one link, it sees somebody in 9 % of the frames of empty rooms, in 88 % of those in which somebody moves, and in 38 % of those of one person who keeps still. No recording has true positions or postures, so it is unknown whether these are right in real rooms.',
      'At rest, simulated people are located to 0.55 m, and their posture is right in 87 % of frames: sitting people are mistaken most often (right in 79 %).',
      'After a fall, it reports somebody who lies on the floor as lying in 36 to 79 % of frames, by the kind of fall.',
      'Links must be declared with their positions; if a node is moved, the positions of people are wrong.',
    ],
  };
}

function poseAtFive(): Described {
  const { name, version, facts, manifest } = poseNetworks('general-5-ghz');
  return {
    ...{ name, version, facts },
    summary: `${POSE_SUMMARY} in rooms most of whose links are at 5 or 6 GHz.`,
    trainedOn: [
      `${manifest.trainedOn}, no recordings: the networks of [csiflow-pose-general](csiflow-pose-general.md), then both together in ${Number(manifest.training['rooms']).toLocaleString('en')} rooms of 75 s at 5.18 to 5.83 GHz, received like an Intel 5300, an ESP32 with 802.11n, or a Raspberry Pi 4; ${KINDS}`,
    ],
    tasks: [],
    more: '[accuracy.md](../reports/accuracy.md#other-receivers): the same rooms at 2.4 and 5.2 GHz',
    limits: [
      'It was trained on simulated CSI only, and never measured on real people at 5 GHz whose positions are known.',
      'It was not trained at 6 GHz.',
      'At 50 frames a second, somebody who walks changes a channel at 5 GHz faster than it is sampled.',
      'The limits of [csiflow-pose-general](csiflow-pose-general.md) apply, too.',
    ],
  };
}

/** Rooms of a training, and of those whose weights it began with. */
function roomsOf({ rooms, before }: Readonly<Record<string, unknown>>): string {
  const count = Number(rooms).toLocaleString('en');
  return before ? `${roomsOf(before as Record<string, unknown>)}, then ${count}` : count;
}

const FALL_LIMITS = [
  'Do not rely on it for the safety of people.',
  'It has never been measured on slow falls, or on falls of elderly people.',
];

function falls(): Described {
  const { name, version, trainedOn, nets, threshold } = readWeights();
  return {
    name: `csiflow-${name}`,
    version,
    summary:
      'Whether a burst of motion on one link is a fall; used by `detect-falls` if a room has one link.',
    facts: [
      ['nets', `${nets.length}, twelve features each`],
      ['default threshold', String(threshold)],
      ['file', WEIGHTS_FILE],
      ['SHA-256', digest(WEIGHTS_FILE)],
      ['trained by', '`csiflow train falls`'],
    ],
    trainedOn: trainedOn.map(({ data, licence, examples }) => `${data}; ${licence}; ${examples}`),
    tasks: ['falls'],
    more: '[decision 0129](../decisions/0129-reports-measure-a-topology.md): choices made in its training',
    limits: [
      'It learnt from six falls of one person in one room.',
      'In recordings of a Nexmon chip from two rooms, it found [none of six falls](../reports/accuracy.md#falls-on-recordings).',
      ...FALL_LIMITS,
    ],
  };
}

const fallsOfSeveral = (): Described =>
  severalDescribed(
    readSeveralWeights(),
    SEVERAL_WEIGHTS_FILE,
    'Whether an end of motion on several links is a fall; used by `detect-falls` if a room has two links or more.',
  );

function fallsOfSlow(): Described {
  const weights = readSlowWeights();
  return severalDescribed(
    weights,
    SLOW_WEIGHTS_FILE,
    `Whether an end of motion on several links is a fall; used by \`detect-falls\` if the links have fewer than ${weights.belowHz} frames a second on average. So few hide the fastest part of a fall, so far fewer are found.`,
  );
}

function severalDescribed(
  { name, version, trainedOn, trainedWith, nets, threshold }: SeveralWeights,
  file: string,
  summary: string,
): Described {
  return {
    name: `csiflow-${name}`,
    version,
    summary,
    facts: [
      ['nets', String(nets.length)],
      ['default threshold', String(threshold)],
      ['file', file],
      ['SHA-256', digest(file)],
      ['trained with', trainedWith],
    ],
    trainedOn: [trainedOn],
    tasks: [],
    more: '[falls-several-links.md](../reports/falls-several-links.md)',
    limits: [
      'It knows only simulated rooms: it was trained on simulated falls and on falls of 40 rag-dolls, and never measured on real ones.',
      'It has learnt these kinds of falls. Before rag-dolls were among them, it missed 93 % of the falls of rag-dolls: expect to miss falls of other kinds.',
      ...FALL_LIMITS,
    ],
  };
}

function fallWarnings(): Described {
  const { name, version, of, trainedOn, trainedWith, threshold } = readWarningWeights();
  return {
    name: `csiflow-${name}`,
    version,
    summary:
      'Whether an end of motion on several links looks like a fall so far; used by `detect-falls` with `warn: true`.',
    facts: [
      ['reads', `lower layers of csiflow-falls-several, version ${of}`],
      ['default threshold', String(threshold)],
      ['file', WARNING_WEIGHTS_FILE],
      ['SHA-256', digest(WARNING_WEIGHTS_FILE)],
      ['trained with', trainedWith],
    ],
    trainedOn: [trainedOn],
    tasks: [],
    more: '[falls-several-links.md](../reports/falls-several-links.md#warned-at-once)',
    limits: [
      'Most warnings are false.',
      'It was trained and measured only in simulated rooms.',
      ...FALL_LIMITS,
    ],
  };
}

function cardText(model: Described, report: SuiteReport): string {
  const { name, version, summary, facts, trainedOn, tasks, more, limits } = model;
  const tables = report.tasks.flatMap(({ id, table }) =>
    table && tasks.includes(id) ? [tableText(table).replace('## ', '### ')] : [],
  );
  const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n');
  return `<!-- Written by \`csiflow evaluate suite --write\`; change it there. -->

# ${name}

This card describes a model that ships with csiflow: what it does, what it was trained on, how accurate it is and where it fails.

${summary}

| | |
|---|---|
${[['version', version], ...facts, ['licence', 'MIT']].map(([key, value]) => `| ${key} | ${value} |`).join('\n')}

## Trained on

${list(trainedOn)}

## Figures

${tables.length > 0 ? `From the [benchmark suite](../suite.md), with people, rooms and chips that were not in training.\n\n${tables.join('\n')}` : 'No task of the [benchmark suite](../suite.md) measures it separately.\n'}
More: ${more}.

## Limits

${list(limits)}
`;
}
