import {
  isTick,
  rawRecord,
  type Output,
  type RawBatch,
  type RawLocations,
  type State,
} from '../../component/index.js';
import type { Data, Failure } from '../../model/index.js';
import type { Decoder, DecoderContext, Format } from '../contract/format.js';
import { Faults, type FaultsState, type FaultState } from './faults.js';
import type { HeardState } from '../senders/heard.js';
import type { Strangers } from '../senders/strangers.js';

/** Name of the format that recognises each record automatically. */
export const BY_CONTENT = 'auto';

/** Records of any of `formats`, in any mixture: the first format that recognises a record reads it. */
export const byContent = (formats: readonly Format[]): Format => {
  const formatOf = (record: Uint8Array) => formats.find((format) => format.recognise(record));
  return {
    name: BY_CONTENT,
    summary: "Any of them, also mixed: each record's format is detected.",
    recognise: (record) => formatOf(record) !== undefined,
    decoder: (context) => new ContentDecoder(formats, context),
    timeOf: (record) => formatOf(record)?.timeOf?.(record) ?? null,
  };
};

/** One decoder per format, created at its first record. The choice for a record depends only on that record. */
class ContentDecoder implements Decoder {
  readonly #formats: readonly Format[];
  readonly #context: DecoderContext;
  readonly #decoders = new Map<Format, Decoder>();
  readonly #faults: Faults;

  constructor(formats: readonly Format[], context: DecoderContext) {
    this.#formats = formats;
    this.#context = context;
    this.#faults = new Faults(context.metrics);
  }

  decode(raw: RawBatch): Output<Data> {
    const failed: Failure[] = [];
    const parts = new Map<Format, number[]>();
    for (let i = 0; i < raw.count; i++) {
      if (isTick(raw, i)) continue;
      const format = this.#formatOf(rawRecord(raw, i));
      if (!format) {
        this.#faults.refuse(raw, i, UNRECOGNISED, 'a measurement of any format', failed);
        continue;
      }
      this.#decoderOf(format);
      const part = parts.get(format);
      if (part) part.push(i);
      else parts.set(format, [i]);
    }
    const data: Data[] = [];
    for (const [format, rows] of parts) {
      const output = this.#decoderOf(format).decode(rows.length === raw.count ? raw : pick(raw, rows));
      data.push(...output.data);
      if (output.failed) failed.push(...output.failed);
    }
    return failed.length === 0 ? { data } : { data, failed };
  }

