import type { BatchSpeed, Speed } from '../../../bench/speed/inference/inference.js';
import type { Spread } from '../../../bench/shared/spread.js';
import {
  axes,
  curve,
  drawing,
  FAINT,
  grid,
  line,
  rectangle,
  text,
  ticks,
  type Box,
} from '../recordings/plot/svg.js';

const WIDTH = 1060;
const PANEL = { left: 88, width: 640, height: 250, gap: 84 } as const;
const HEAD = 104;
const COLOURS = ['#1f2430', '#2563a8', '#c26a12', '#2a8f5b', '#8e44ad', '#c0392b', '#0e7c86', '#7a6a1a'];

interface Series {
  readonly label: string;
  readonly colour: string;
  /** By batch size. */
  readonly speeds: ReadonlyMap<number, Speed>;
}

/** Draws windows per second and processor time over the batch size, with the spread of the rounds, as SVG. */
export function sweepSvg(
  speeds: readonly BatchSpeed[],
  titles: { readonly title: string; readonly subtitles: readonly string[] },
): string {
  const batches = [...new Set(speeds.map(({ batch }) => batch))].sort((a, b) => a - b);
  const series = seriesOf(speeds);
  const panels = [
    { title: 'Windows per second', unit: 'windows/s', part: (speed: Speed) => speed.perSecond },
    { title: 'Processor time of all threads for a window', unit: 'us', part: (speed: Speed) => speed.cpuUs },
  ];
  const { left, width, height, gap } = PANEL;
  const parts = [
    text(left, 34, titles.title, { size: 20, bold: true }),
    ...titles.subtitles.map((one, i) => text(left, 58 + 20 * i, one, { size: 14, colour: FAINT })),
    ...panels.map(({ title, unit, part }, i) => {
      const box = { left, top: HEAD + 18 + i * (height + gap), width, height };
      return panel(box, { title, unit, batches, series, part });
    }),
    ...legend(series),
  ];
  return drawing(WIDTH, HEAD + panels.length * (height + gap), parts);
}

function seriesOf(speeds: readonly BatchSpeed[]): readonly Series[] {
  const found = new Map<string, Map<number, Speed>>();
  const add = (label: string, batch: number, speed: Speed) => {
    const known = found.get(label) ?? new Map<number, Speed>();
    found.set(label, known.set(batch, speed));
  };
  for (const { backend, batch, bare, operator } of speeds) {
    add(`${backend}, bare`, batch, bare);
    for (const speed of operator) {
      const threads = speed.threads === 1 ? '' : `, ${speed.threads} threads`;
      add(`${backend}${threads}, ${inBatches(speed.inFlight / batch)} in flight`, batch, speed);
    }
  }
  return Array.from(found, ([label, byBatch], i) => ({
    ...{ label, speeds: byBatch },
    colour: COLOURS[i % COLOURS.length]!,
  }));
}

const inBatches = (count: number): string => `${count} ${count === 1 ? 'batch' : 'batches'}`;

function panel(
  box: Box,
  {
    title,
    unit,
    batches,
    series,
    part,
  }: {
    readonly title: string;
    readonly unit: string;
    readonly batches: readonly number[];
    readonly series: readonly Series[];
    readonly part: (speed: Speed) => Spread;
  },
): string {
  const all = series.flatMap(({ speeds }) => [...speeds.values()].map((speed) => part(speed)[2]));
  const most = Math.max(...all) * 1.05;
  const x = (batch: number): number =>
    box.left + ((batches.indexOf(batch) + 0.5) / batches.length) * box.width;
  const y = (value: number): number => box.top + box.height * (1 - value / most);
  const bottom = box.top + box.height;
  const marks = ticks(0, most, 5).map((value) => ({ at: y(value), label: value.toLocaleString('en') }));
  const drawn = series.flatMap(({ colour, speeds }) => {
    const points = batches.flatMap((batch) => {
      const speed = speeds.get(batch);
      return speed ? [{ at: x(batch), spread: part(speed) }] : [];
    });
    return [
      curve(
        points.map(({ at, spread }) => [at, y(spread[0])] as const),
        colour,
      ),
      ...points.flatMap(({ at, spread: [median, least, greatest] }) => [
        line(at, y(least), at, y(greatest), colour),
        rectangle({ left: at - 3, top: y(median) - 3, width: 6, height: 6 }, `fill="${colour}"`),
      ]),
    ];
  });
  return [
    text(box.left, box.top - 9, title, { bold: true }),
    grid(
      box,
      marks.map(({ at }) => at),
    ),
    ...drawn,
    axes(box, null, { marks, label: unit }),
    ...batches.map((batch) =>
      text(x(batch), bottom + 19, String(batch), { anchor: 'middle', size: 12, colour: FAINT }),
    ),
    text(box.left + box.width / 2, bottom + 40, 'windows in a batch', { anchor: 'middle', colour: FAINT }),
  ].join('\n');
}

/** Right of the first panel. */
const legend = (series: readonly Series[]): string[] =>
  series.flatMap(({ label, colour }, i) => {
    const [left, top] = [PANEL.left + PANEL.width + 24, HEAD + 30 + 22 * i];
    return [
      rectangle({ left, top: top - 9, width: 12, height: 10 }, `fill="${colour}"`),
      text(left + 18, top, label, { size: 12, colour: FAINT }),
    ];
  });
