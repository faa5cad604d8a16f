import { existsSync } from 'node:fs';
import { packageFile } from '../../base/paths.js';
import type { Component } from '../../component/index.js';
import { CODES, type ProblemCode } from './codes.js';
import { redact, SECRET, type Hidden } from './redact.js';

/** A range of text in a file. Lines and columns count from 1; columns and lengths are UTF-16 units, as in editors. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** A problem in a file, and how to fix it. */
export interface Problem extends Location {
  /** Stable and dotted: `config.field.unknown`. A component's own rules may bring codes of their own. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** One sentence for people. Never holds a secret. */
  readonly message: string;
  /** A replacement, as it should be written in the file: the nearest right word or the corrected field. */
  readonly suggestion: string | null;
  /** Page that explains it, by its path in the repository. */
  readonly docs: string;
}

/** What a check reports; {@link Problems} fills in the rest of a {@link Problem}. */
export interface Finding {
  readonly suggestion?: string | undefined;
  readonly severity?: 'error' | 'warning' | undefined;
  /** The page of this component instead of the page of errors. */
  readonly component?: Component | undefined;
}

/** More than people read; the number of omitted ones is reported. */
const MAX_PROBLEMS = 200;
/** Limit of characters of a message. */
const MAX_TEXT_LENGTH = 2_000;

/** Collects problems in any order; returns them in the order of files, lines and columns, without duplicates. */
export class Problems {
  /** The checked text, which its author knows. */
  written = '';
  readonly #found = new Map<string, Problem>();
  readonly #hidden: Hidden[] = [];
  #errors = 0;
  #leftOut = 0;

  add(code: ProblemCode, location: Location, message: string, finding: Finding = {}): void {
    this.addForeign(code, location, message, finding);
  }

  /** A problem whose code a component defines. */
  addForeign(code: string, location: Location, message: string, finding: Finding = {}): void {
    const { file, line, column, length } = location;
    const severity = finding.severity ?? 'error';
    if (severity === 'error') this.#errors++;
    const key = `${file}\n${line}:${column} ${code} ${message}`;
    if (this.#found.size >= MAX_PROBLEMS) {
      if (!this.#found.has(key)) this.#leftOut++;
      return;
    }
    this.#found.set(key, {
      file,
      line,
      column,
      length,
      code,
      severity,
      message,
      suggestion: finding.suggestion ?? null,
      docs: (finding.component && shippedPage(finding.component)) ?? errorPage(code),
    });
  }

  /** More are not shown, so suggestions for them are not computed. */
  get full(): boolean {
    return this.#found.size >= MAX_PROBLEMS;
  }

  /** From now on this text appears as `shown`. */
  hide(text: string, shown = SECRET): void {
    if (text !== '') this.#hidden.push({ text, shown });
  }

  /** Text that must not be shown to readers of the problems. */
  get hidden(): readonly Hidden[] {
    return this.#hidden;
  }

  get errors(): number {
    return this.#errors;
  }

  list(): readonly Problem[] {
    const sorted = [...this.#found.values()].map((problem) => this.#redacted(problem)).sort(byLocation);
    const last = sorted.at(-1);
    if (last && this.#leftOut > 0) sorted.push(this.#more(last));
    return sorted;
  }

  #redacted(problem: Problem): Problem {
    const shown = (text: string): string => short(this.redact(text));
    const suggestion = problem.suggestion === null ? null : shown(problem.suggestion);
    return { ...problem, message: shown(problem.message), suggestion };
  }

  redact(text: string): string {
    return redact(text, this.#hidden, this.written);
  }

  #more(last: Problem): Problem {
    const code: ProblemCode = 'config.problems.more';
    const message = `${this.#leftOut} more problems are not shown; fix these first`;
    return { ...last, code, severity: 'error', message, suggestion: null, docs: errorPage(code) };
  }
}

/** The quoted text may be as long as a file. */
const short = (text: string): string =>
  text.length > MAX_TEXT_LENGTH
    ? `${text.slice(0, MAX_TEXT_LENGTH / 2)} ... ${text.slice(-MAX_TEXT_LENGTH / 2)}`
    : text;

const byLocation = (a: Problem, b: Problem): number =>
  (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
  a.line - b.line ||
  a.column - b.column ||
  (a.code < b.code ? -1 : a.code > b.code ? 1 : 0);

/** `docs/components/operators/denoise.md`. */
export const componentPage = (component: Pick<Component, 'kind' | 'name'>): string =>
  `docs/components/${component.kind}s/${component.name}.md`;

/** Undefined for a component of a plugin, which has none. */
export function shippedPage(component: Pick<Component, 'kind' | 'name'>): string | undefined {
  const page = componentPage(component);
  return existsSync(packageFile(page)) ? page : undefined;
}

/** A heading's anchor is its text without dots. */
const errorPage = (code: string): string =>
  Object.hasOwn(CODES, code) ? `docs/errors.md#${code.replaceAll('.', '')}` : 'docs/errors.md';

/**
 * A problem as a compiler prints it: location, code and message, then the line with a caret, then the fix.
 * @param source the text of the problem's file, if available.
 */
export function formatProblem(problem: Problem, source?: string): string {
  const { file, line, column, length, code, severity, message } = problem;
  const lines = [`${file}:${line}:${column} ${severity} ${code} ${message}`];
  const text = source?.split('\n', line)[line - 1]?.replace(/\r$/, '');
  if (text !== undefined && text.length <= 400) {
    const number = String(line);
    const indent = text.slice(0, column - 1).replaceAll(/[^\t]/g, ' ');
    const marks = '^'.repeat(Math.max(1, Math.min(length, text.length - column + 1)));
    lines.push(`  ${number} | ${text}`, `  ${' '.repeat(number.length)} | ${indent}${marks}`);
  }
  if (problem.suggestion !== null) lines.push(`  did you mean \`${problem.suggestion}\`?`);
  lines.push(`  see ${problem.docs}`);
  return lines.join('\n');
}