  snapshot(): State {
    return {
      formats: Object.fromEntries(
        [...this.#decoders].map(([{ name }, decoder]) => [name, decoder.snapshot()]),
      ),
      unrecognised: this.#unrecognised,
      ...this.#faults.snapshot(),
    } satisfies Snapshot;
  }

  restore(state: State): void {
    const snapshot = state as Snapshot;
    const { malformed = { [UNRECOGNISED.fault]: snapshot.unrecognised } } = snapshot;
    this.#faults.restore({ ...snapshot, malformed });
    for (const [name, saved] of Object.entries(snapshot.formats)) {
      const format = this.#formats.find((one) => one.name === name);
      if (format) this.#decoderOf(format).restore(saved);
    }
  }

  /** Levels and sizes come from the format with the most frames; counts are summed. */
  describe(): Readonly<Record<string, unknown>> {
    const all = [...this.#decoders].map(([{ name }, decoder]) => ({ name, about: decoder.describe() }));
    const busiest = all.toSorted((a, b) => framesIn(b.about) - framesIn(a.about))[0];
    const malformed = [...all.map(({ about }) => about['malformed']), this.#faults.counts];
    const faults = all.flatMap(({ about }) => (about['faults'] ?? []) as readonly FaultState[]);
    return {
      ...busiest?.about,
      format: all.map(({ name }) => name).join(', ') || null,
      active_links: all.reduce((sum, { about }) => sum + Number(about['active_links'] ?? 0), 0),
      packets: sums(all.map(({ about }) => about['packets'])),
      malformed: sums(malformed),
      faults: [...faults, ...this.#faults.causes],
      heard: Object.assign({}, ...all.map(({ about }) => about['heard'])) as unknown,
      links: busiestLinks(all),
      any_sender: busiestSenders(all.map(({ about }) => about['any_sender'])),
      unknown_senders: allStrangers(all.map(({ about }) => about['unknown_senders'])),
    };
  }

  /**
   * An unrecognised record is explained by the format whose signature it has, otherwise by the only one that was
   * seen so far.
   */
  #formatOf(record: Uint8Array): Format | undefined {
    const found =
      this.#formats.find((one) => one.recognise(record)) ??
      this.#formats.find((one) => one.hasSignature?.(record));
    return found ?? (this.#decoders.size === 1 ? [...this.#decoders.keys()][0] : undefined);
  }

  #decoderOf(format: Format): Decoder {
    let decoder = this.#decoders.get(format);
    if (!decoder) this.#decoders.set(format, (decoder = format.decoder(this.#context)));
    return decoder;
  }

  get #unrecognised(): number {
    return this.#faults.counts[UNRECOGNISED.fault] ?? 0;
  }
}

const UNRECOGNISED = {
  fault: 'unknown_format',
  reason: 'no format recognises it; set `format` to see why it does not match',
};

interface Snapshot extends Omit<FaultsState, 'malformed'> {
  readonly formats: Readonly<Record<string, State>>;
  readonly unrecognised: number;
  /** Absent in checkpoints of 0.4.0 and before. */
  readonly malformed?: FaultsState['malformed'];
}

type Counts = Readonly<Record<string, number>>;

const framesIn = (about: Readonly<Record<string, unknown>>): number =>
  (about['packets'] as Counts | undefined)?.['csi'] ?? 0;

function sums(all: readonly unknown[]): Counts {
  const total: Record<string, number> = {};
  for (const counts of all)
    for (const [name, count] of Object.entries((counts ?? {}) as Counts))
      total[name] = (total[name] ?? 0) + count;
  return total;
}

/** For each link, the status from the format with most of its frames. */
function busiestLinks(
  all: readonly { readonly name: string; readonly about: Readonly<Record<string, unknown>> }[],
): Readonly<Record<string, unknown>> {
  const links: Record<string, { readonly received: number }> = {};
  for (const { name, about } of all)
    for (const [id, link] of Object.entries((about['links'] ?? {}) as typeof links))
      if (link.received > (links[id]?.received ?? -1)) links[id] = { ...link, ...{ format: name } };
  return links;
}

type StrangerState = ReturnType<Strangers['describe']>;

/** Those of all formats; each names its own. */
function allStrangers(all: readonly unknown[]): StrangerState {
  const states = all as readonly (StrangerState | undefined)[];
  return {
    frames: states.reduce((sum, one) => sum + (one?.frames ?? 0), 0),
    senders: states.reduce((sum, one) => sum + (one?.senders ?? 0), 0),
    listed: states.flatMap((one) => one?.listed ?? []),
  };
}

/** For each sender, the status from its most frequent format. */
function busiestSenders(all: readonly unknown[]): Readonly<Record<string, HeardState>> {
  const senders: Record<string, HeardState> = {};
  for (const one of all)
    for (const [sender, heard] of Object.entries((one ?? {}) as typeof senders))
      if (heard.frames > (senders[sender]?.frames ?? 0)) senders[sender] = heard;
  return senders;
}

/** The records `rows` of a batch, in their order. */
function pick(raw: RawBatch, rows: readonly number[]): RawBatch {
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => {
    offsets[i + 1] = offsets[i]! + raw.offsets[row + 1]! - raw.offsets[row]!;
  });
  const bytes = new Uint8Array(offsets[rows.length]!);
  rows.forEach((row, i) => {
    bytes.set(rawRecord(raw, row), offsets[i]);
  });
  return {
    ...raw,
    count: rows.length,
    time: Float64Array.from(rows, (row) => raw.time[row]!),
    offsets,
    bytes,
    sender: Uint16Array.from(rows, (row) => raw.sender[row]!),
    ...(raw.locations && { locations: pickLocations(raw.locations, rows) }),
  };
}

const pickLocations = (locations: RawLocations, rows: readonly number[]): RawLocations => ({
  ...locations,
  number: Float64Array.from(rows, (row) => locations.number[row]!),
  byte: Float64Array.from(rows, (row) => locations.byte[row]!),
});
