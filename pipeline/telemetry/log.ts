import { pino, type Logger as Pino } from 'pino';
import { causeOf } from '../base/cause.js';
import { redact } from '../base/secrets.js';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** Receives lines; part of the streams of Node.js, on whose types declarations that ship do not depend. */
interface Destination {
  write(line: string): void;
}

type Fields = Readonly<Record<string, unknown>>;

/** Structured log lines (JSON on standard error). `fields` are snake_case; secrets never go in. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** A log whose lines all carry `fields`. */
  child(fields: Fields): Log;
}

/** The same warning or error of a node is logged once in this time, then with the number of repeats suppressed. */
const REPEAT_MS = 10_000;
/** Causes of one message that are logged in that time, by the fields `code` and `reason`. */
const MAX_CAUSES = 16;
/** Distinct messages remembered per log; the oldest is dropped. */
const REMEMBERED = 256;

/** A log at `level`, to standard error by default. */
export function createLogger(options: { level?: Level; destination?: Destination } = {}): Log {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const destination = options.destination ?? pino.destination({ fd: 2, sync: true });
  const redacting = {
    write: (line: string) => {
      destination.write(redact(line));
    },
  };
  return new PinoLog(pino(settings, redacting));
}

class PinoLog implements Log {
  readonly #pino: Pino;
  readonly #seen = new Map<string, { until: number; held: number }>();

  constructor(target: Pino) {
    this.#pino = target;
  }

  debug(message: string, fields: Fields = {}): void {
    this.#pino.debug(fields, message);
  }

  info(message: string, fields: Fields = {}): void {
    this.#pino.info(fields, message);
  }

  warn(message: string, fields: Fields = {}): void {
    const held = this.#repeated(message, fields);
    if (held !== null) this.#pino.warn(held > 0 ? { ...fields, repeated: held } : fields, message);
  }

  error(message: string, fields: Fields = {}): void {
    const held = this.#repeated(message, fields);
    if (held !== null) this.#pino.error(held > 0 ? { ...fields, repeated: held } : fields, message);
  }

  child(fields: Fields): Log {
    return new PinoLog(this.#pino.child(fields));
  }

  /** How many equal lines were suppressed since the last one; null if this one is to be suppressed too. */
  #repeated(message: string, fields: Fields): number | null {
    const now = performance.now();
    const key = this.#keyOf(message, fields, now);
    const entry = this.#seen.get(key);
    if (entry && now < entry.until) {
      entry.held++;
      return null;
    }
    this.#seen.delete(key);
    this.#seen.set(key, { until: now + REPEAT_MS, held: 0 });
    if (this.#seen.size > REMEMBERED) this.#seen.delete(this.#seen.keys().next().value!);
    return entry?.held ?? 0;
  }

  /** Lines with the same key are equal. A message with too many causes has one for the further ones. */
  #keyOf(message: string, { code, reason }: Fields, now: number): string {
    if (typeof code !== 'string' || typeof reason !== 'string') return message;
    const begin = `${message}\n`;
    const key = `${begin}${code} ${causeOf(reason)}`;
    if (this.#seen.has(key)) return key;
    let causes = 0;
    for (const [seen, { until }] of this.#seen) if (until > now && seen.startsWith(begin)) causes++;
    return causes < MAX_CAUSES ? key : message;
  }
}
