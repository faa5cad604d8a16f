import { parse } from 'yaml';
import type { Plan } from '../../pipeline/runtime/status.js';
import { errorText } from '../../pipeline/base/error-text.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { readNamedFile } from './named-file.js';

/** A topology's text and its id; the csiflow that runs it checks everything else. */
export function readTopologyFile(file: string): { readonly id: string; readonly text: string } {
  const text = readNamedFile(file);
  const content = contentOf(text, file);
  if (typeof content === 'object' && content !== null && 'id' in content && typeof content.id === 'string') {
    return { id: content.id, text };
  }
  throw new CommandError(`${file} has no \`id\`: it is not a topology`, EXIT.invalid);
}

function contentOf(text: string, file: string): unknown {
  try {
    return parse(text, { prettyErrors: false });
  } catch (error) {
    throw new CommandError(`${file} is not valid YAML: ${errorText(error)}`, EXIT.invalid);
  }
}

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
