import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { shownTheme } from '../state/theme.js';

export interface Line {
  readonly label: string;
  /** A colour of the style sheet. */
  readonly colour: string;
  /** One for each time; null: no measurement. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** The text shown if there is no data. */
  readonly empty: string;
}

const HEIGHT = 190;

/** Lines over time, with a description in words. */
export function Chart(props: ChartProps) {
  const { title, unit, lines, empty } = props;
  const measured = lines.some(({ values }) => values.some((value) => value !== null));
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
        <p class="hint">{measured ? lines.map((line) => inWords(line, unit)).join('; ') : empty}</p>
      </figcaption>
      {measured && <Plot {...props} />}
    </figure>
  );
}

function Plot({ unit, times, lines }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const shown = shownTheme.value;
  useEffect(() => {
    const element = container.current!;
    const plot = new uPlot(
      optionsOf(element, unit, lines),
      [[...times], ...lines.map(({ values }) => [...values])],
      element,
    );
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, lines, unit, shown]);
  return <div ref={container} aria-hidden="true" />;
}

function optionsOf(element: HTMLElement, unit: string, lines: readonly Line[]): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--grid') },
    ticks: { stroke: colour('--grid') },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.15)] } },
    axes: [axis, { ...axis, label: unit, labelSize: 18, size: 46 }],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.label,
        stroke: colour(line.colour),
        width: 2,
        points: { show: true, size: 5 },
      })),
    ],
  };
}

function inWords({ label, values }: Line, unit: string): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return `${label}: not measured`;
  const text = (value: number) => value.toFixed(1);
  return `${label}: ${text(known.at(-1)!)} ${unit} at last, ${text(Math.max(...known))} at most`;
}
