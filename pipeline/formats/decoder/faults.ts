import { recordLocation, rawRecord, type RawBatch } from '../../component/index.js';
import type { Failure } from '../../model/index.js';
import { causeOf } from '../../base/cause.js';
import { FailureSample, type FailureSampleState } from '../contract/failure-sample.js';
import type { DecoderContext } from '../contract/format.js';

/** Why a record cannot be decoded. */
export interface ReadFault {
  /** From a bounded set: `truncated`. */
  readonly fault: string;
  readonly reason: string;
}

/** One cause of faults, as a decoder's status shows it. */
export interface FaultState extends ReadFault {
  readonly count: number;
  /** Locations of the first and the last such record; empty if its input has no positions. */
  readonly first: string;
  readonly last: string;
}

/**
 * Records that a decoder rejects: counted by fault, with the first location of each cause. A sample of them
 * becomes dead letters. Memory is bounded: further causes of a fault count as its first one.
 */
export class Faults {
  readonly #metrics: DecoderContext['metrics'];
  readonly #counts: Record<string, number>;
  readonly #causes = new Map<string, { -readonly [K in keyof FaultState]: FaultState[K] }>();
  readonly #sample = new FailureSample();

  /** @param names faults that are counted from the start, as 0 */
  constructor(metrics: DecoderContext['metrics'], names: readonly string[] = []) {
    this.#metrics = metrics;
    this.#counts = Object.fromEntries(names.map((name) => [name, 0]));
  }

  /** Number of records by fault. */
  get counts(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }

  /** In the order of their first record. */
  get causes(): readonly FaultState[] {
    return [...this.#causes.values()].map((cause) => ({ ...cause }));
  }

  /**
   * Counts record `index` of a batch; adds it to `failed` if it belongs to the sample, or is the first of
   * its cause.
   * @param of what it should have been, for its reason: `a measurement of the format esp-csi`
   */
  refuse(raw: RawBatch, index: number, found: ReadFault, of: string, failed: Failure[]): void {
    const { fault, reason } = found;
    this.#counts[fault] = (this.#counts[fault] ?? 0) + 1;
    this.#metrics.dropped(`malformed_${fault}`, 1);
    const location = recordLocation(raw, index);
    const isNew = this.#see(found, location);
    const time = raw.time[index]!;
    if (!this.#sample.wants(fault, time) && !isNew) return;
    const record = rawRecord(raw, index);
    failed.push({
      record: {
        time,
        sender: raw.senders[raw.sender[index]!] ?? '',
        // Dead letters are read by other programs: the field keeps its name.
        ...(location !== '' && { place: location }),
        length: record.length,
        // A copy: a view would retain the whole batch.
        bytes: record.slice(0, MAX_BYTES),
      },
      code: `decode.${fault}`,
      reason: `${location === '' ? '' : `${location}: `}a record of ${record.length} bytes is not ${of}: ${reason}`,
      retriable: false,
    });
  }

  snapshot(): FaultsState {
    return { malformed: this.counts, sample: this.#sample.snapshot(), causes: this.causes };
  }

  restore({ malformed, sample, causes = [] }: FaultsState): void {
    Object.assign(this.#counts, malformed);
    this.#sample.restore(sample);
    this.#causes.clear();
    for (const cause of causes) this.#causes.set(keyOf(cause), { ...cause });
  }

  /** True if its cause is new. */
  #see(found: ReadFault, location: string): boolean {
    const key = keyOf(found);
    const known = this.#causes.get(key) ?? this.#full(found.fault);
    if (known) {
      known.count++;
      known.last = location;
      return false;
    }
    const { fault, reason } = found;
    this.#causes.set(key, {
      fault,
      reason: reason.slice(0, MAX_REASON),
      count: 1,
      first: location,
      last: location,
    });
    return true;
  }

  /** The cause that counts for a new one of this fault if there are too many already. */
  #full(fault: string) {
    const same = [...this.#causes.values()].filter((cause) => cause.fault === fault);
    return same.length < MAX_CAUSES ? undefined : same[0];
  }
}

/** Causes of one fault, at most. */
const MAX_CAUSES = 8;
const MAX_REASON = 200;
/** Longest record in a dead letter. */
const MAX_BYTES = 4096;

const keyOf = ({ fault, reason }: ReadFault): string => `${fault} ${causeOf(reason.slice(0, MAX_REASON))}`;

export interface FaultsState {
  readonly malformed: Readonly<Record<string, number>>;
  readonly sample: FailureSampleState;
  /** Absent in checkpoints of 0.4.0 and before. */
  readonly causes?: readonly FaultState[];
}
