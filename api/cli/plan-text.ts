import type { Plan } from '../../pipeline/runtime/status.js';
import { remoteWords, type RemoteOptions } from './remote.js';

const SIGNS = { added: '+', removed: '-', changed: '~', unchanged: ' ' } as const;

/** A plan as lines of text, and the command that applies it. */
export function formatPlan(plan: unknown, file: string, options: RemoteOptions): string {
  const { hash, changes } = plan as Plan;
  const lines = changes.map(({ node, change, state, fields }) => {
    const what = fields.length > 0 ? ` (${fields.join(', ')})` : '';
    return `${SIGNS[change]} ${node}: ${change}${what}${state === 'none' ? '' : `, state ${state}`}`;
  });
  const words = ['csiflow', 'apply', file, '--hash', hash, ...remoteWords(options)];
  return [...lines, '', words.map(inShell).join(' '), ''].join('\n');
}

/** A word as a shell reads it. */
const inShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
