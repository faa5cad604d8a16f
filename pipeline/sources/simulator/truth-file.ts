import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import type { ThingLine, TruthLine } from './stage.js';
import { makeFolder } from '../../base/folders.js';

/** Appends the ground truth to a file, one JSON object per line. */
export class TruthFile {
  readonly #stream: WriteStream;
  #failure: Error | undefined;

  private constructor(stream: WriteStream) {
    this.#stream = stream;
    stream.on('error', (error) => {
      this.#failure = error;
    });
  }

  /** @throws Error if the file cannot be written */
  static async open(path: string): Promise<TruthFile> {
    makeFolder(dirname(path));
    const stream = createWriteStream(path, { flags: 'a' });
    await once(stream, 'open');
    return new TruthFile(stream);
  }

  async write(lines: readonly (TruthLine | ThingLine)[]): Promise<void> {
    if (this.#failure) throw new Error(`The truth cannot be written: ${this.#failure.message}`);
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    if (!this.#stream.write(text)) await once(this.#stream, 'drain');
  }

  async close(): Promise<void> {
    this.#stream.end();
    await once(this.#stream, 'close');
  }
}
