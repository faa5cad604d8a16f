import { useEffect, useRef } from 'preact/hooks';
import { colourOf } from '../style/ramp.js';
import type { Row } from './records.js';

/** Shares of the values below the darkest and above the brightest colour: outliers would hide the rest. */
const OUTLIERS = 0.02;

interface WaterfallProps {
  readonly title: string;
  /** What is seen, in words. */
  readonly words: string;
  /** Oldest first; each from its lowest row upwards. */
  readonly columns: readonly Row[];
}

/** Values over time, to the right, by row, upwards. */
export function Waterfall({ title, words, columns }: WaterfallProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, height] = [columns.length, columns[0]!.length];
  useEffect(() => {
    const picture = new ImageData(width, height);
    const [low, high] = rangeOf(columns.flat());
    columns.forEach((column, x) => {
      column.forEach((value, k) => {
        if (value === null) return;
        const at = 4 * ((height - 1 - k) * width + x);
        picture.data.set([...colourOf((value - low) / (high - low || 1)), 255], at);
      });
    });
    canvas.current!.getContext('2d')!.putImageData(picture, 0, 0);
  }, [columns]);
  return (
    <figure class="profile">
      <figcaption class="hint">
        <strong>{title}.</strong> {words}
      </figcaption>
      <canvas
        class="waterfall"
        ref={canvas}
        width={width}
        height={height}
        role="img"
        aria-label={`${title}. ${words}`}
      />
    </figure>
  );
}

function rangeOf(values: readonly (number | null)[]): readonly [low: number, high: number] {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return [at(OUTLIERS), at(1 - OUTLIERS)];
}
