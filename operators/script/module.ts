import { createRequire } from 'node:module';
import type { ExportSpecifier, ImportSpecifier } from 'es-module-lexer';
import { errorText } from '../../pipeline/base/error-text.js';

/** What is wrong with a script, and where. */
export interface Fault {
  readonly code: 'config.file.missing' | 'script.syntax' | 'script.import' | 'script.export';
  readonly message: string;
  /** Absolute. */
  readonly file: string;
  /** From 1; absent: the whole file. */
  readonly line?: number;
  readonly column?: number;
}

/** A file of JavaScript, or of TypeScript without its types: these became blanks, so that each line and column stays. */
export interface Module {
  readonly file: string;
  readonly code: string;
  readonly imports: readonly Import[];
  readonly exports: readonly ExportSpecifier[];
}

export interface Import {
  readonly name: string;
  /** Where the name stands in the code, without its quotes. */
  readonly start: number;
  readonly end: number;
}

/** Loaded with the first script, not with csiflow: the parser of TypeScript takes a tenth of a second. */
const load = createRequire(import.meta.url);
const typescript = () => load('@swc/wasm-typescript') as typeof import('@swc/wasm-typescript');

type Lexer = typeof import('es-module-lexer');

function lexer(): Lexer {
  const loaded = load('es-module-lexer') as Lexer;
  loaded.initSync();
  return loaded;
}

/** Removes the types of a file, and finds what it imports and exports. Executes nothing. */
export function readModule(file: string, text: string): Module | readonly Fault[] {
  const code = withoutTypes(file, text);
  if (typeof code !== 'string') return [code];
  const { ImportType, parse } = lexer();
  const faults: Fault[] = [];
  const imports: Import[] = [];
  const [imported, exports] = parse(code, file);
  for (const found of imported) {
    const { n: name, t: type, s: start, e: end } = found;
    if (type === ImportType.Static && name !== undefined) imports.push({ name, start, end });
    else
      faults.push({ code: 'script.import', message: refusal(found, ImportType), file, ...at(code, start) });
  }
  return faults.length > 0 ? faults : { file, code, imports, exports };
}

function refusal({ t: type }: ImportSpecifier, types: Lexer['ImportType']): string {
  if (type === types.ImportMeta) return 'scripts have no `import.meta`';
  return 'scripts import by `import ... from` at their beginning only: csiflow checks what they import before they run';
}

function withoutTypes(file: string, text: string): string | Fault {
  try {
    return typescript().transformSync(text, { filename: file, mode: 'strip-only', module: true }).code;
  } catch (error) {
    if (!isSyntaxError(error)) return { code: 'script.syntax', message: errorText(error), file };
    const message = error.message.replace(
      ' is not supported in strip-only mode',
      ' is not available in scripts: csiflow removes types and compiles nothing',
    );
    // Its columns count from 0.
    return { code: 'script.syntax', message, file, line: error.startLine, column: error.startColumn + 1 };
  }
}

/** What the parser throws: a plain object. */
interface SyntaxFault {
  readonly message: string;
  readonly startLine: number;
  readonly startColumn: number;
}

const isSyntaxError = (error: unknown): error is SyntaxFault =>
  typeof error === 'object' && error !== null && 'message' in error && 'startLine' in error;

/** Line and column of an offset. */
export function at(code: string, offset: number): { readonly line: number; readonly column: number } {
  const before = code.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

/** What is visibly not a function; what a name or a call stands for is seen when the script starts. */
const NO_FUNCTION = /^\s*(?:class\b|new\b|function\s*\*|[{["'`\d]|(?:null|true|false|undefined)\b)/;

const WANTED = 'must be a function: `export default function process(record) { ... }`';

/** What is wrong with the default export of the module that a topology names. */
export function exportFault({ file, code, exports }: Module): Fault | null {
  const found = exports.find(({ n: name }) => name === 'default');
  if (!found) return { code: 'script.export', message: `has no default export: it ${WANTED}`, file };
  const rest = code.slice(found.e);
  const fault = (message: string): Fault => ({
    ...{ code: 'script.export', message: `the default export ${message}`, file },
    ...at(code, found.s),
  });
  if (/^\s*async\b/.test(rest)) return fault('must not be asynchronous: it returns its records at once');
  return NO_FUNCTION.test(rest) ? fault(WANTED) : null;
}
