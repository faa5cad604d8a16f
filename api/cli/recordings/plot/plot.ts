import { basename } from 'node:path';
import { BOTH_WAYS, MAGMA, VIRIDIS, type Scale } from './colours.js';
import { columnCount, intervals, longSilence, median, overTime, percentile, spectrogram } from './columns.js';
import { numberOf } from '../../number-of.js';
import type { PlotFrames } from './frames.js';
import { axes, curve, drawing, FAINT, grid, heat, line, rectangle, text, ticks, type Box } from './svg.js';

const WIDTH = 1200;
const LEFT = 88;
const RIGHT = 112;
const HEAD = 106;
/** Between two panels. */
const GAP = 62;
const HEIGHTS = { amplitude: 230, phase: 180, spectrogram: 200, rate: 150 } as const;
const BLUE = '#2563a8';
const ORANGE = '#c26a12';
const RED = '#c0392b';

/** Text above the panels. */
export interface Titles {
  readonly title: string;
  readonly subtitles: readonly string[];
}

/** Plots amplitude, phase and spectrogram over time, and the regularity of frames, as SVG. */
export function plotSvg(frames: PlotFrames, { title, subtitles }: Titles): string {
  const parts = [
    text(LEFT, 34, title, { size: 20, bold: true }),
    ...subtitles.map((one, i) => text(LEFT, 58 + 20 * i, one, { size: 14, colour: FAINT })),
  ];
  let top = HEAD;
  const next = (height: number): Box => {
    const box = { left: LEFT, top: top + 18, width: WIDTH - LEFT - RIGHT, height };
    top += height + GAP;
    return box;
  };
  parts.push(amplitudePanel(next(HEIGHTS.amplitude), frames));
  parts.push(phasePanel(next(HEIGHTS.phase), frames));
  parts.push(spectrogramPanel(next(HEIGHTS.spectrogram), frames));
  parts.push(ratePanel(next(HEIGHTS.rate), frames));
  return drawing(WIDTH, top + 8, parts);
}

const heading = ({ left, top }: Box, content: string): string => text(left, top - 9, content, { bold: true });

const durationOf = ({ time, count }: PlotFrames): number => time[count - 1]! || 1;

function amplitudePanel(box: Box, frames: PlotFrames): string {
  const isReport = frames.layout.measurement === 'beamforming-report';
  const values = overTime(frames, frames.amplitude, columnCount(frames, box.width));
  const range = { least: percentile(values, 0.01), most: percentile(values, 0.99), colours: VIRIDIS };
  const title = isReport ? 'Amplitude of the reported matrix' : 'Amplitude';
  const { rx, tx } = frames.layout;
  const of = rx * tx > 1 ? `, mean of ${rx} x ${tx} antennas` : '';
  return toneMap(box, frames, values, range, `${title}${of}`, isReport ? 'amplitude' : 'amplitude, as sent');
}

function phasePanel(box: Box, frames: PlotFrames): string {
  const values = overTime(frames, frames.phase, columnCount(frames, box.width));
  const most = Math.min(Math.PI, Math.max(0.1, percentile(values.map(Math.abs), 0.99)));
  const range = { least: -most, most, colours: BOTH_WAYS };
  const of = frames.layout.rx * frames.layout.tx > 1 ? ', first antennas' : '';
  return toneMap(box, frames, values, range, `Phase, less its line over the subcarriers${of}`, 'radians');
}

/** A picture of subcarriers over time. */
function toneMap(
  box: Box,
  frames: PlotFrames,
  values: Float32Array,
  range: { readonly least: number; readonly most: number; readonly colours: Scale },
  title: string,
  unit: string,
): string {
  const { subcarriers } = frames.layout;
  const rows = subcarriers.length;
  const each = box.height / rows;
  const wanted = ticks(subcarriers[0]!, subcarriers[rows - 1]!, box.height / 36);
  const bottom = box.top + box.height;
  const marks = wanted.flatMap((tone) => {
    const row = subcarriers.findIndex((one) => one >= tone);
    // Between two rows if it is not a row itself, as often with 0.
    const within = subcarriers[row] === tone ? 0.5 : 0;
    return row < 0 ? [] : [{ at: bottom - (row + within) * each, label: String(tone) }];
  });
  return [
    heading(box, title),
    heat(box, { columns: values.length / rows, rows, values, ...range }, unit),
    axes(box, { from: 0, to: durationOf(frames) }, { marks, label: 'subcarrier' }),
  ].join('\n');
}

function spectrogramPanel(box: Box, frames: PlotFrames): string {
  const title = heading(box, 'Spectrogram of the relative amplitude, the subcarriers that vary most');
  const found = spectrogram(frames, box.width);
  const across = { from: 0, to: durationOf(frames) };
  if (!found) {
    const middle = box.top + box.height / 2;
    const why = text(box.left + box.width / 2, middle, 'too few frames', { anchor: 'middle', colour: FAINT });
    return [title, why, axes(box, across, { marks: [], label: 'frequency, Hz' })].join('\n');
  }
  const { columns, rows, highest, values } = found;
  const most = percentile(values, 0.999);
  const least = Math.max(percentile(values, 0.05), most - 45);
  const marks = ticks(0, highest, 5).map((hertz) => ({
    at: box.top + box.height * (1 - hertz / highest),
    label: String(hertz),
  }));
  return [
    title,
    heat(box, { columns, rows, values, least, most, colours: MAGMA }, 'power, dB'),
    axes(box, across, { marks, label: 'frequency, Hz' }),
  ].join('\n');
}

