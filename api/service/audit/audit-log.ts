import { join } from 'node:path';
import type { Logger } from '../../../pipeline/component/index.js';
import { redact } from '../../../pipeline/base/secrets.js';
import { RotatedFile, type RotationLimits } from './rotated-file.js';
import { errorText } from '../../../pipeline/base/error-text.js';

/** A request to the service, and its outcome. */
export interface AuditEntry {
  /** ISO 8601. */
  readonly time: string;
  /** Null: without a valid credential. */
  readonly account: string | null;
  readonly role: string | null;
  /** Address of the caller; `command line` for commands that change the state folder themselves. */
  readonly address: string;
  readonly request_id: string | null;
  /** `POST /system/stop` */
  readonly action: string;
  /** Identifiers and switches of the call, never the content of fields that may be secret. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly outcome: 'done' | 'refused' | 'failed';
  /** HTTP status of the answer. */
  readonly status: number;
  /** The error's code; null for success. */
  readonly code: string | null;
  /** Number of similar refused calls since the previous entry that were not recorded. */
  readonly repeated: number;
}

export interface AuditQuery {
  /** ISO 8601, start included, end excluded. */
  readonly start?: string;
  readonly end?: string;
  readonly account?: string;
  readonly outcome?: string;
}

const LIMITS: RotationLimits = { bytes: 1 << 20, files: 8 };
/** Similar refused calls are recorded once in this time. */
const REPEAT_MS = 60_000;
/** Kinds of refused calls distinguished at a time. */
const MAX_KINDS = 1_000;
/** Statuses that anybody can cause without limit. */
const REFUSALS = new Set([401, 403, 429]);

interface Held {
  readonly since: number;
  readonly last: AuditEntry;
  readonly repeated: number;
}

/**
 * Control actions as JSON lines in the state folder, with limited size. Calls without a valid credential are
 * stored separately, so that strangers cannot push out the actions of accounts.
 */
export class AuditLog {
  readonly #accounts: RotatedFile;
  readonly #strangers: RotatedFile;
  readonly #log: Logger;
  readonly #held = new Map<string, Held>();
  readonly #timer: NodeJS.Timeout;

  constructor(stateFolder: string, log: Logger, limits: RotationLimits = LIMITS) {
    this.#accounts = new RotatedFile(join(stateFolder, 'audit.jsonl'), limits);
    this.#strangers = new RotatedFile(join(stateFolder, 'audit-strangers.jsonl'), limits);
    this.#log = log;
    this.#timer = setInterval(() => {
      void this.#release(performance.now() - REPEAT_MS);
    }, REPEAT_MS);
    this.#timer.unref();
  }

  /** Resolves once it is on disk. A failing disk is logged: the action has already happened by then. */
  async note(entry: AuditEntry): Promise<void> {
    if (!REFUSALS.has(entry.status)) return this.#write(entry);
    const { account, address, action, status, details } = entry;
    const kind = JSON.stringify([account, address, action, status, details]);
    const before = this.#held.get(kind);
    if (before) {
      this.#held.set(kind, { ...before, last: entry, repeated: before.repeated + 1 });
      return;
    }
    if (this.#held.size >= MAX_KINDS) await this.#release(Infinity);
    this.#held.set(kind, { since: performance.now(), last: entry, repeated: 0 });
    await this.#write(entry);
  }

  /** A page of the matching entries, oldest first, and their number. */
  async read(
    query: AuditQuery,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly total: number }> {
    const found: { readonly time: string; readonly line: string }[] = [];
    const look = (line: string) => {
      const entry = parse(line);
      if (entry && matches(entry, query)) found.push({ time: entry.time, line });
    };
    await this.#strangers.read(look);
    await this.#accounts.read(look);
    found.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    const entries = found.slice(offset, offset + limit).map(({ line }) => JSON.parse(line) as AuditEntry);
    return { entries, total: found.length };
  }

  /** Writes the suppressed entries. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#release(Infinity);
    await Promise.all([this.#accounts.settled(), this.#strangers.settled()]);
  }

  /** For kinds first seen before that. */
  async #release(until: number): Promise<void> {
    for (const [kind, { since, last, repeated }] of [...this.#held]) {
      if (since > until) continue;
      this.#held.delete(kind);
      if (repeated > 0) await this.#write({ ...last, repeated: repeated - 1 });
    }
  }

  async #write(entry: AuditEntry): Promise<void> {
    const { account, action, details, outcome, status, request_id } = entry;
    this.#log.info('asked for', { account, action, ...details, outcome, status, request_id });
    const stranger = entry.account === null && entry.outcome !== 'done';
    try {
      await (stranger ? this.#strangers : this.#accounts).append(redact(JSON.stringify(entry)));
    } catch (error) {
      this.#log.error('the audit log cannot be written', {
        action: entry.action,
        account: entry.account,
        reason: errorText(error),
      });
    }
  }
}

const matches = (entry: AuditEntry, { start, end, account, outcome }: AuditQuery): boolean =>
  (start === undefined || entry.time >= start) &&
  (end === undefined || entry.time < end) &&
  (account === undefined || entry.account === account) &&
  (outcome === undefined || entry.outcome === outcome);

/** Null for a line truncated by a full disk or a power failure. */
function parse(line: string): AuditEntry | null {
  try {
    return JSON.parse(line) as AuditEntry;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
