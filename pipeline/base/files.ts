import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file so that a reader finds either the old one or the new one. */
export function replaceFile(file: string, content: Uint8Array | string): void {
  writeFileSync(`${file}.part`, content);
  renameSync(`${file}.part`, file);
}
