import { open, stat, type FileHandle } from 'node:fs/promises';
import {
  FILE_FORMATS,
  FormatError,
  HEAD_BYTES,
  LONG_HEAD_BYTES,
  RawBuilder,
  recogniseFile,
  type FileFormat,
  type OpenedFile,
} from '../../formats/index.js';
import { tableKindOf } from '../../formats/tables/kinds.js';
import { damaged, unknownKind, type RecordingBatch, type RecordingPosition } from '../recording.js';
import { identityOf, isComplete, isSameFile, type FileIdentity } from './identity.js';
import type { OpenedRecording } from './steps.js';
import { errorCode } from '../../base/error-text.js';

const CHUNK_BYTES = 262_144;

/** A file that another program appends to. It stays open while it is renamed or removed. */
export class GrowingFile {
  readonly path: string;
  readonly #handle: FileHandle;
  #identity: FileIdentity;
  #opened: { readonly kind: FileFormat; readonly file: OpenedFile } | undefined;
  #offset: number;
  #rest: Uint8Array = new Uint8Array(0);
  readonly #count: number;
  #builder: RawBuilder | undefined;
  #position: RecordingPosition | null;

  private constructor(
    path: string,
    handle: FileHandle,
    identity: FileIdentity,
    count: number,
    from: RecordingPosition | null,
  ) {
    this.path = path;
    this.#handle = handle;
    this.#identity = identity;
    this.#count = count;
    this.#position = from;
    this.#offset = from?.offset ?? 0;
  }

  /** Undefined if the file does not exist. @param from where to resume; null: its start */
  static async open(
    path: string,
    count: number,
    from: RecordingPosition | null,
  ): Promise<GrowingFile | undefined> {
    const handle = await openIfThere(path);
    return handle && new GrowingFile(path, handle, await identityOf(handle), count, from);
  }

  get identity(): FileIdentity {
    return this.#identity;
  }

  get position(): RecordingPosition | null {
    return this.#position;
  }

  /**
   * Undefined until enough was written to recognise the kind. @throws FormatError if it is of no kind that
   * can be followed
   */
  async recording(asked: string): Promise<OpenedRecording | undefined> {
    this.#opened ??= await this.#recognised(asked);
    if (!this.#opened) return undefined;
    const { kind, file } = this.#opened;
    const { size } = await this.#handle.stat();
    return { path: this.path, kind: kind.name, format: file.format, origin: liveOrigin(file), size };
  }

  /**
   * Creation time, microseconds; the time of the last change if the file system does not record it, or if the
   * file is a copy.
   */
  async begunAt(): Promise<number> {
    const { birthtimeMs, mtimeMs } = await this.#handle.stat();
    return 1000 * (birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs);
  }

  /** Nanoseconds. */
  async createdAt(): Promise<bigint> {
    return (await this.#handle.stat({ bigint: true })).birthtimeNs;
  }

  /**
   * What was appended since the last call. `last`: the file is complete; `rewritten`: nothing was appended
   * either, and the content is that of another file.
   * @throws FormatError if the rest cannot be read
   */
  async *read(end: 'open' | 'last' | 'rewritten'): AsyncGenerator<RecordingBatch, void> {
    const { kind, file } = this.#opened!;
    const builder = (this.#builder ??= this.#begin(file));
    const cut = (isLast: boolean): boolean => {
      const taken = file.cutter.cut(this.#rest, builder, this.#offset, isLast);
      this.#offset += taken;
      this.#rest = this.#rest.subarray(taken);
      return builder.full;
    };
    try {
      while (end !== 'rewritten' && (await this.#grow())) while (cut(false)) yield this.#batch(builder, file);
      while (end !== 'open' && cut(true)) yield this.#batch(builder, file);
    } catch (error) {
      if (builder.count > 0) yield this.#batch(builder, file);
      throw damaged(error, this.path, kind.name, this.#offset);
    }
    const rest = this.#batch(builder, file);
    if (rest.raw.count > 0 || rest.problems.length > 0) yield rest;
  }

  /** True if the part that was read is gone, or has changed. */
  async isRewritten(): Promise<boolean> {
    const { size } = await this.#handle.stat();
    if (size < this.#offset + this.#rest.length) return true;
    if (!(await isSameFile(this.#handle, this.#identity))) return true;
    if (!isComplete(this.#identity)) this.#identity = await identityOf(this.#handle);
    return false;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  #begin(file: OpenedFile): RawBuilder {
    if (this.#position) file.cutter.restore(this.#position.cutter);
    else this.#offset = file.start;
    return new RawBuilder(
      this.#count,
      liveOrigin(file),
      this.#position?.newest ?? -Infinity,
      undefined,
      true,
    );
  }

  /** False if nothing was appended. */
  async #grow(): Promise<boolean> {
    const at = this.#offset + this.#rest.length;
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    const chunk = buffer.subarray(0, bytesRead);
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    return bytesRead > 0;
  }

  #batch(builder: RawBuilder, { cutter }: OpenedFile): RecordingBatch {
    const newest = Number.isFinite(builder.newest) ? builder.newest : null;
    const position = { offset: this.#offset, cutter: cutter.snapshot(), newest };
    this.#position = position;
    return { raw: builder.take(this.path), position, problems: builder.takeProblems() };
  }

  async #recognised(asked: string) {
    const head = await this.#head(HEAD_BYTES);
    const isWhole = head.length === HEAD_BYTES;
    if (head[0] === 0x1f && head[1] === 0x8b)
      throw new FormatError(
        'file.follow',
        this.path,
        'a file compressed with gzip cannot be followed: omit `follow`',
      );
    const named = asked === 'auto' ? undefined : FILE_FORMATS.find(({ name }) => name === asked)!;
    const kind = named ?? recogniseFile(head);
    if (kind) return openedIfWhole(kind, head, isWhole);
    const table = isWhole ? tableKindOf(asked, head, false) : undefined;
    if (table)
      throw new FormatError(
        'file.follow',
        this.path,
        `this is a file of arrays (${table.name}), which is read as a whole: omit \`follow\``,
      );
    if (!isWhole) return undefined;
    const longHead = await this.#head(LONG_HEAD_BYTES);
    const late = recogniseFile(longHead);
    if (late) return openedIfWhole(late, longHead, true);
    throw unknownKind(this.path, asked, longHead);
  }

  async #head(most: number): Promise<Uint8Array> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(most), 0, most, 0);
    return buffer.subarray(0, bytesRead);
  }
}

/** Live records of a radio are not a replay. */
const liveOrigin = ({ origin }: OpenedFile) => (origin === 'replay' ? 'live' : origin);

/** Waits if only part of the header has been written. */
function openedIfWhole(kind: FileFormat, head: Uint8Array, isWhole: boolean) {
  try {
    return { kind, file: kind.open(head) };
  } catch (error) {
    if (isWhole || !(error instanceof FormatError)) throw error;
    return undefined;
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    // A pipe without a writer would block a thread.
    if ((await stat(path)).isFile()) return await open(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  throw new FormatError(
    'file.follow',
    path,
    'only files can be followed: the source `serial` reads pipes and devices',
  );
}