function ratePanel(box: Box, frames: PlotFrames): string {
  const to = durationOf(frames);
  const bins = Math.max(1, Math.min(250, Math.floor(frames.count / 8)));
  const rates = new Float64Array(bins);
  const levels = Array.from({ length: bins }, () => ({ sum: 0, count: 0 }));
  for (let i = 0; i < frames.count; i++) {
    const bin = Math.min(bins - 1, Math.floor((frames.time[i]! / to) * bins));
    rates[bin]! += bins / to;
    if (Number.isNaN(frames.rssi[i]!)) continue;
    levels[bin]!.sum += frames.rssi[i]!;
    levels[bin]!.count++;
  }
  const most = Math.max(...rates) * 1.1;
  const x = (bin: number): number => box.left + ((bin + 0.5) / bins) * box.width;
  const y = (rate: number): number => box.top + box.height * (1 - rate / most);
  const marks = ticks(0, most, 4).map((rate) => ({ at: y(rate), label: String(rate) }));
  const rssi = levelCurve(
    box,
    levels.map(({ sum, count }) => sum / count),
    x,
  );
  const silences = silencesOf(box, frames, to);
  return [
    heading(box, 'Frames per second, and gaps'),
    grid(
      box,
      marks.map(({ at }) => at),
    ),
    silences.drawn,
    curve(
      Array.from(rates, (rate, bin) => [x(bin), y(rate)] as const),
      BLUE,
    ),
    rssi,
    axes(box, { from: 0, to, label: 'time, s' }, { marks, label: 'frames/s' }),
    legend(box, [
      { colour: BLUE, label: 'frames per second' },
      ...(rssi === '' ? [] : [{ colour: ORANGE, label: 'RSSI, dBm (right)' }]),
      { colour: RED, label: silences.label },
    ]),
  ].join('\n');
}

/** The level, with its axis on the right; nothing if it is unknown. */
function levelCurve(box: Box, levels: readonly number[], x: (bin: number) => number): string {
  const known = levels.filter((level) => !Number.isNaN(level));
  if (known.length === 0) return '';
  const [least, most] = [Math.floor(Math.min(...known)) - 2, Math.ceil(Math.max(...known)) + 2];
  const y = (level: number): number => box.top + box.height * (1 - (level - least) / (most - least));
  const right = box.left + box.width;
  const marks = ticks(least, most, 4).flatMap((level) => [
    line(right, y(level), right + 5, y(level), FAINT),
    text(right + 9, y(level) + 4, String(level), { size: 12, colour: ORANGE }),
  ]);
  const unit = text(right + 74, box.top + box.height / 2, 'dBm', {
    anchor: 'middle',
    turn: -90,
    colour: FAINT,
  });
  return [
    curve(
      levels.map((level, bin) => [x(bin), y(level)] as const),
      ORANGE,
    ),
    ...marks,
    unit,
  ].join('\n');
}

function silencesOf(
  box: Box,
  frames: PlotFrames,
  to: number,
): { readonly drawn: string; readonly label: string } {
  const silence = longSilence(frames);
  if (Number.isNaN(silence)) return { drawn: '', label: 'gaps unknown: a single frame' };
  const long = [...intervals(frames)].flatMap((length, i) =>
    length > silence ? [{ from: frames.time[i]!, length }] : [],
  );
  const drawn = long.map(({ from, length }) =>
    rectangle(
      {
        left: box.left + (from / to) * box.width,
        top: box.top,
        width: Math.max(1.5, (length / to) * box.width),
        height: box.height,
      },
      `fill="${RED}" fill-opacity="0.35"`,
    ),
  );
  const longest = long.reduce((most, { length }) => Math.max(most, length), 0);
  const over = `over ${Math.round(silence * 1000)} ms`;
  const length = `${longest.toPrecision(2)} s`;
  const label =
    long.length > 1 ? `${long.length} gaps ${over}, the longest ${length}` : `one gap ${over}: ${length}`;
  return { drawn: drawn.join('\n'), label: long.length === 0 ? `no gaps ${over}` : label };
}

/** Above the right end of a panel. */
function legend(box: Box, entries: readonly { readonly colour: string; readonly label: string }[]): string {
  let right = box.left + box.width;
  const parts = entries.toReversed().flatMap(({ colour, label }) => {
    const wide = label.length * 5.9;
    const part = [
      rectangle({ left: right - wide - 18, top: box.top - 19, width: 12, height: 10 }, `fill="${colour}"`),
      text(right - wide, box.top - 10, label, { size: 12, colour: FAINT }),
    ];
    right -= wide + 36;
    return part;
  });
  return parts.join('\n');
}

/** How often frames come; nothing if most of them are at one time. */
function usualRate(frames: PlotFrames): string {
  const interval = median(intervals(frames));
  return interval > 0 ? `, usually ${Number((1 / interval).toPrecision(3))} per second` : '';
}

/** Description of the plot. */
export function titlesOf(
  frames: PlotFrames,
  { what, kind, format, sender }: { what: string; kind: string; format: string; sender: string },
): Titles {
  const { layout, count, isCut } = frames;
  const seconds = (frames.time[count - 1]! || 0).toPrecision(3);
  const dot = '  \u00b7  ';
  const facts = [
    kind === format ? kind : `${kind}, ${format}`,
    sender === '*' ? 'any sender' : `sender ${sender}`,
    `${isCut ? 'the first ' : ''}${numberOf(count, 'frame')} in ${Number(seconds)} s${usualRate(frames)}`,
  ];
  const radio = [
    `${layout.rx} x ${layout.tx} antennas`,
    `${layout.subcarriers.length} subcarriers`,
    layout.training.toUpperCase(),
    `${layout.bandwidthMhz} MHz at ${layout.centreMhz} MHz`,
  ];
  return { title: basename(what), subtitles: [facts.join(dot), radio.join(dot)] };
}
