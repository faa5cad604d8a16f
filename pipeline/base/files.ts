import { readFileSync, renameSync, writeFileSync, type WriteFileOptions } from 'node:fs';

/** System errors of an open file do not name the file. @returns the error, with its code and the file's name */
export function namingFile(error: unknown, path: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || message.includes(path)) return error;
  return Object.assign(new Error(`${path}: ${message}`, { cause: error }), { code });
}

/** Undefined if the file does not exist. @throws Error that names the file */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw namingFile(error, path);
  }
}

/** Like `writeFileSync`. @throws Error that names the file, also when the disk is full */
export function writeNamed(
  path: string,
  content: Uint8Array | string,
  options: WriteFileOptions & { readonly flush?: boolean } = {},
): void {
  try {
    writeFileSync(path, content, options);
  } catch (error) {
    throw namingFile(error, path);
  }
}

/** Writes a file atomically: readers find either the old content or the new. */
export function replaceFile(file: string, content: Uint8Array | string): void {
  writeNamed(`${file}.part`, content);
  renameSync(`${file}.part`, file);
}
