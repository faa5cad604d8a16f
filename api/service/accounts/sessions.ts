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
      /** Id of the one refresh token that is still good. */
      refresh: Type.String(),
      /** Milliseconds since 1970. */
      until: Type.Number(),
    }),
  ),
});

type Session = Static<typeof SessionsFile>['sessions'][string];

type Entry = readonly [id: string, session: Session];

const LAYOUT = 1;
/** Logins of one user that are stored; the one unused for longest goes first. */
const PER_USER = 50;

/** Logins and the refresh token of each that is still good. */
export class Sessions {
  readonly #file: StateFile<typeof SessionsFile>;

  /** @throws Error naming the file where it cannot be read. */
  constructor(stateFolder: string) {
    this.#file = new StateFile(join(stateFolder, 'sessions.json'), {
      schema: SessionsFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, sessions: {} },
      remedy: 'remove it: everybody then logs in anew once an access token has ended',
    });
  }

  /** Runs `change` while no other process can change logins. */
  exclusively<T>(change: () => T): T {
    return this.#file.exclusively(change);
  }

  /** Whether a login of a user has not ended. */
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
