import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { StateFile } from '../../../pipeline/state/state-file.js';

const Acknowledgement = Type.Object({
  /** Name of the account that was first. */
  by: Type.String(),
  /** Milliseconds since 1970. */
  at: Type.Number(),
});

const AcknowledgementsFile = Type.Object({
  version: Type.Integer(),
  /** By alert id, oldest first. */
  acknowledgements: Type.Record(Type.String(), Acknowledgement),
});

export type Acknowledgement = Static<typeof Acknowledgement>;

/** An acknowledgement in the form sent to all subscribers. */
export interface Acknowledged extends Acknowledgement {
  readonly alert: string;
  readonly environment: string;
}

const LAYOUT = 1;
/** The oldest go first: the file is read and written whole. */
const MAX_STORED = 5_000;

/** The acknowledged alerts, in one file of the state folder. */
export class Acknowledgements {
  readonly #file: StateFile<typeof AcknowledgementsFile>;
  readonly #listeners = new Set<(acknowledged: Acknowledged) => void>();

  /** @throws Error naming the file if it cannot be read */
  constructor(stateFolder: string) {
    this.#file = new StateFile(join(stateFolder, 'acknowledgements.json'), {
      schema: AcknowledgementsFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, acknowledgements: {} },
      remedy: 'restore it from a backup, or move it away: all alerts then count as not acknowledged',
    });
  }

  of(alert: string): Acknowledgement | null {
    const { acknowledgements } = this.#file.content;
    return Object.hasOwn(acknowledgements, alert) ? acknowledgements[alert]! : null;
  }

  /**
   * Notes who saw to an alert, and tells the listeners. The first one counts: a later one changes nothing, and is
   * given the first. @param at milliseconds since 1970
   */
  add(alert: string, environment: string, by: string, at: number): Acknowledgement {
    const { stored, isNew } = this.#file.exclusively(() => this.#write(alert, { by, at }));
    if (isNew) for (const listener of this.#listeners) listener({ ...stored, alert, environment });
    return stored;
  }

  /** Called with each new one of this process. Returns a function that stops the calls. */
  onAdd(listener: (acknowledged: Acknowledged) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #write(alert: string, made: Acknowledgement): { stored: Acknowledgement; isNew: boolean } {
    const known = this.of(alert);
    if (known) return { stored: known, isNew: false };
    const all = [...Object.entries(this.#file.content.acknowledgements), [alert, made] as const];
    this.#file.write({
      version: LAYOUT,
      acknowledgements: Object.fromEntries(all.slice(-MAX_STORED)),
    });
    return { stored: made, isNew: true };
  }
}
