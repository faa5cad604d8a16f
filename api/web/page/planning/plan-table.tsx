import type { Plan } from './plans.js';

const STATES = {
  kept: 'keeps its state',
  migrated: 'keeps its state',
  dropped: 'loses its state',
  none: 'has no state',
} as const;

/** What a plan would change. */
export function PlanTable({ plan: { changes, hash } }: { readonly plan: Plan }) {
  const changing = changes.filter(({ change }) => change !== 'unchanged');
  const rest = changes.length - changing.length;
  if (changing.length === 0) return <p>Nothing would change.</p>;
  return (
    <>
      <div class="scroll" role="region" aria-label="Planned changes" tabIndex={0}>
        <table id="plan">
          <thead>
            <tr>
              {['Node', 'Change', 'Fields', 'State'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {changing.map(({ node, change, fields, state }) => (
              <tr key={node}>
                <th scope="row">{node}</th>
                <td>
                  <span class={`chip ${change}`}>{change}</span>
                </td>
                <td>{fields.join(', ') || '–'}</td>
                <td>{STATES[state]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        {rest} {rest === 1 ? 'node stays' : 'nodes stay'} as they are. Plan <code>{hash}</code>.
      </p>
    </>
  );
}
