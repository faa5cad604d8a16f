import { isTick, rawRecord, type Output, type RawBatch, type State } from '../../component/index.js';
import {
  allocateBlock,
  frameSize,
  hostOf,
  type CsiBlock,
  type CsiLayout,
  type Data,
  type Failure,
} from '../../model/index.js';
import type { Decoder, DecoderContext, Format } from '../contract/format.js';
import { Faults, type FaultsState, type ReadFault } from './faults.js';
import { Heard } from '../senders/heard.js';
import { LinkActivity } from '../senders/link-activity.js';
import { SequenceTracker, type SequenceState } from './sequence.js';
import { MAX_LISTED, Strangers } from '../senders/strangers.js';

export type { ReadFault } from './faults.js';

/** One record of a format whose records each contain only one measurement. */
export interface FrameReader {
  /** Name of the format. */
  readonly format: string;
  /** Bits of the sender's frame counter. */
  readonly sequenceBits: number;
  /** True if some firmware counts by two: a counter without odd steps has no loss. */
  readonly mayCountByTwo?: boolean;
  /**
   * Reads a record, which may contain several measurements, or complete measurements of earlier records.
   * Otherwise returns its fault.
   * @param time its arrival, microseconds
   * @param from the address that it came from; '' if there is none
   */
  read(record: Uint8Array, time: number, from: string): ReadFrame | readonly ReadFrame[] | ReadFault | null;
  /** Pending state of a stateful reader, as plain data. */
  snapshot?(): State;
  restore?(state: State): void;
}

export interface ReadFrame {
  /** Null if the sender does not number its frames. */
  readonly sequence: number | null;
  /** Set if the record itself names its sender; '' if neither it nor its origin does: then `*` accepts it. */
  readonly sender?: string;
  /** dBm, NaN if unknown. */
  readonly rssi: number;
  readonly noise: number;
  /** The receiver's own clock, microseconds. */
  readonly deviceTime?: number;
  /** Analogue gain, dB: one for all antennas, or one for each. */
  readonly agc?: number | ArrayLike<number>;
  /** Digital gain, dB. */
  readonly fftGain?: number;
  /** Bits of each number. */
  readonly bits?: number;
  /** Connector of each row of the values, from 0. */
  readonly antennas?: ArrayLike<number> | undefined;
  /** The sender's number for the measurement. */
  readonly instance?: number;
  /**
   * The training fields of the measurement; `fill` writes [rx, tx, subcarrier, (re, im)] to `values[at...]`.
   */
  readonly parts: readonly {
    readonly layout: CsiLayout;
    readonly fill: (values: Float32Array, at: number) => void;
  }[];
}

/**
 * The format of the records that `reader` reads: those that it reads without a fault. Each decoder gets a new
 * instance of a stateful reader.
 */
export const frameFormat = (
  reader: FrameReader | (() => FrameReader),
  summary: string,
  hasSignature?: Format['hasSignature'],
): Format => {
  const make = typeof reader === 'function' ? reader : () => reader;
  return {
    name: make().format,
    summary,
    ...(hasSignature && { hasSignature }),
    recognise: (record) => {
      const read = make().read(record, 0, '');
      return read !== null && !('fault' in read);
    },
    decoder: (context) => new FrameDecoder(make(), context),
  };
};

/**
 * Decoder of such a format. Frames belong to the link whose `sender` is the record's sender, otherwise to
 * the link of `*`. If the reader returns null, the record is not a measurement, and is skipped and counted.
 */
export class FrameDecoder implements Decoder {
  readonly #reader: FrameReader;
  readonly #context: DecoderContext;
  readonly #sequences: readonly SequenceTracker[];
  readonly #faults: Faults;
  readonly #counts: Record<string, number> = { csi: 0, other: 0, unknown_sender: 0 };
  readonly #activity: LinkActivity;
  readonly #strangers: Strangers;
  /** Frames by sender, for senders without a link of their own: a link with `*` accepts them. Bounded. */
  readonly #others = new Map<string, Heard>();

