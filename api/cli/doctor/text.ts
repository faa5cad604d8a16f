import { coloured } from '../terminal.js';
import type { Finding } from './finding.js';

const WORDS = { ok: 'ok', warning: 'warning', failed: 'failed', unknown: 'unknown' } as const;
const STYLES = { ok: 'green', warning: 'yellow', failed: 'red', unknown: 'dim' } as const;
/** Width of the first two columns. */
const [STATE, CHECK] = [9, 10];

/** Findings for a terminal: a line each, below it how to fix it; at the end a summary. */
export function findingsText(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ check, state, message, fix }) => [
    `${coloured(STYLES[state], WORDS[state].padEnd(STATE))}${check.padEnd(CHECK)}${message}`,
    ...(fix === null ? [] : [`${' '.repeat(STATE + CHECK)}${coloured('dim', 'to fix it:')} ${fix}`]),
  ]);
  const count = (state: Finding['state']): number => findings.filter((one) => one.state === state).length;
  const [failed, warnings] = [count('failed'), count('warning')];
  const summary =
    failed + warnings === 0
      ? 'nothing is wrong'
      : `${failed} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  return `${[...lines, summary].join('\n')}\n`;
}
