import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { at, exportFault, readModule, type Fault, type Import, type Module } from './module.js';

/** A script with all files that it imports by a relative path. */
export interface Program {
  /** `data:` URL of its module, which contains those that it imports: what was checked is what runs. */
  readonly entry: string;
  /** Absolute; the script first. */
  readonly files: readonly string[];
}

export interface ReadProgram {
  /** Null if there are faults. */
  readonly program: Program | null;
  readonly faults: readonly Fault[];
  /** Hash of the texts of its files, also of faulty ones. */
  readonly hash: string;
}

export const SCRIPT_FILE = /\.m?[jt]s$/;

const MAX_FILES = 64;
const MAX_FILE_BYTES = 2 ** 20;
/** A module stands in each that imports it. */
const MAX_ENTRY_BYTES = 2 ** 24;

/** Reads and checks a script. Executes nothing. @param file absolute */
export function readProgram(file: string): ReadProgram {
  const reader = new ProgramReader(file);
  const module = reader.read(file);
  const fault = module && exportFault(module);
  if (fault) reader.faults.push(fault);
  const { faults } = reader;
  const hash = reader.digest();
  if (faults.length > 0 || !module) return { program: null, faults, hash };
  const entry = reader.urlOf(file);
  if (entry.length <= MAX_ENTRY_BYTES) return { program: { entry, files: reader.files }, faults, hash };
  const message = `the script with all that it imports is too large: ${entry.length} bytes of ${MAX_ENTRY_BYTES}`;
  return { program: null, faults: [{ code: 'script.import', message, file }], hash };
}

class ProgramReader {
  readonly faults: Fault[] = [];
  readonly #folder: string;
  readonly #hash = createHash('sha256');
  readonly #modules = new Map<string, Module | null>();
  /** Where each import of a module leads: the file of a module, or the URL of something else. */
  readonly #targets = new Map<Import, { readonly file: string } | { readonly url: string }>();
  readonly #urls = new Map<string, string>();
  /** Files being read, each imported by the one before. */
  readonly #open: string[] = [];

  constructor(file: string) {
    this.#folder = dirname(file);
  }

  get files(): readonly string[] {
    return [...this.#modules.keys()];
  }

  /** Once, at the end. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  /** Null after a fault. */
  read(file: string): Module | null {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    this.#modules.set(file, null);
    const text = this.#textOf(file);
    if (text === null) return null;
    this.#hash.update(JSON.stringify([relative(this.#folder, file), text]));
    const found = readModule(file, text);
    if (!('code' in found)) {
      this.faults.push(...found);
      return null;
    }
    this.#open.push(file);
    for (const one of found.imports) this.#follow(found, one);
    this.#open.pop();
    this.#modules.set(file, found);
    return found;
  }

  /** Nothing may be faulty. */
  urlOf(file: string): string {
    const known = this.#urls.get(file);
    if (known !== undefined) return known;
    const { code, imports } = this.#modules.get(file)!;
    let text = '';
    let end = 0;
    for (const one of imports) {
      const target = this.#targets.get(one)!;
      text += code.slice(end, one.start) + ('url' in target ? target.url : this.urlOf(target.file));
      end = one.end;
    }
    // Stack traces then name the file.
    text += `${code.slice(end)}\n//# sourceURL=${pathToFileURL(file).href}\n`;
    const url = `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
    this.#urls.set(file, url);
    return url;
  }

  #textOf(file: string): string | null {
    const fault = (code: Fault['code'], message: string) => {
      this.faults.push({ code, message, file });
      return null;
    };
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile())
      return fault('config.file.missing', stat ? 'it is not a file' : 'the file does not exist');
    if (stat.size > MAX_FILE_BYTES)
      return fault('script.syntax', `it has ${stat.size} bytes; the limit is 1 MiB`);
    if (this.#modules.size > MAX_FILES)
      return fault('script.import', `a script has at most ${MAX_FILES} files`);
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  }

  #follow({ file, code }: Module, one: Import): void {
    const target = isRelative(one.name) ? this.#fileOf(file, one.name) : packageOf(file, one.name);
    if (typeof target === 'string') {
      this.faults.push({ code: 'script.import', message: target, file, ...at(code, one.start) });
      return;
    }
    this.#targets.set(one, target);
    if ('file' in target) this.read(target.file);
  }

  /** Or what is wrong with it. */
  #fileOf(from: string, name: string): { readonly file: string } | string {
    const file = writtenFile(resolve(dirname(from), name));
    if (!SCRIPT_FILE.test(file)) return `\`${name}\` must end in .ts, .mts, .js or .mjs`;
    if (!existsSync(file)) return `\`${name}\` does not exist`;
    return this.#open.includes(file) ? `\`${name}\` imports this file in turn` : { file };
  }
}

const isRelative = (name: string): boolean => /^\.\.?\//.test(name);

/** TypeScript may name the file that a compiler would write: `./doors.js` for `doors.ts`. */
function writtenFile(file: string): string {
  const source = file.replace(/\.(m?)js$/, '.$1ts');
  return !existsSync(file) && existsSync(source) ? source : file;
}

/** A module of Node.js or a package, or what is wrong with the name. */
function packageOf(from: string, name: string): { readonly url: string } | string {
  if (isBuiltin(name)) return { url: name };
  if (/^csiflow(?:$|\/)/.test(name))
    return `\`${name}\` has only types for scripts: write \`import type { ... } from '${name}'\``;
  if (/^(?:\/|[a-z]+:)/i.test(name))
    return `\`${name}\` is not allowed: scripts import files by a relative path, packages, and modules of Node.js`;
  try {
    const file = createRequire(from).resolve(name);
    return { url: pathToFileURL(file).href.replaceAll("'", '%27') };
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? error.code : null;
    if (why === 'MODULE_NOT_FOUND')
      return `the package \`${name}\` is not installed beside the script or above it`;
    return `the package \`${name}\` cannot be imported (${String(why)})`;
  }
}
