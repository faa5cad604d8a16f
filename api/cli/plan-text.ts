import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Plan } from '../../pipeline/runtime/status.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';

/** A topology's text and its id; all else is checked by the csiflow that runs it. */
export function readTopologyFile(file: string): { readonly id: string; readonly text: string } {
  const text = readFileSync(file, 'utf8');
  const content: unknown = parse(text);
  if (typeof content === 'object' && content !== null && 'id' in content && typeof content.id === 'string') {
    return { id: content.id, text };
  }
  throw new CommandError(`${file} has no \`id\`: it is no topology`, EXIT.invalid);
}

const SIGNS = { added: '+', removed: '-', changed: '~', unchanged: ' ' } as const;

/** A plan as lines for a person, and how to apply it. */
export function formatPlan(plan: unknown, file: string): string {
  const { hash, changes } = plan as Plan;
  const lines = changes.map(({ node, change, state, fields }) => {
    const what = fields.length > 0 ? ` (${fields.join(', ')})` : '';
    return `${SIGNS[change]} ${node}: ${change}${what}${state === 'none' ? '' : `, state ${state}`}`;
  });
  return [...lines, '', `csiflow apply ${file} --hash ${hash}`, ''].join('\n');
}
