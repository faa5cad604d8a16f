import { Type } from 'typebox';
import { defineSink, type AnySink, type Recovery, type Sink } from '../component/index.js';
import type { SinkFaults } from '../config/index.js';
import { plainRecords, type Data, type Failure, type LinkTable, type Port } from '../model/index.js';
import { matches } from './match.js';
import type { Lab } from './lab.js';

/** A record that a sink accepted. */
export interface Taken {
  readonly record: Data;
  readonly epoch: number;
  /** Milliseconds after the start of the input: how much had been read when it arrived. */
  readonly givenMs: number;
}

/** Replaces a sink, or listens to a node: it collects what it accepts, and fails as the test says. */
export class MockSink {
  readonly faults: SinkFaults | null;
  readonly component: AnySink;
  readonly #lab: Lab;
  readonly #links: LinkTable;
  readonly #recovery: Recovery;
  readonly #refusals = new Map<string, number>();
  /** Whether a test inspects its records; otherwise they are only counted. */
  readonly #collects: boolean;
  /** By key: the record's for an idempotent sink, otherwise a number. */
  readonly #taken = new Map<string, Taken>();
  #number = 0;
  /** Accepted records, by epoch; frames of CSI count one by one. */
  readonly #counts = new Map<number, number>();
  #writes = 0;
  /** Writes that have not been answered. */
  writing = 0;

  constructor(
    lab: Lab,
    links: LinkTable,
    mocked: { readonly name: string; readonly inputs: readonly Port[]; readonly recovery: Recovery },
    faults: SinkFaults | null,
    collects: boolean,
  ) {
    this.#lab = lab;
    this.#collects = collects;
    this.#links = links;
    this.#recovery = mocked.recovery;
    this.faults = faults;
    this.component = defineSink({
      ...mocked,
      summary: 'Replaces a sink in a test.',
      config: Type.Object({}),
      examples: [],
      create: () => this.#sink(),
    });
  }

  /** In the order in which they were accepted. */
  get taken(): readonly Taken[] {
    return [...this.#taken.values()];
  }

  /** How many it has accepted. */
  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  #sink(): Sink {
    this.writing = 0;
    return {
      open: async () => {
        this.#answer();
      },
      write: async (records, epoch) => {
        this.writing++;
        try {
          return await this.#write(records, epoch);
        } finally {
          this.writing--;
        }
      },
      flush: async () => {
        this.#answer();
      },
      rewind: async (epoch) => {
        for (const [key, taken] of this.#taken) if (taken.epoch > epoch) this.#taken.delete(key);
        for (const later of [...this.#counts.keys()]) if (later > epoch) this.#counts.delete(later);
      },
      close: async () => undefined,
    };
  }

  async #write(records: readonly Data[], epoch: number): Promise<readonly Failure[]> {
    this.#lab.stir();
    const number = ++this.#writes;
    const { faults } = this;
    if (faults) {
      if (number <= faults.hangWrites) return new Promise(() => undefined);
      if (number <= faults.hangWrites + faults.failWrites) throw new Error('the test makes this write fail');
    }
    this.#answer();
    const refused = records.filter((record) => this.#refuses(record));
    const givenMs = faults ? this.#lab.clock.elapsed() : this.#lab.readMs;
    for (const record of records) if (!refused.includes(record)) this.#take({ record, epoch, givenMs });
    return refused.map((record) => ({
      record,
      code: 'test.refused',
      reason: 'the test rejects it',
      retriable: faults?.retriable ?? false,
    }));
  }

  /** @throws Error while the test has taken it offline. */
  #answer(): void {
    const away = this.faults?.away;
    const elapsed = this.#lab.clock.elapsed();
    if (!away || elapsed < away.fromMs || elapsed >= away.toMs) return;
    throw Object.assign(new Error('the test has taken this sink offline'), { retriable: true });
  }

  #refuses(record: Data): boolean {
    const { refuse = null, refuseTimes = null } = this.faults ?? {};
    if (!refuse || !plainRecords(record, this.#links).some((plain) => matches(plain, refuse))) return false;
    const key = keyOf(record);
    const before = this.#refusals.get(key) ?? 0;
    if (refuseTimes !== null && before >= refuseTimes) return false;
    this.#refusals.set(key, before + 1);
    return true;
  }

  /** A store whose records have ids overwrites a repeated record in its place. */
  #take(taken: Taken): void {
    const { record, epoch } = taken;
    const size = record.port === 'csi' ? record.count : 1;
    this.#counts.set(epoch, (this.#counts.get(epoch) ?? 0) + size);
    if (!this.#collects) return;
    this.#taken.set(this.#recovery === 'idempotent' ? keyOf(record) : String(this.#number++), taken);
  }
}

/** The same text for the same record, also when it is repeated. */
function keyOf(record: Data): string {
  switch (record.port) {
    case 'csi':
      return `csi ${record.layout.key} ${record.time[0] ?? 0} ${record.link[0] ?? 0} ${record.sequence[0] ?? 0}`;
    case 'window':
      return `window ${record.environment} ${record.index}`;
    case 'pose':
      return `pose ${record.environment} ${record.frameId}`;
    case 'event':
      return `event ${record.id}`;
    case 'measure':
      return `measure ${record.environment} ${record.name} ${record.subject ?? ''} ${record.source} ${record.time}`;
  }
}
