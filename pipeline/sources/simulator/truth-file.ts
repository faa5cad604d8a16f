import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import type { Activity, POSTURES } from './person/activities.js';
import type { ThingKind } from './thing.js';
import { makeFolder } from '../../base/folders.js';

/** One line of the ground truth about a thing. */
export interface ThingLine {
  /** Event time, microseconds. */
  readonly time: number;
  readonly environment: string;
  readonly thing: ThingKind;
  /** Index in the source's list of things. */
  readonly number: number;
  readonly moving: boolean;
  /** Its middle, metres. */
  readonly place: readonly number[];
}

/** One line of the ground truth about a person. */
export interface TruthLine {
  /** Event time, microseconds. */
  readonly time: number;
  readonly environment: string;
  readonly person: number;
  readonly present: boolean;
  readonly activity: Activity;
  readonly posture: (typeof POSTURES)[number];
  /** Floor metres. */
  readonly root: readonly [number, number];
  /** Radians from the x axis, counter-clockwise, -pi to pi. */
  readonly heading: number;
  /** [17][x, y, z], metres. */
  readonly keypoints: readonly (readonly number[])[];
}

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
