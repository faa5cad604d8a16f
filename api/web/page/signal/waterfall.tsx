import { useEffect, useRef } from 'preact/hooks';
import type { Signal } from './frames.js';

/** Red, green, blue from weak to strong: colours that also differ in lightness. */
const RAMP = [
  [38, 18, 74],
  [52, 84, 140],
  [32, 144, 140],
  [110, 205, 90],
  [252, 232, 60],
] as const;
/** Shares of the values below the darkest and above the brightest colour: outliers would hide the rest. */
const OUTLIERS = 0.02;

interface WaterfallProps {
  readonly signal: Signal;
  readonly antenna: readonly [rx: number, tx: number];
}

/** Amplitudes over time, to the right, by subcarrier, upwards. */
export function Waterfall({ signal, antenna: [rx, tx] }: WaterfallProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { frames, indices, seconds } = signal;
  const [width, height] = [frames.length, indices.length];
  useEffect(() => {
    const picture = new ImageData(width, height);
    const columns = frames.map(({ amplitudes }) => amplitudes[rx]![tx]!);
    const [low, high] = rangeOf(columns.flat());
    columns.forEach((column, x) => {
      column.forEach((value, k) => {
        if (value === null) return;
        const at = 4 * ((height - 1 - k) * width + x);
        picture.data.set([...colourOf((value - low) / (high - low || 1)), 255], at);
      });
    });
    canvas.current!.getContext('2d')!.putImageData(picture, 0, 0);
  }, [signal, rx, tx]);
  return (
    <canvas
      class="waterfall"
      ref={canvas}
      width={width}
      height={height}
      role="img"
      aria-label={`Amplitudes of ${width} frames over ${seconds.toFixed(1)} seconds, of subcarriers ${indices[0]!} (below) to ${indices.at(-1)!} (above)`}
    />
  );
}

function rangeOf(values: readonly (number | null)[]): readonly [low: number, high: number] {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return [at(OUTLIERS), at(1 - OUTLIERS)];
}

/** @param share 0 to 1; beyond, the end of the ramp */
function colourOf(share: number): readonly number[] {
  const along = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const from = Math.min(Math.floor(along), RAMP.length - 2);
  return RAMP[from]!.map((value, part) => value + (along - from) * (RAMP[from + 1]![part]! - value));
}
