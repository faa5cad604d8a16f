import { readFileSync, renameSync, writeFileSync, type WriteFileOptions } from 'node:fs';

/** What the system says of a file that is open does not name it. @returns the error, with its code and the file's name */
export function namingFile(error: unknown, path: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || message.includes(path)) return error;
  return Object.assign(new Error(`${path}: ${message}`, { cause: error }), { code });
}

/** Undefined where there is no such file. @throws Error that names the file */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw namingFile(error, path);
  }
}

/** As `writeFileSync`. @throws Error that names the file, also where the disk is full */
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

/** Writes a file so that a reader finds either the old one or the new one. */
export function replaceFile(file: string, content: Uint8Array | string): void {
  writeNamed(`${file}.part`, content);
  renameSync(`${file}.part`, file);
}
