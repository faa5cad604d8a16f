import type { Row } from './records.js';

interface ProfileProps {
  readonly title: string;
  readonly unit: string;
  readonly values: Row;
  readonly indices: readonly number[];
}

const [WIDTH, HEIGHT] = [600, 120];

/** Values by subcarrier as a line, with its range in words. */
export function Profile({ title, unit, values, indices }: ProfileProps) {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const points = values.flatMap((value, index) => {
    if (value === null) return [];
    const x = (index / Math.max(1, values.length - 1)) * WIDTH;
    return [`${x.toFixed(1)},${(HEIGHT * (1 - (value - low) / (high - low || 1))).toFixed(1)}`];
  });
  const words = `${title}, subcarriers ${indices[0]!} to ${indices.at(-1)!}: ${low.toFixed(1)} to ${high.toFixed(1)} ${unit}`;
  return (
    <figure class="profile">
      <figcaption class="hint">{words}</figcaption>
      <svg viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`} preserveAspectRatio="none" aria-hidden="true">
        <polyline points={points.join(' ')} />
      </svg>
    </figure>
  );
}
