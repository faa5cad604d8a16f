import type { LinkTable } from '../model/index.js';
import { plainRecords } from '../model/index.js';
import type { NodeStatus } from '../runtime/status.js';
import type { Taken } from './mock-sink.js';

/** A record as a test sees it: plain, with its own time and its arrival, milliseconds after the start of the input. */
export type TestRecord = Readonly<Record<string, unknown>>;

/** Everything that a test can inspect after its run. */
export interface Outcome {
  /** By node, of those that a test inspects, and of all sinks. */
  readonly records: ReadonlyMap<string, readonly TestRecord[]>;
  /** Records of each watched node, in the order of arrival. */
  readonly taken: ReadonlyMap<string, readonly Taken[]>;
  readonly deadLetters: ReadonlyMap<string, readonly TestRecord[]>;
  readonly outbox: ReadonlyMap<string, readonly TestRecord[]>;
  readonly figures: ReadonlyMap<string, TestRecord>;
  /** At the end. */
  readonly state: string;
  readonly problem: string | null;
  readonly hasBeen: ReadonlySet<string>;
  /** When each person of a scene begins their activities, by source. Milliseconds after the start of the input. */
  readonly activities: ReadonlyMap<string, readonly Activity[]>;
  /** The truth of each scene, one JSON object per line, by source. */
  readonly truth: ReadonlyMap<string, string>;
  /** Event time at which the input starts, microseconds since 1970. */
  readonly start: number;
  /** Event time of the input, milliseconds. */
  readonly inputMs: number;
  /** Warnings and errors of the topology. */
  readonly log: readonly string[];
}

export interface Activity {
  readonly person: number;
  readonly activity: string;
  readonly atMs: number;
}

export const figuresOf = ({
  received,
  sent,
  failed,
  dropped,
  missing,
  status,
  details,
}: NodeStatus): TestRecord => ({
  received,
  sent,
  failed,
  dropped,
  missing,
  status,
  details,
});

/** Records are shown plain; undecoded ones as hexadecimal digits. */
export function plainLetter(record: unknown, links: LinkTable): unknown {
  if (record instanceof Uint8Array) return { hex: Buffer.from(record).toString('hex') };
  if (typeof record !== 'object' || record === null || !('port' in record)) return record;
  if (record.port === 'csi' || 'not_kept_bytes' in record) return { port: record.port };
  return plainRecords(record as never, links)[0];
}

/** When each activity begins, from the lines of a scene's truth. */
export function beginnings(lines: string, start: number): readonly Activity[] {
  const before = new Map<number, string>();
  const found: Activity[] = [];
  for (const line of lines.trim().split('\n')) {
    if (line === '') continue;
    const { time, person, activity } = JSON.parse(line) as Partial<Activity> & { time: number };
    // An object has no activities that a test could wait for.
    if (person === undefined || activity === undefined) continue;
    if (before.get(person) !== activity)
      found.push({ person, activity, atMs: milliseconds((time - start) / 1000) });
    before.set(person, activity);
  }
  return found;
}

/** To the microsecond. */
export const milliseconds = (value: number): number => Math.round(value * 1000) / 1000;
