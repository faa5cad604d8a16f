import { bandsOf, coverage, layer } from './coverage.js';
import type { Draft } from './draft.js';
import type { Scale } from './geometry.js';

/** The simulated coverage, drawn on the floor. */
export function CoverageLayer({ now: { size }, scale }: { readonly now: Draft; readonly scale: Scale }) {
  const { value: shown } = layer;
  const { value } = coverage;
  if (!value || shown === 'none') return null;
  const [wide, high] = [size.x / value.columns, size.y / value.rows];
  return (
    <g class="coverage" aria-hidden="true">
      {bandsOf(value, shown).map((band, cell) => {
        const [x, y] = scale.at([
          (cell % value.columns) * wide,
          (Math.floor(cell / value.columns) + 1) * high,
        ]);
        return (
          <rect
            key={cell}
            class={`band-${band}`}
            {...{ x, y }}
            width={wide * scale.perMetre + 0.5}
            height={high * scale.perMetre + 0.5}
          />
        );
      })}
    </g>
  );
}
