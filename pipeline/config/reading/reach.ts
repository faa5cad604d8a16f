import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** Which parts of the host a topology may name. */
export interface Reach {
  /** @param path absolute */
  allowsFile(path: string): boolean;
  /** @param path absolute: code to run */
  allowsScript(path: string): boolean;
  allowsVariable(name: string): boolean;
  /** @param command program and arguments, started in `folder` */
  allowsCommand(command: readonly string[], folder: string): boolean;
}

/** Topologies that the host's owner starts csiflow with: they may name anything, and what they name is recorded. */
export class OwnersReach implements Reach {
  readonly files = new Set<string>();
  readonly scripts = new Set<string>();
  readonly variables = new Set<string>();
  readonly commands = new Set<string>();

  allowsFile(path: string): boolean {
    this.files.add(path);
    return true;
  }

  allowsScript(path: string): boolean {
    this.scripts.add(path);
    return true;
  }

  allowsVariable(name: string): boolean {
    this.variables.add(name);
    return true;
  }

  allowsCommand(command: readonly string[], folder: string): boolean {
    this.commands.add(commandKey(command, folder));
    return true;
  }
}

/** What the host's owner grants to topologies that arrive over the network; survives a structured clone. */
export interface Grant {
  /** Absolute; they may name files below it. */
  readonly folder: string;
  /** Absolute; files and folders elsewhere, each by exactly this path. */
  readonly files: ReadonlySet<string>;
  readonly variables: ReadonlySet<string>;
  /** Absolute; code that they may run, as recorded by {@link OwnersReach}. Default: none. */
  readonly scripts?: ReadonlySet<string>;
  /** Commands that they may start, as recorded by {@link OwnersReach}. Default: none. */
  readonly commands?: ReadonlySet<string>;
}

/** Topologies that arrive over the network: their authors must not be able to read the host through them. */
export class NetworkReach implements Reach {
  readonly #grant: Grant;

  constructor(grant: Grant) {
    this.#grant = grant;
  }

  allowsFile(path: string): boolean {
    const { folder, files } = this.#grant;
    // A sink could replace a script of the owner's, or a module that it imports.
    if (HOLDS_CODE.test(path) || HOLDS_CODE.test(realPath(path) ?? '')) return false;
    return files.has(path) || (lies(path, folder) && lies(realPath(path), realPath(folder)));
  }

  allowsScript(path: string): boolean {
    return this.#grant.scripts?.has(path) ?? false;
  }

  allowsVariable(name: string): boolean {
    return this.#grant.variables.has(name);
  }

  allowsCommand(command: readonly string[], folder: string): boolean {
    return this.#grant.commands?.has(commandKey(command, folder)) ?? false;
  }
}

/** Modules, and packages with what tells how to load them. */
const HOLDS_CODE = /\.[cm]?[jt]s$|[/\\]node_modules(?:[/\\]|$)/i;

/** A program may be named relative to the folder in which it starts. */
const commandKey = (command: readonly string[], folder: string): string =>
  JSON.stringify([folder, ...command]);

function lies(path: string | null, folder: string | null): boolean {
  if (path === null || folder === null) return false;
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Resolves links, also for paths that do not exist yet; null if that is impossible, as for a dangling link. */
function realPath(path: string): string | null {
  // Node rejects such a path.
  if (path.includes('\0')) return null;
  let there = path;
  while (!isThere(there) && dirname(there) !== there) there = dirname(there);
  try {
    return resolve(realpathSync(there), relative(there, path));
  } catch {
    return null;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Such as a path below a file, or in an unreadable folder: its parent decides.
    return false;
  }
}
