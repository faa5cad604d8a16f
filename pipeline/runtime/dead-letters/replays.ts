import type { NotReplayed } from './letter-desk.js';
import type { Context } from '../../component/index.js';
import type { Data, LinkTable } from '../../model/index.js';
import type { DeadLetter, DeadLetters } from '../../state/index.js';
import { fromPortable, type Portable } from '../../model/portable.js';

/**
 * Records of dead letters that were replayed. A letter is deleted with the first checkpoint after it: its
 * record is then in the store, or in the outbox. One that fails again stays, with its new reason. A crash
 * before that checkpoint undoes both, and the next start replays it.
 */
export class Replays {
  readonly #letters: DeadLetters;
  readonly #links: LinkTable;
  readonly #clock: Context['clock'];
  /** Letters by the records in flight. */
  readonly #underWay = new Map<unknown, number>();

  constructor(letters: DeadLetters, links: LinkTable, clock: Context['clock']) {
    this.#letters = letters;
    this.#links = links;
    this.#clock = clock;
  }

  /** Passes the letters marked for replay to `give`, oldest first. */
  replay(asked: readonly DeadLetter[], give: (node: string, data: Data) => boolean): readonly NotReplayed[] {
    const refused: NotReplayed[] = [];
    const known = new Set(this.#underWay.values());
    for (const letter of asked) {
      if (known.has(letter.id)) continue;
      const data = recordOf(letter, this.#links);
      const reason = typeof data === 'string' ? data : this.#start(letter, data, give);
      if (reason === null) continue;
      refused.push({ id: letter.id, reason });
      this.#letters.refuseReplay(letter.id);
    }
    return refused;
  }

  /** True if the record came from a letter, which is stored with its new reason. */
  failed(record: unknown, code: string, reason: string): boolean {
    const id = this.#underWay.get(record);
    if (id === undefined) return false;
    this.#underWay.delete(record);
    this.#letters.failedAgain(id, { code, reason, at: this.#clock.now() });
    return true;
  }

  /** Called when a barrier is injected; the result is called within the transaction of that barrier's checkpoint. */
  barrier(): () => void {
    const before = [...this.#underWay.keys()];
    return () => {
      const done = before.filter((record) => this.#underWay.has(record));
      this.#letters.remove(done.map((record) => this.#underWay.get(record)!));
      for (const record of done) this.#underWay.delete(record);
    };
  }

  #start(letter: DeadLetter, data: Data, give: (node: string, data: Data) => boolean): string | null {
    this.#underWay.set(data, letter.id);
    if (give(letter.node, data)) return null;
    this.#underWay.delete(data);
    return `the topology no longer has a node ${letter.node} that takes ${data.port} records`;
  }
}

/** The record of a letter, or why there is none. */
function recordOf({ stage, record }: DeadLetter, links: LinkTable): Data | string {
  if (stage === 'decode') return 'it is raw input that could not be decoded, so there is no record';
  if (typeof record !== 'object' || record === null || !('port' in record))
    return 'its record was not stored, or is not a record of a port';
  if ('not_kept_bytes' in record) return 'its record was too large to be stored';
  return fromPortable(record as Portable, links) ?? 'its link is no longer in the environment';
}
