import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { StateFile } from '../../../pipeline/state/state-file.js';

const SessionsFile = Type.Object({
  version: Type.Integer(),
  /** By id, oldest use first. */
  sessions: Type.Record(
    Type.String(),
    Type.Object({
      user: Type.String(),
      /** Id of the only valid refresh token. */
      refresh: Type.String(),
      /** Milliseconds since 1970. */
      until: Type.Number(),
    }),
  ),
});

type Session = Static<typeof SessionsFile>['sessions'][string];

type Entry = readonly [id: string, session: Session];

const LAYOUT = 1;
/** Stored sessions per user; beyond it, the least recently used one is removed. */
const PER_USER = 50;

/** Sessions, each with its valid refresh token. */
export class Sessions {
  readonly #file: StateFile<typeof SessionsFile>;

  /** @throws Error with the file's name if it cannot be read. */
  constructor(stateFolder: string) {
    this.#file = new StateFile(join(stateFolder, 'sessions.json'), {
      schema: SessionsFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, sessions: {} },
      remedy: 'remove it: all users then log in again when their access token expires',
    });
  }

  /** Runs `change` while no other process can change sessions. */
  exclusively<T>(change: () => T): T {
    return this.#file.exclusively(change);
  }

  /** Whether a user's session has not ended. */
  isOpen(session: string, user: string): boolean {
    const stored = this.#find(session);
    return stored?.user === user && stored.until > Date.now();
  }

  isNewest(session: string, refresh: string): boolean {
    return this.#find(session)?.refresh === refresh;
  }

  /** @param until milliseconds since 1970 */
  add(session: string, user: string, refresh: string, until: number): void {
    this.#change((sessions) => {
      const living = sessions.filter(([id, stored]) => id !== session && stored.until > Date.now());
      const own = living.filter(([, stored]) => stored.user === user);
      const surplus = new Set(own.slice(0, Math.max(0, own.length + 1 - PER_USER)).map(([id]) => id));
      return [...living.filter(([id]) => !surplus.has(id)), [session, { user, refresh, until }]];
    });
  }

  end(session: string): void {
    if (this.#find(session)) this.#change((sessions) => sessions.filter(([id]) => id !== session));
  }

  endOf(user: string): void {
    this.#change((sessions) => sessions.filter(([, stored]) => stored.user !== user));
  }

  #find(session: string): Session | undefined {
    const { sessions } = this.#file.content;
    return Object.hasOwn(sessions, session) ? sessions[session] : undefined;
  }

  #change(change: (sessions: readonly Entry[]) => readonly Entry[]): void {
    this.exclusively(() => {
      const sessions = change(Object.entries(this.#file.content.sessions));
      this.#file.write({ version: LAYOUT, sessions: Object.fromEntries(sessions) });
    });
  }
}
