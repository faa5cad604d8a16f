import { Type } from 'typebox';
import { defineSink, type AnySink, type Recovery } from '../../pipeline/component/index.js';
import { PORTS, type Data, type Failure } from '../../pipeline/model/index.js';

/** Node's ECONNREFUSED error. */
export const refused = (): Error =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:8086'), { code: 'ECONNREFUSED' });

export const identityOf = (record: Data): string => {
  switch (record.port) {
    case 'csi':
      return `csi@${record.time[0]!}x${record.count}`;
    case 'event':
      return record.id;
    case 'measure':
      return `${record.name}@${record.time}`;
    default:
      return record.port;
  }
};

interface Row {
  readonly epoch: number;
  readonly record: Data;
}

/** A store on the other side of a network that a test breaks: it outlives its sinks. */
export class FaultyStore {
  #rows = new Map<string, Row>();
  /** Every record received, in order: shows duplicates. */
  readonly arrivals: string[] = [];
  opened = 0;
  /** Number of open instances. */
  held = 0;
  /** Error while it is unreachable; null if it is reachable. */
  down: (() => Error) | null = null;
  /** `open` completes when this resolves. */
  opens: Promise<void> | null = null;
  /** Error while nothing can be deleted; null if it can. */
  rewinds: (() => Error) | null = null;
  /** Writes complete when this resolves. */
  hangs: Promise<void> | null = null;
  /** Flushes complete when this resolves. */
  flushes: Promise<void> | null = null;
  /** Milliseconds per record. */
  slow = 0;
  /** Milliseconds per response, regardless of the number of records. */
  late = 0;
  /** Why a record is rejected; null if it is accepted. */
  refuse: (record: Data) => Omit<Failure, 'record'> | null = () => null;
  /** The next write accepts this many records before the connection breaks. */
  breaksAfter: number | null = null;
  /** This many of the next records are acknowledged but lost. */
  lies = 0;
  readonly recovery: Recovery;
  /** Largest number of records in one write so far. */
  largest = 0;
  writes = 0;

  constructor(recovery: Recovery) {
    this.recovery = recovery;
  }

  readonly component = (): AnySink =>
    defineSink({
      name: 'faulty-store',
      summary: 'Breaks as the test says.',
      config: Type.Object({}),
      examples: [],
      inputs: PORTS,
      recovery: this.recovery,
      create: () => {
        let answered = 0;
        let sent = 0;
        let isOpen = false;
        return {
          open: async () => {
            if (this.opens) await this.opens;
            if (this.down) throw this.down();
            this.opened++;
            this.held++;
            isOpen = true;
          },
          write: async (records, epoch) => {
            this.writes++;
            this.largest = Math.max(this.largest, records.length);
            if (this.hangs) await this.hangs;
            const ms = this.late + this.slow * records.length;
            if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
            if (this.down) throw this.down();
            const failures: Failure[] = [];
            let taken = 0;
            for (const record of records) {
              const failure = this.refuse(record);
              if (failure) {
                failures.push({ record, ...failure });
                continue;
              }
              answered++;
              if (this.lies > 0) {
                this.lies--;
                continue;
              }
              this.#take(record, epoch);
              sent++;
              if (this.breaksAfter !== null && ++taken >= this.breaksAfter) {
                this.breaksAfter = null;
                throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
              }
            }
            return failures;
          },
          flush: async () => {
            if (this.flushes) await this.flushes;
            if (this.down) throw this.down();
            const missing = answered - sent;
            answered = sent = 0;
            if (missing > 0) throw new Error(`the store has ${missing} records less than were answered`);
          },
          rewind: async (epoch) => {
            if (this.rewinds) throw this.rewinds();
            for (const [key, row] of this.#rows) if (row.epoch > epoch) this.#rows.delete(key);
          },
          close: async () => {
            if (isOpen) this.held--;
            isOpen = false;
          },
        };
      },
    });

  /** Number of stored records. */
  get size(): number {
    return this.#rows.size;
  }

  /** Identities of the stored records, in order. */
  get stored(): readonly string[] {
    return [...this.#rows.values()].map(({ record }) => identityOf(record));
  }

  #take(record: Data, epoch: number): void {
    const id = identityOf(record);
    this.arrivals.push(id);
    // The same id overwrites only if the store can; otherwise it is stored twice.
    this.#rows.set(this.recovery === 'idempotent' ? id : `${id} ${this.arrivals.length}`, { epoch, record });
  }
}
