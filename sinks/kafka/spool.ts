import { open, readdir, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { NO_KEYS, Seal, type StateKeys } from '../../pipeline/state/index.js';
import { makeFolder } from '../../pipeline/base/folders.js';
import { naming } from '../shared/text-files.js';
import type { Addressed } from './topics.js';
import { codedError } from '../../pipeline/base/error-text.js';

/**
 * Messages that wait for their checkpoint, or for the brokers: a file for each epoch, a line for each
 * message. A line contains JSON, or encrypted JSON in base64.
 */
export class Spool {
  readonly #folder: string;
  readonly #seal: Seal | null;
  readonly #opener: Seal | null;
  readonly #epochs = new Set<number>();
  #current: { readonly epoch: number; readonly file: FileHandle } | null = null;

  constructor(folder: string, { key, formerKey = null }: StateKeys = NO_KEYS) {
    this.#folder = folder;
    this.#seal = key && new Seal(key);
    this.#opener = this.#seal ?? (formerKey && new Seal(formerKey));
  }

  async open(): Promise<void> {
    makeFolder(this.#folder);
    for (const name of await readdir(this.#folder)) {
      const epoch = Number(/^(\d+)\.ndjson$/.exec(name)?.[1] ?? NaN);
      if (!Number.isNaN(epoch)) this.#epochs.add(epoch);
      // Leftovers of a killed rewrite may be unencrypted.
      if (/^\d+\.ndjson\.part$/.test(name)) await rm(join(this.#folder, name), { force: true });
    }
    for (const epoch of this.#epochs) await this.#reseal(epoch);
  }

  /** Epochs that have messages, oldest first. */
  get epochs(): readonly number[] {
    return [...this.#epochs].sort((a, b) => a - b);
  }

  /** All of them or none: a partial write on a full disk is undone. */
  async append(epoch: number, messages: readonly Addressed[]): Promise<void> {
    if (this.#current?.epoch !== epoch) {
      await this.#close();
      this.#epochs.add(epoch);
      this.#current = { epoch, file: await open(this.#path(epoch), 'a') };
    }
    const { file } = this.#current;
    const { size } = await file.stat();
    try {
      const lines = messages.map((message) => this.#line(message)).join('');
      await naming(this.#path(epoch), () => file.appendFile(lines));
    } catch (error) {
      await file.truncate(size);
      throw error;
    }
  }

  /** Afterwards, everything appended survives a crash. */
  async flush(): Promise<void> {
    await this.#current?.file.sync();
  }

  async read(epoch: number): Promise<readonly Addressed[]> {
    return (await this.#lines(epoch)).map((line, index) => this.#message(line, epoch, index));
  }

  async remove(epoch: number): Promise<void> {
    if (this.#current?.epoch === epoch) await this.#close();
    await rm(this.#path(epoch), { force: true });
    this.#epochs.delete(epoch);
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#close();
  }

  async #close(): Promise<void> {
    const file = this.#current?.file;
    this.#current = null;
    await file?.close();
  }

  /**
   * Rewrites the file of an epoch if its lines are encrypted and should not be, or the other way round.
   * @throws Error if a line is damaged, rather than when it is needed
   */
  async #reseal(epoch: number): Promise<void> {
    const lines = await this.#lines(epoch);
    const messages = lines.map((line, index) => this.#message(line, epoch, index));
    if (lines.every((line) => isSealed(line) === (this.#seal !== null))) return;
    const part = `${this.#path(epoch)}.part`;
    await writeFile(part, messages.map((message) => this.#line(message)).join(''), { flush: true });
    await rename(part, this.#path(epoch));
  }

  async #lines(epoch: number): Promise<readonly string[]> {
    return (await naming(this.#path(epoch), () => readFile(this.#path(epoch), 'utf8')))
      .split('\n')
      .slice(0, -1);
  }

  #line(message: Addressed): string {
    const text = JSON.stringify(message);
    if (this.#seal) return `${this.#seal.close(Buffer.from(text), OWNER).toString('base64')}\n`;
    return `${text}\t${checksum(text)}\n`;
  }

  /** @throws Error if it is damaged, or encrypted with a different key */
  #message(line: string, epoch: number, index: number): Addressed {
    if (isSealed(line)) return this.#opened(line, epoch);
    // Lines of earlier versions have no checksum. JSON itself contains no tab.
    const [text = '', sum] = line.split('\t');
    try {
      if (sum !== undefined && sum !== checksum(text)) throw new SyntaxError('its checksum does not match');
      return JSON.parse(text) as Addressed;
    } catch (error) {
      throw codedError(
        'store.damaged',
        `${this.#path(epoch)}, line ${index + 1} is damaged. It contains results that Kafka does not have yet: restore a backup of the state folder, or move the file away to continue without them`,
        error,
      );
    }
  }

  #opened(line: string, epoch: number): Addressed {
    if (!this.#opener)
      throw codedError(
        'state.encryption',
        `${this.#path(epoch)} is encrypted, and its key is missing: put it into privacy.key of the state folder, or into settings.privacy.key`,
      );
    return JSON.parse(this.#opener.open(Buffer.from(line, 'base64'), OWNER).toString()) as Addressed;
  }

  #path(epoch: number): string {
    return join(this.#folder, `${epoch}.ndjson`);
  }
}

const OWNER = 'spool';
const checksum = (text: string): string => crc32(text).toString(16);
const isSealed = (line: string): boolean => !line.startsWith('{');
