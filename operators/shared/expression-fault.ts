import { errorText } from '../../pipeline/base/error-text.js';
import { nearest } from '../../pipeline/base/nearest.js';
import { RESULT_PORTS, type Port, type ResultPort } from '../../pipeline/model/index.js';
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
export function faultOf(text: string, error: unknown, scope: Scope): ExpressionFault {
  const { code, summary, range } = error as CelFault;
  const { start, end } = range ?? { start: 0, end: text.length };
  const part = text.slice(start, end);
  if (code === 'no_such_key') {
    const suggestion = nearest(part, RECORD_TYPES.fields);
    return new ExpressionFault(`there is no field \`${part}\` here`, start, end, suggestion);
  }
  if (code === 'unknown_variable') return unknownVariable(part, start, end, scope);
  const foreign = code?.startsWith('unexpected_') ? foreignSign(text, start) : undefined;
  if (foreign) return foreign;
  const why = (summary ?? errorText(error)).replace(/^\w/, (letter) => letter.toLowerCase());
  return new ExpressionFault(`${why}${hintFor(why)}`, start, end);
}

/** A variable that is not one; perhaps a field without the record before it. */
function unknownVariable(
  part: string,
  start: number,
  end: number,
  { latest, row, samples }: Scope,
): ExpressionFault {
  const ports = [...RESULT_PORTS, ...(samples ? SAMPLES : [])];
  const paths = pathsOf(part, ports);
  const which =
    paths.length > 1 ? `; a field follows it, as in ${paths.map((path) => `\`${path}\``).join(', ')}` : '';
  return new ExpressionFault(
    `unknown variable \`${part}\`: a record is ${samples ? '\`csi\`, \`window\`, ' : ''}\`event\`, \`measure\` or \`pose\`${which}`,
    start,
    end,
    nearest(part, [...ports, ...(latest ? ['latest'] : []), ...(row ? ['row'] : [])]) ??
      (paths.length === 1 ? paths[0] : undefined),
  );
}

/** The fields of records with this name, else with the nearest one: `event.severity`. */
function pathsOf(name: string, ports: readonly Port[]): readonly string[] {
  const fields = ports.flatMap((port) => RECORD_TYPES.fieldsOf(port).map((field) => ({ port, field })));
  const known = new Set(fields.map(({ field }) => field));
  const meant = known.has(name) ? name : nearest(name, known);
  return fields.filter(({ field }) => field === meant).map(({ port, field }) => `${port}.${field}`);
}

/** Signs of other languages, at the end of the text that the parser had read, and those of this one. */
const FOREIGN: readonly (readonly [sign: RegExp, here: string])[] = [
  [/^and\b/i, '&&'],
  [/^or\b/i, '||'],
  [/^not\b/i, '!'],
  [/^={1,3}/, '=='],
  [/^<>/, '!='],
  [/^[\u201c\u201d\u201e]/, '"'],
  [/^[\u2018\u2019]/, "'"],
];

/** How far before the parser's complaint a foreign sign begins at most: `not event.a` is rejected at `event`. */
const BEFORE = 4;

/** @param complaint where the parser stopped, which is in the sign, or just behind it */
function foreignSign(text: string, complaint: number): ExpressionFault | undefined {
  for (let start = Math.max(0, complaint - BEFORE); start <= complaint; start++) {
    if (/^(?:\w\w|[=<>!]{2})$/.test(text.slice(start - 1, start + 1))) continue;
    const rest = text.slice(start);
    for (const [sign, here] of FOREIGN) {
      const found = sign.exec(rest)?.[0];
      if (found !== undefined && found !== here && start + found.length >= complaint - 1)
        return new ExpressionFault(`\`${found}\` is not written so here`, start, start + found.length, here);
    }
  }
  return undefined;
}

function hintFor(why: string): string {
  if (/[=!]= null|null [=!]=/.test(why)) return '; test whether it exists with `has(event.location)`';
  return why.includes('double in list<int>')
    ? '; write the numbers of the list with a decimal point: `[1.0, 2.0]`'
    : '';
}
