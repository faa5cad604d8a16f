import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { BundlePlaces, type Places } from './places.js';

/** V8 shows each in its own way. */
interface Site extends NodeJS.CallSite {
  toString(): string;
}

/**
 * From now on, stack traces in this process name the files that were bundled, with their lines, instead of the bundle.
 * Where they are is read when the first stack trace is shown.
 * @param bundle the bundle's file, beside which is its map
 */
export function nameBundledFiles(bundle: string): void {
  const place = placesOf(bundle);
  const shown = (site: Site): string => {
    const text = site.toString();
    const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
    if (site.getFileName() !== bundle || line === null || column === null) return text;
    return text.replace(`${bundle}:${line}:${column}`, (given) => place(line, column) ?? given);
  };
  Error.prepareStackTrace = (error, sites) => [heading(error), ...sites.map(shown)].join('\n    at ');
}

/** Returns the file, line and column that was bundled to a line and column, all from 1; undefined if none was. */
function placesOf(bundle: string): (line: number, column: number) => string | undefined {
  let places: BundlePlaces | null | undefined;
  const read = (): BundlePlaces | null => {
    try {
      return new BundlePlaces(JSON.parse(readFileSync(`${bundle}.places.json`, 'utf8')) as Places);
    } catch {
      // An error must be shown even if this cannot be read: it then names the bundle.
      return null;
    }
  };
  return (line, column) => {
    places = places === undefined ? read() : places;
    const found = places?.find(line - 1, column - 1);
    if (!found) return undefined;
    const { href } = new URL(found.source, pathToFileURL(bundle));
    return `${href}:${found.line + 1}:${found.column + 1}`;
  };
}

/** The first line, as Node shows it: errors of Node itself have their code. Codes of others may be numbers. */
function heading(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && code.startsWith('ERR_') && error.toString !== Error.prototype.toString
    ? error.toString()
    : Error.prototype.toString.call(error);
}
