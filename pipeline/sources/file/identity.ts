import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** What tells a file from another of the same name, and finds it under a new one; survives JSON. */
export interface FileIdentity {
  /** Of its file system; as text, because it may have 64 bits. */
  readonly inode: string;
  /** Bytes of its beginning that `sum` is of. */
  readonly length: number;
  /** CRC-32. */
  readonly sum: number;
}

/** Beginning of a file that is compared: the number of a deleted file is given to a new one. */
const COMPARED_BYTES = 1024;

export async function identityOf(file: FileHandle, length = COMPARED_BYTES): Promise<FileIdentity> {
  const { ino } = await file.stat({ bigint: true });
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return { inode: String(ino), length: bytesRead, sum: crc32(buffer.subarray(0, bytesRead)) };
}

/** True where the file is the one that was known so, perhaps longer by now. */
export async function isSameFile(file: FileHandle, known: FileIdentity): Promise<boolean> {
  const { inode, length, sum } = await identityOf(file, known.length);
  return inode === known.inode && length === known.length && sum === known.sum;
}

/** As much as can be compared is known. */
export const isComplete = ({ length }: FileIdentity): boolean => length === COMPARED_BYTES;
