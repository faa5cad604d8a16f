import {
  bucketsOf,
  type EventQuery,
  type MeasureQuery,
  type PersonQuery,
  type PoseQuery,
  type Reader,
  type TimeRange,
} from '../../pipeline/component/index.js';
import type { Data, Measure, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { aggregatesOf } from '../support/aggregates.js';
import { placesOf } from '../support/places.js';
import { summariesOf } from '../support/summaries.js';
import type { ReadableStore } from './reader.js';

type Stored = Measure | PoseFrame | SensedEvent;

const isIn =
  ({ environment, start = -Infinity, end = Infinity }: TimeRange) =>
  (record: Stored): boolean =>
    record.environment === environment && record.time >= start && record.time < end;

/** The part of a list from `offset`, at most `limit`. */
const pageOf = <T>(
  all: readonly T[],
  { offset = 0, limit = Infinity }: { offset?: number; limit?: number },
) => all.slice(offset, offset + limit);

/** A store in memory whose reader keeps all promises, and what it holds. */
export class MemoryStore implements ReadableStore {
  readonly #stored: Stored[] = [];
  readonly reader: Reader;

  /** @param change replaces calls of the reader */
  constructor(change: (good: Reader, all: readonly Stored[]) => Partial<Reader> = () => ({})) {
    const good = this.#good();
    this.reader = { ...good, ...change(good, this.#stored) };
  }

  async put(records: readonly Data[]): Promise<void> {
    this.#stored.push(...(records as readonly Stored[]));
  }

  async close(): Promise<void> {
    this.#stored.length = 0;
  }

  #of<P extends Stored['port']>(port: P, range: TimeRange): Extract<Stored, { port: P }>[] {
    const found = this.#stored.filter((one) => one.port === port && isIn(range)(one));
    return (found as Extract<Stored, { port: P }>[]).sort((a, b) => a.time - b.time);
  }

  #good(): Reader {
    const until = (environment: string, last = Infinity) =>
      this.#of('pose', { environment }).filter(({ time }) => time <= last);
    return {
      latestPose: async (environment, last) => until(environment, last).at(-1),
      range: async (environment, last) => {
        const [first, ...rest] = until(environment, last);
        return first && { start: first.time, end: (rest.at(-1) ?? first).time };
      },
      poses: async (query) => {
        const { after } = query;
        const isAfter = ({ time, frameId }: PoseFrame) =>
          !after || time > after.time || (time === after.time && frameId > after.frameId);
        return pageOf(
          this.#poses(query).filter(isAfter),
          query.limit === undefined ? {} : { limit: query.limit },
        );
      },
      countPoses: async (query) => this.#poses(query).length,
      persons: async (query) => pageOf(this.#persons(query), query),
      countPersons: async (query) => this.#persons(query).length,
      events: async (query) => pageOf(this.#events(query), query),
      countEvents: async (query) => this.#events(query).length,
      measures: async (query) => pageOf(this.#measures(query), query),
      aggregates: async (query) => {
        bucketsOf(query);
        return aggregatesOf(this.#of('measure', query), query);
      },
      summaries: async (query) => {
        bucketsOf(query);
        return summariesOf(this.#of('pose', query), query);
      },
      places: async (query) => placesOf(this.#of('pose', query), query),
      meanProcessingMs: async (query) => {
        const times = this.#of('pose', query).map(({ processingMs }) => processingMs);
        return times.length === 0 ? 0 : times.reduce((sum, time) => sum + time, 0) / times.length;
      },
      ping: async () => 0,
      until: () => this.reader,
    };
  }

  #poses({ person, minConfidence, ...range }: PoseQuery | PersonQuery): readonly PoseFrame[] {
    const frames = this.#of('pose', range).sort((a, b) => a.time - b.time || a.frameId - b.frameId);
    if (person === undefined && minConfidence === undefined) return frames;
    return frames
      .map((frame) => ({
        ...frame,
        persons: frame.persons.filter(
          ({ track, confidence }) =>
            (person === undefined || track?.id === person) && confidence >= (minConfidence ?? 0),
        ),
      }))
      .filter(({ persons }) => persons.length > 0);
  }

  #persons(query: PersonQuery) {
    return this.#poses(query).flatMap(({ time, frameId, environment, persons }) =>
      persons.map((person) => ({ time, frameId, environment, person })),
    );
  }

  #events({ types, severities, ownOnly = true, ...range }: EventQuery): readonly SensedEvent[] {
    return this.#of('event', range).filter(
      ({ type, severity, source }) =>
        (types?.includes(type) ?? true) &&
        (severities?.includes(severity) ?? true) &&
        (!ownOnly || source === 'csiflow'),
    );
  }

  #measures({ names, subject, ...range }: MeasureQuery): readonly Measure[] {
    return this.#of('measure', range).filter(
      (one) => (names?.includes(one.name) ?? true) && (subject === undefined || one.subject === subject),
    );
  }
}
