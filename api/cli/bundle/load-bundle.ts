import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** Compiled code is kept so long after the start, when what a start needs has been compiled. */
const KEPT_AFTER_MS = 5000;
/** Files of compiled code, a few megabytes each: one for each command and version. The oldest are removed. */
const MOST_FILES = 16;
/** The last characters of a bundle: the hash of the rest. */
const HASH_LENGTH = 16;

type Wrapper = (
  require: NodeJS.Require,
  module: { exports: object },
  /** The URL of a file that was bundled, by its path from the bundle's folder. */
  fileUrl: (path: string) => string,
  imported: (name: string) => Promise<unknown>,
) => void;

/**
 * Runs a bundle that the build has made, and returns its exports. V8's compiled code of it is kept in `folder` for the
 * next start with the same `use`: other uses compile other functions.
 * @param folder null: nothing is kept
 */
export function loadBundle(file: string, use: string, folder: string | null): object {
  // The build writes it so: V8 stores a byte for each character, and nothing is decoded.
  const source = readFileSync(file, 'latin1');
  const code = folder === null ? null : join(folder, codeName(file, source, use));
  const cachedData = code === null ? undefined : readCode(code);
  const script = new Script(source, {
    filename: file,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} };
  const fileUrl = (path: string): string => pathToFileURL(join(dirname(file), path)).href;
  (script.runInThisContext() as Wrapper)(createRequire(file), module, fileUrl, (name) => import(name));
  if (code !== null && (!cachedData || script.cachedDataRejected)) keepLater(script, code);
  return module.exports;
}

/** V8 itself compares only the length of the source. The code contains the path of its file, for stack traces. */
const codeName = (file: string, source: string, use: string): string =>
  `${use}-${source.trimEnd().slice(-HASH_LENGTH)}-${hex(crc32(file))}-${hex(cachedDataVersionTag())}.code`;

const hex = (number: number): string => number.toString(16);

/**
 * The compiled code; undefined if there is none, if it cannot be read (another user wrote it, or another process just
 * removed it), or if the file is damaged: V8 does not check it.
 */
function readCode(file: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  const code = bytes.subarray(4);
  return bytes.length > 4 && bytes.readUInt32LE() === crc32(code) ? code : undefined;
}

/** Once: after a while, or earlier if the process ends before. */
function keepLater(script: Script, file: string): void {
  const keep = (): void => {
    clearTimeout(timer);
    process.removeListener('exit', keep);
    keepCode(script.createCachedData(), file);
  };
  const timer = setTimeout(keep, KEPT_AFTER_MS).unref();
  process.once('exit', keep);
}

function keepCode(code: Buffer, file: string): void {
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(code));
  const beside = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(beside, Buffer.concat([sum, code]), { mode: 0o600 });
    renameSync(beside, file);
    removeOldest(dirname(file));
  } catch {
    // The folder cannot be written, or another process removes the same file: the next start compiles again.
  }
}

function removeOldest(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => /\.code(\.\d+\.tmp)?$/.test(name))
    .map((name) => join(folder, name))
    .map((file) => ({ file, written: statSync(file).mtimeMs }))
    .sort((a, b) => b.written - a.written);
  for (const { file } of files.slice(MOST_FILES)) rmSync(file);
}
