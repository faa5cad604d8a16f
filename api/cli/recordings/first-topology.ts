import { yamlText } from '../../../pipeline/formats/senders/strangers.js';
import type { Summary } from './inspect.js';
import { heardIn, linkLines, type Heard } from './link-lines.js';

/** Value of a field of the source; `table` is a map. */
export type Setting = string | number | object;

/** Inputs of a first topology. */
export interface Found {
  /** The file or the address, as typed. */
  readonly what: string;
  readonly kind: string;
  readonly format: string;
  readonly summary: Summary;
  /** Id of the topology. */
  readonly id: string;
  /** Fields of the source, and the capture for the test, both as named in the topology's file. */
  readonly source: Readonly<Record<string, Setting>>;
  readonly capture: string;
  /** False if a run of the topology found none. */
  readonly yieldsMotion?: boolean;
}

/** A window with enough frames of the slowest link, milliseconds; null if the input is too short to fill one. */
export function windowFor(heard: readonly Pick<Heard, 'rate'>[], seconds: number): number | null {
  const slowest = slowestOf(heard);
  const length = slowest > 0 ? Math.ceil(MIN_FRAMES / slowest) * 1000 : Infinity;
  const fitting = Math.max(2000, length);
  return fitting <= MAX_WINDOW_MS && fitting * 1.5 <= seconds * 1000 ? fitting : null;
}

/** Rate of the slowest link, except links a tenth as fast as the fastest: windows are not made for them. */
function slowestOf(heard: readonly Pick<Heard, 'rate'>[]): number {
  const rates = heard.map(({ rate }) => rate);
  const fastest = Math.max(...rates);
  return Math.min(...rates.filter((rate) => 10 * rate >= fastest));
}

const MIN_FRAMES = 20;
const MAX_WINDOW_MS = 60_000;
const POINTS = 100;

/** Names of the schemas beside the files, with which editors complete them. */
export const SCHEMA_FILES = {
  topology: 'topology.schema.json',
  environment: 'environment.schema.json',
} as const;

const modeline = (schema: string): string => `# yaml-language-server: $schema=${schema}`;

/** The text of a topology that shows motion, with a test on the recorded input. */
export function firstTopology(found: Found): string {
  const { what, kind, format, summary, id, source, capture } = found;
  const heard = heardIn(summary);
  const length = windowFor(heard, summary.seconds);
  const records = heard.reduce((sum, one) => sum + one.records, 0);
  const gap = longestGap(summary);
  const isReport = summary.senders.some(({ layouts }) =>
    layouts.some(({ layout }) => layout.endsWith('/beamforming-report')),
  );
  return [
    modeline(SCHEMA_FILES.topology),
    `# Created by \`csiflow init\` from ${what}: ${kind}, records of ${format}.`,
    '#   csiflow test topology.yaml     the test below',
    '#   csiflow run topology.yaml      motion, on this terminal; the live page at http://127.0.0.1:8000/',
    `id: ${id}`,
    'environment: room.yaml',
    'sources:',
    `  air: { ${fieldsText(source)} }`,
    'operators:',
    '  clean: { type: denoise, from: air }',
    ...(isReport ? [] : ['  phase: { type: phase-sanitize, from: clean }']),
    ...windowLines(length ?? 2000, isReport ? 'clean' : 'phase', heard),
    '  motion: { type: detect-motion, from: windows }',
    '# Once room.yaml has your measured positions, `infer-pose` and `track-persons` locate people:',
    `# csiflow create ${source['type'] as string} normalize-gain denoise phase-sanitize window infer-pose track-persons duckdb websocket`,
    ...(heard.length > 1 ? [COUNTING] : []),
    'sinks:',
    '  screen: { type: console, from: motion }',
    'tests:',
    '  - name: the first recording is still read',
    `    input: { air: ${inputText(source, capture)} }`,
    '    expect:',
    `      - { from: air, matching: { port: csi }, count: { at_least: ${records} } }`,
    ...(length === null || gap * 2000 > length || found.yieldsMotion === false
      ? [
          '      # Too short, too few or unusable frames, or too large gaps for motion: use a better recording.',
        ]
      : [MOTION]),
    '',
  ].join('\n');
}

const COUNTING =
  '# `watch-zones`, `from: [track-persons, motion]`, counts them: over three links or more, trust its `occupancy` rather than `presence`.';

/** The expectation that there is motion. */
const MOTION = '      - { from: motion, contains: { name: motion, subject: null } }';

/** The line, from 1, in which the test of `firstTopology` expects motion; null if it does not. */
export function motionLine(found: Found): number | null {
  const at = firstTopology(found).split('\n').indexOf(MOTION);
  return at < 0 ? null : at + 1;
}

/** Longest gap in the layout that each sender uses most, seconds. Other layouts may be rare, and motion does not need them. */
function longestGap({ senders }: Summary): number {
  const usual = senders.map(({ layouts }) => layouts.reduce((a, b) => (b.frames > a.frames ? b : a)));
  return Math.max(...usual.map(({ longest_gap_s }) => longest_gap_s));
}

function windowLines(length: number, from: string, heard: readonly Heard[]): readonly string[] {
  const slowest = slowestOf(heard);
  // A slow link must not count as idle.
  const idle = slowest > 0 ? Math.min(60_000, Math.max(500, Math.ceil(5000 / slowest))) : 500;
  const step = length / POINTS;
  return [
    `  windows: { type: window, from: ${from}, length_ms: ${length}, hop_ms: ${10 * step}, points: ${POINTS}, idle_ms: ${idle} }`,
  ];
}

/** A capture stores its format; other recordings need it here. */
function inputText({ type, records, table }: Found['source'], capture: string): string {
  if (type !== 'file' || (records === undefined && table === undefined)) return scalar(capture);
  const told = { type, path: capture, ...(records && { records }), ...(table && { table }) };
  return `{ ${fieldsText(told)} }`;
}

const fieldsText = (fields: Readonly<Record<string, Setting>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${scalar(value)}`)
    .join(', ');

/** As YAML within braces: JSON is YAML too. */
const scalar = (value: Setting): string =>
  typeof value === 'string' ? yamlText(value) : JSON.stringify(value);

/** The text of an environment with a link for each sender, positions assumed. */
export function firstEnvironment({ what, summary }: Pick<Found, 'what' | 'summary'>): string {
  return [
    modeline(SCHEMA_FILES.environment),
    `# Created by \`csiflow init\` from ${what}. Lengths are metres, as [x, y, z] from a corner of the floor.`,
    'id: room',
    'size: { x: 5, y: 4, z: 2.5 }',
    'timezone: UTC',
    'links:',
    ...linkLines(summary),
    'assumed:',
    '  - The size of the room and the positions of the devices. Measure them, then remove this line from room.yaml.',
    '',
  ].join('\n');
}
