import type { Plan } from '../../pipeline/runtime/status.js';

const SIGNS = { added: '+', removed: '-', changed: '~', unchanged: ' ' } as const;

/** A plan as lines of text, and the command that applies it. */
export function formatPlan(plan: unknown, file: string): string {
  const { hash, changes } = plan as Plan;
  const lines = changes.map(({ node, change, state, fields }) => {
    const what = fields.length > 0 ? ` (${fields.join(', ')})` : '';
    return `${SIGNS[change]} ${node}: ${change}${what}${state === 'none' ? '' : `, state ${state}`}`;
  });
  return [...lines, '', `csiflow apply ${file} --hash ${hash}`, ''].join('\n');
}