  constructor(reader: FrameReader, context: DecoderContext) {
    this.#reader = reader;
    this.#context = context;
    this.#faults = new Faults(context.metrics);
    this.#sequences = [...context.links].map(
      () => new SequenceTracker(reader.sequenceBits, reader.mayCountByTwo),
    );
    this.#activity = new LinkActivity(context.links);
    this.#strangers = new Strangers(reader.format, context);
  }

  decode(raw: RawBatch): Output<Data> {
    const rows = new Map<string, Group>();
    const failed: Failure[] = [];
    const before = { ...this.#counts };
    for (let i = 0; i < raw.count; i++) this.#take(raw, i, rows, failed);
    for (const kind of PACKETS) this.#count(`packets_${kind}`, this.#counts[kind]! - before[kind]!);
    const data = [...rows.values()].map(({ layout, frames }) => block(layout, frames));
    for (const one of data) this.#activity.see(one);
    return failed.length === 0 ? { data } : { data, failed };
  }

  #take(raw: RawBatch, i: number, rows: Map<string, Group>, failed: Failure[]): void {
    const time = raw.time[i]!;
    const sender = raw.senders[raw.sender[i]!] ?? '';
    if (isTick(raw, i)) return;
    const record = rawRecord(raw, i);
    const read = this.#reader.read(record, time, sender);
    if (read === null) this.#counts['other']!++;
    else if ('fault' in read)
      this.#faults.refuse(raw, i, read, `a measurement of the format ${this.#reader.format}`, failed);
    else if ('parts' in read) this.#put(read, time, sender, rows);
    else for (const frame of read) this.#put(frame, time, sender, rows);
  }

  #put(frame: ReadFrame, time: number, sender: string, rows: Map<string, Group>): void {
    const name = frame.sender ?? sender;
    const entry = this.#context.links.bySender(name);
    if (!entry) {
      this.#counts['unknown_sender']!++;
      this.#context.metrics.dropped('unknown_sender', 1);
      this.#strangers.see(name, name === '' ? '*' : hostOf(name), 'unknown_sender', time, layoutsOf(frame));
      return;
    }
    this.#counts['csi']!++;
    if (entry.link.sender === '*') this.#countOther(name, time, frame);
    const lost = frame.sequence === null ? 0 : this.#sequences[entry.index]!.see(frame.sequence);
    if (lost > 0) this.#context.metrics.missing(lost);
    for (const { layout, fill } of frame.parts) {
      let group = rows.get(layout.key);
      if (!group) rows.set(layout.key, (group = { layout, frames: [] }));
      group.frames.push({ frame, time, link: entry.index, fill });
    }
  }

  #countOther(sender: string, time: number, frame: ReadFrame): void {
    let heard = this.#others.get(sender);
    if (!heard) {
      if (this.#others.size >= MAX_LISTED) return;
      this.#others.set(sender, (heard = new Heard(time)));
    }
    heard.see(time, layoutsOf(frame));
  }

  #count(name: string, count: number): void {
    if (count > 0) this.#context.metrics.count(name, count);
  }

  snapshot(): State {
    return {
      counts: { ...this.#counts },
      ...this.#faults.snapshot(),
      ...(this.#reader.snapshot && { reader: this.#reader.snapshot() }),
      links: Object.fromEntries(
        [...this.#context.links].map(({ link, index }) => [link.id, this.#sequences[index]!.snapshot()]),
      ),
    } satisfies DecoderSnapshot;
  }

  restore(state: State): void {
    const snapshot = state as DecoderSnapshot;
    Object.assign(this.#counts, snapshot.counts);
    this.#faults.restore(snapshot);
    if (snapshot.reader !== undefined) this.#reader.restore?.(snapshot.reader);
    for (const { link, index } of this.#context.links) {
      const sequence = snapshot.links[link.id];
      if (sequence) this.#sequences[index]!.restore(sequence);
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      format: this.#reader.format,
      ...this.#activity.describe(),
      packets: { ...this.#counts },
      malformed: this.#faults.counts,
      faults: this.#faults.causes,
      links: Object.fromEntries(
        [...this.#context.links].map(({ link, index }) => {
          const { received, lost, duplicates, reordered, restarts } = this.#sequences[index]!;
          // Sequence numbers of several senders on one link are meaningless.
          const counted = received > 0 && this.#others.size <= 1;
          return [
            link.id,
            {
              sender: link.sender,
              received,
              lost,
              ...(counted && { loss: lost / (received + lost) }),
              duplicates,
              reordered,
              restarts,
            },
          ];
        }),
      ),
      any_sender: Object.fromEntries(
        [...this.#others].map(([sender, heard]) => [sender, heard.describe(this.#reader.format)]),
      ),
      unknown_senders: this.#strangers.describe(),
    };
  }
}

const layoutsOf = ({ parts }: ReadFrame): string =>
  parts.length === 1 ? parts[0]!.layout.key : parts.map(({ layout }) => layout.key).join(' ');

/** Kinds of records. */
const PACKETS = ['csi', 'other'] as const;

/** Frames of one layout. */
interface Group {
  readonly layout: CsiLayout;
  readonly frames: Row[];
}

interface Row {
  readonly frame: ReadFrame;
  readonly time: number;
  readonly link: number;
  readonly fill: (values: Float32Array, at: number) => void;
}

interface DecoderSnapshot extends FaultsState {
  readonly counts: Readonly<Record<string, number>>;
  readonly reader?: State;
  readonly links: Readonly<Record<string, SequenceState>>;
}

function block(layout: CsiLayout, rows: readonly Row[]): CsiBlock {
  const made = allocateBlock(layout, rows.length);
  const size = frameSize(layout);
  for (let i = 0; i < rows.length; i++) {
    const { frame, time, link, fill } = rows[i]!;
    made.time[i] = time;
    made.link[i] = link;
    made.sequence[i] = frame.sequence ?? 0;
    made.rssi[i] = frame.rssi;
    made.noise[i] = frame.noise;
    fillKnown(made, i, frame);
    fill(made.values, i * size);
  }
  return made;
}

/** Columns that only some formats have. */
function fillKnown(made: CsiBlock, i: number, frame: ReadFrame): void {
  const { rx } = made.layout;
  const { deviceTime, agc, fftGain, bits, antennas, instance } = frame;
  if (deviceTime !== undefined) made.deviceTime[i] = deviceTime;
  // Loops: for so few numbers, a call of fill() or set() would take as long as the rest of this function.
  if (agc !== undefined)
    for (let row = 0; row < rx; row++) made.agc[i * rx + row] = typeof agc === 'number' ? agc : agc[row]!;
  if (fftGain !== undefined) made.fftGain[i] = fftGain;
  if (bits !== undefined) made.bits[i] = bits;
  if (antennas !== undefined) for (let row = 0; row < rx; row++) made.antenna[i * rx + row] = antennas[row]!;
  if (instance !== undefined) made.instance[i] = instance;
}
