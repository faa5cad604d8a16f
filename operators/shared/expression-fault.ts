import { errorText } from '../../pipeline/base/error-text.js';
import { nearest } from '../../pipeline/base/nearest.js';
import { RESULT_PORTS, type ResultPort } from '../../pipeline/model/index.js';
import { ExpressionFault, type CelFault } from './expression-tree.js';
import { RECORD_TYPES } from './record-views.js';

/** Ports that only a tap's expressions read. */
export const SAMPLES = ['csi', 'window'] as const;

/** Additional variables that an expression may read. */
export interface Scope {
  readonly latest?: ResultPort;
  readonly row?: true;
  /** Frames (`csi`) and windows can be read too. */
  readonly samples?: true;
}

/** What is wrong with an expression, for people. @param error of the language */
export function faultOf(text: string, error: unknown, { latest, row, samples }: Scope): ExpressionFault {
  const { code, summary, range } = error as CelFault;
  const { start, end } = range ?? { start: 0, end: text.length };
  const part = text.slice(start, end);
  if (code === 'no_such_key') {
    const suggestion = nearest(part, RECORD_TYPES.fields);
    return new ExpressionFault(`there is no field \`${part}\` here`, start, end, suggestion);
  }
  if (code === 'unknown_variable') {
    const suggestion = nearest(part, [
      ...RESULT_PORTS,
      ...(latest ? ['latest'] : []),
      ...(row ? ['row'] : []),
      ...(samples ? SAMPLES : []),
    ]);
    const message = `unknown variable \`${part}\`: a record is ${samples ? '\`csi\`, \`window\`, ' : ''}\`event\`, \`measure\` or \`pose\``;
    return new ExpressionFault(message, start, end, suggestion);
  }
  const why = (summary ?? errorText(error)).replace(/^\w/, (letter) => letter.toLowerCase());
  return new ExpressionFault(`${why}${hintFor(why)}`, start, end);
}

function hintFor(why: string): string {
  if (/[=!]= null|null [=!]=/.test(why)) return '; test whether it exists with `has(event.location)`';
  return why.includes('double in list<int>')
    ? '; write the numbers of the list with a decimal point: `[1.0, 2.0]`'
    : '';
}
