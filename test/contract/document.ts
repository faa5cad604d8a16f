import { readFileSync } from 'node:fs';
import { sharedFile } from '../support/shared.js';

/** The contract itself, if available. */
export const document = sharedFile('service-interface.md');

/** First column of the tables whose rows are identified by two cells: method and path, direction and type. */
const NAMED_BY_TWO = new Set(['Method', 'Direction']);

/**
 * Names of all table rows: `2.3 frame_id`, `4.2 GET /pose/latest`; rows of the same name in a section count
 * once.
 */
export function rowsOf(path: string): ReadonlySet<string> {
  const rows = new Set<string>();
  let [section, head] = ['', ''];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    section = /^#{2,3} (\d[\w.]*)/.exec(line)?.[1]?.replace(/\.$/, '') ?? section;
    if (!line.startsWith('|')) {
      head = '';
      continue;
    }
    const [first = '', second = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    if (head === '') head = first;
    else if (!first.startsWith('---')) rows.add(`${section} ${nameOf(head, first, second)}`);
  }
  return rows;
}

function nameOf(head: string, first: string, second: string): string {
  if (head === 'Direction') return second;
  const name = NAMED_BY_TWO.has(head) ? `${first} ${second}` : first;
  return name.replace(/ \(Form [AB]\)$/, '');
}
