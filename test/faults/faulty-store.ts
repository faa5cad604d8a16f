import { Type } from 'typebox';
import { defineSink, type AnySink, type Recovery } from '../../pipeline/component/index.js';
import { PORTS, type Data, type Failure } from '../../pipeline/model/index.js';

/** What ECONNREFUSED looks like when it comes from Node. */
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
  /** All that ever came, in order: duplicates show. */
  readonly arrivals: string[] = [];
  opened = 0;
  /** Instances that are open now. */
  held = 0;
  /** Why it cannot be reached; null where it can. */
  down: (() => Error) | null = null;
  /** It can be opened when this is over. */
  opens: Promise<void> | null = null;
  /** Why nothing can be deleted; null where it can. */
  rewinds: (() => Error) | null = null;
  /** Writes are answered when this is over. */
  hangs: Promise<void> | null = null;
  /** Flushes are answered when this is over. */
  flushes: Promise<void> | null = null;
  /** Milliseconds that each record takes. */
  slow = 0;
  /** Milliseconds that each answer takes, however few records it is for. */
  late = 0;
  /** Why a record is refused; null where it is taken. */
  refuse: (record: Data) => Omit<Failure, 'record'> | null = () => null;
  /** Of the next write so many records are taken before the connection breaks. */
  breaksAfter: number | null = null;
  /** So many of the next records are answered with success, and never sent. */
  lies = 0;
  readonly recovery: Recovery;
  /** Records of one write, at most, so far. */
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

  /** How many records are stored. */
  get size(): number {
    return this.#rows.size;
  }

  /** Identities of what is stored, in order. */
  get stored(): readonly string[] {
    return [...this.#rows.values()].map(({ record }) => identityOf(record));
  }

  #take(record: Data, epoch: number): void {
    const id = identityOf(record);
    this.arrivals.push(id);
    // The same id overwrites only where the store can; elsewhere it stands there twice.
    this.#rows.set(this.recovery === 'idempotent' ? id : `${id} ${this.arrivals.length}`, { epoch, record });
  }
}
