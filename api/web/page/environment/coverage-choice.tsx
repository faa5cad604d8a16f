import { BANDS, bandsOf, coverage, coverageProblem, layer, type Coverage, type Layer } from './coverage.js';

const LAYERS: Readonly<Record<Layer, string>> = {
  none: 'nothing',
  error: 'expected error',
  links: 'links that notice a person',
};

/** What is shown on the floor, what its colours mean, and where the figures come from. */
export function CoverageChoice() {
  const { value: shown } = layer;
  const { value } = coverage;
  return (
    <div id="coverage">
      <label>
        Show on the floor{' '}
        <select
          value={shown}
          onChange={({ currentTarget }) => {
            layer.value = currentTarget.value as Layer;
          }}
        >
          {Object.entries(LAYERS).map(([id, text]) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {shown !== 'none' && (
        <>
          <p class={coverageProblem.value ? 'problem' : ''} role="status">
            {coverageProblem.value || (value ? summaryOf(value, shown) : 'The room is being simulated ...')}
          </p>
          <Legend of={shown} />
          <p class="hint">{EXPLAINED[shown]}</p>
        </>
      )}
    </div>
  );
}

function Legend({ of }: { readonly of: 'error' | 'links' }) {
  return (
    <ul class="bands">
      {BANDS[of].map(({ text }, band) => (
        <li key={text}>
          <span class={`swatch band-${band}`} /> {text}
        </li>
      ))}
    </ul>
  );
}

const COMMON =
  ' Standing people are simulated in four rooms of this size with random walls and furniture. Inner walls are not simulated. A real room may differ: measure before you rely on it.';
const EXPLAINED = {
  error: `How far the position of one person is wrong on average, estimated from how much people at other places look alike. The scale is fitted to the errors of simulated walkers in rooms with 4, 6 and 9 links.${COMMON}`,
  links: `A link notices a person who changes its signal by 1 dB or more. Positions need two links or more.${COMMON}`,
} as const;

function summaryOf(found: Coverage, of: 'error' | 'links'): string {
  const { error_m: errors } = found;
  if (of === 'error') {
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const worst = [...errors].sort((one, other) => one - other)[Math.floor(0.9 * errors.length)]!;
    return `Expected error: ${mean.toFixed(2)} m on average, ${worst.toFixed(2)} m or more on a tenth of the floor.`;
  }
  const bands = bandsOf(found, of);
  const share = (bands.filter((band) => band >= 2).length / bands.length) * 100;
  return `Fewer than two links notice a person on ${share.toFixed(0)} % of the floor.`;
}
