import type { MeasuredResult } from './line.js';

/**
 * The page of the documentation with these results: their rows in its table, and everything else as it is. A row is
 * replaced by the newer measurement of the same; other results get a new one.
 * @param page its Markdown; null: there is none yet
 * @throws Error for a page without the table
 */
export function performancePage(page: string | null, results: readonly MeasuredResult[]): string {
  const lines = (page ?? `${INTRODUCTION}\n${HEAD}\n${RULE}\n`).split('\n');
  const head = lines.findIndex((line) => cellsOf(line)[0] === 'what');
  if (head < 0) throw new Error(`docs/performance.md has no table that begins with \`${HEAD}\``);
  const after = lines.findIndex((line, index) => index > head && !line.startsWith('|'));
  const rows = new Map(lines.slice(head + 2, after).map((row) => [cellsOf(row)[0]!, row]));
  for (const result of results) rows.set(result.what, rowOf(result));
  return [...lines.slice(0, head), HEAD, RULE, ...rows.values(), ...lines.slice(after)].join('\n');
}

const cellsOf = (row: string): readonly string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

const rowOf = ({ what, target, reached, control, met, date, machine: { load } }: MeasuredResult): string =>
  `| ${what} | ${target} | ${reached}${met ? '' : ' (missed)'} | ${control} | ${date}, load ${load} |`;

const HEAD = '| what | to reach | reached | control, A against A | measured |';
const RULE = '|---|---|---|---|---|';

const INTRODUCTION = `# Performance

This page shows how fast csiflow is, beside its targets. To measure it in a checkout, and write the results to this page:

\`\`\`bash
csiflow bench line --write
\`\`\`

Each figure has a control: the same measurement, repeated in the same run. The difference between the two comes from the machine, not from csiflow. Processor times are valid on a busy machine too; rates and elapsed times need an idle one.
`;
