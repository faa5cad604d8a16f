import { yamlText } from '../../../pipeline/formats/strangers.js';
import type { SenderSummary, Summary } from './inspect.js';

/** What a first topology is made from. */
export interface Found {
  /** The file or the address, as it was typed. */
  readonly what: string;
  readonly kind: string;
  readonly format: string;
  readonly summary: Summary;
  /** Id of the topology. */
  readonly id: string;
  /** Fields of the source, and the capture that the test reads, both as the topology's file names them. */
  readonly source: Readonly<Record<string, string | number>>;
  readonly capture: string;
}

/** Who gets a link of their own, and how many records and frames a second came of them. */
export interface Heard {
  readonly sender: string;
  readonly records: number;
  readonly rate: number;
}

/** So many links at most, each of a sender with at least this share of what senders of its kind sent. */
const MOST_LINKS = 8;
const LEAST_SHARE = 0.02;

export function heardIn({ senders, seconds }: Summary): readonly Heard[] {
  const rate = (records: number): number => (seconds > 0 ? records / seconds : 0);
  const named = senders.flatMap(({ sender, heard = {}, layouts }: SenderSummary) => {
    const total = layouts.reduce((most, { frames }) => Math.max(most, frames), 0);
    const all = Object.values(heard).reduce((sum, count) => sum + count, 0);
    const single = Object.entries(heard).filter(([, count]) => count >= LEAST_SHARE * all);
    const found = single.length > 0 ? single : [[sender, total] as const];
    return found.map(([name, records]) => ({ sender: name, records, rate: rate(records) }));
  });
  return named.sort((a, b) => b.records - a.records).slice(0, MOST_LINKS);
}

/** A window that holds enough frames of the slowest link, milliseconds; null where the input is too short to fill one. */
export function windowFor(heard: readonly Heard[], seconds: number): number | null {
  const slowest = Math.min(...heard.map(({ rate }) => rate));
  const length = slowest > 0 ? Math.ceil(LEAST_FRAMES / slowest) * 1000 : Infinity;
  const fitting = Math.max(2000, length);
  return fitting <= LONGEST_MS && fitting * 1.5 <= seconds * 1000 ? fitting : null;
}

const LEAST_FRAMES = 20;
const LONGEST_MS = 60_000;
const POINTS = 100;

/** The text of a topology that shows motion, with a test that runs on what was seen. */
export function firstTopology(found: Found): string {
  const { what, kind, format, summary, id, source, capture } = found;
  const heard = heardIn(summary);
  const length = windowFor(heard, summary.seconds);
  const records = heard.reduce((sum, one) => sum + one.records, 0);
  const gap = Math.max(
    ...summary.senders.flatMap(({ layouts }) => layouts.map((layout) => layout.longest_gap_s)),
  );
  const isReport = summary.senders.some(({ layouts }) =>
    layouts.some(({ layout }) => layout.endsWith('/beamforming-report')),
  );
  const fields = Object.entries(source).map(([name, value]) => `${name}: ${scalar(value)}`);
  return [
    `# Made by \`csiflow init\` from ${what}: ${kind}, records of ${format}.`,
    '#   csiflow test topology.yaml     the test below',
    '#   csiflow run topology.yaml      motion, on this terminal; the live page at http://127.0.0.1:8000/',
    `id: ${id}`,
    'environment: room.yaml',
    'sources:',
    `  air: { ${fields.join(', ')} }`,
    'operators:',
    '  clean: { type: denoise, from: air }',
    ...(isReport ? [] : ['  phase: { type: phase-sanitize, from: clean }']),
    ...windowLines(length ?? 2000, isReport ? 'clean' : 'phase', heard),
    '  motion: { type: detect-motion, from: windows }',
    '# Once room.yaml has the positions that you measured, `infer-pose` and `track-persons` tell where people are:',
    '# csiflow create udp denoise phase-sanitize window infer-pose track-persons console',
    'sinks:',
    '  screen: { type: console, from: motion }',
    'tests:',
    '  - name: what was seen at first is still read',
    `    input: { air: ${inputText(source, capture)} }`,
    '    expect:',
    `      - { from: air, matching: { port: csi }, count: { at_least: ${records} } }`,
    ...(length === null || gap * 2000 > length
      ? ['      # Too short, too few frames, or holes too long for motion: a better recording gives it.']
      : ['      - { from: motion, contains: { name: motion, subject: null } }']),
    '',
  ].join('\n');
}

function windowLines(length: number, from: string, heard: readonly Heard[]): readonly string[] {
  const slowest = Math.min(...heard.map(({ rate }) => rate));
  // A link that sends slowly is not idle for that.
  const idle = slowest > 0 ? Math.min(60_000, Math.max(500, Math.ceil(5000 / slowest))) : 500;
  const step = length / POINTS;
  return [
    `  windows: { type: window, from: ${from}, length_ms: ${length}, hop_ms: ${10 * step}, points: ${POINTS}, idle_ms: ${idle} }`,
  ];
}

/** A capture knows how its records are read; another recording is told. */
const inputText = ({ type, records }: Found['source'], capture: string): string =>
  type === 'file' && records !== undefined
    ? `{ type: file, path: ${scalar(capture)}, records: ${records} }`
    : scalar(capture);

const scalar = (value: string | number): string =>
  typeof value === 'number' ? String(value) : yamlText(value);

/** Ends of links in a room of 5 by 4 metres: each crosses it another way. */
const ENDS: readonly (readonly [transmitter: string, receiver: string])[] = [
  ['[0.2, 0.2, 1]', '[4.8, 3.8, 1.2]'],
  ['[4.8, 0.2, 1]', '[0.2, 3.8, 1.2]'],
  ['[0.2, 2, 1]', '[4.8, 2, 1.2]'],
  ['[2.5, 0.2, 1]', '[2.5, 3.8, 1.2]'],
  ['[0.2, 0.2, 1.5]', '[4.8, 0.2, 0.8]'],
  ['[0.2, 3.8, 1.5]', '[4.8, 3.8, 0.8]'],
  ['[0.2, 0.2, 0.6]', '[0.2, 3.8, 1.6]'],
  ['[4.8, 0.2, 0.6]', '[4.8, 3.8, 1.6]'],
];

/** The text of an environment with a link for each sender, positions assumed. */
export function firstEnvironment({ what, summary }: Pick<Found, 'what' | 'summary'>): string {
  const links = heardIn(summary).map(({ sender, rate }, i) => {
    const [transmitter, receiver] = ENDS[i]!;
    const place = `transmitter: ${transmitter}, receiver: ${receiver}`;
    return `  - { id: link-${i + 1}, ${place}, sender: ${yamlText(sender)} } # ${Math.round(rate * 10) / 10} frames a second`;
  });
  return [
    `# Made by \`csiflow init\` from ${what}. Lengths are metres, as [x, y, z] from a corner of the floor.`,
    'id: room',
    'size: { x: 5, y: 4, z: 2.5 }',
    'timezone: UTC',
    'links:',
    ...links,
    'assumed:',
    '  - The size of the room and where the devices stand. Measure them, and remove this line.',
    '',
  ].join('\n');
}
