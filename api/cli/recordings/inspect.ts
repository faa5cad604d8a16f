import { FORMATS, type Decoder } from '../../../pipeline/formats/index.js';
import type { RawBatch } from '../../../pipeline/component/index.js';
import type { FaultState } from '../../../pipeline/formats/decoder/faults.js';
import { rateOf, type HeardState } from '../../../pipeline/formats/senders/heard.js';
import { frameSize, hostOf, type CsiBlock, type LinkTable } from '../../../pipeline/model/index.js';

/** Findings about one sender. */
export interface SenderSummary {
  /** As named by a link of an environment file. */
  readonly sender: string;
  /** Format of its frames; null if `*` stands for several senders with several formats. */
  readonly format: string | null;
  /** By sender, if `sender` is `*`: each may have a separate link. */
  readonly heard?: Readonly<Record<string, HeardState>>;
  /** Share of missing numbers, 0 to 1; null if the format has none. */
  readonly loss: number | null;
  /** What its records do not state, and what is assumed instead. */
  readonly assumed: string | null;
  readonly layouts: readonly LayoutSummary[];
}

export interface LayoutSummary {
  readonly layout: string;
  readonly frames: number;
  readonly frames_per_second: number;
  /** Mean, dBm; null if unknown. */
  readonly rssi_dbm: number | null;
  /** Frames of zeros only, and frames that repeat the previous one: no real measurements. */
  readonly zero_frames: number;
  readonly repeated_frames: number;
  /** Longest time between two frames, seconds. */
  readonly longest_gap_s: number;
}

/** The decoder's status of a link. */
interface LinkSummary {
  readonly loss?: number;
  /** Only if the decoder reads several formats. */
  readonly format?: string;
}

/** Counts of a sender's frames of one layout. */
interface Counts {
  frames: number;
  rssi: number;
  known: number;
  zero: number;
  repeated: number;
  last: Float32Array | null;
  time: number;
  /** Microseconds. */
  gap: number;
}

const isEqual = (a: Float32Array, b: Float32Array): boolean => a.every((value, i) => Object.is(value, b[i]));

/** Collects the findings from raw records. */
export class Inspection {
  readonly #links: LinkTable;
  readonly #decoder: Pick<Decoder, 'decode' | 'describe'>;
  readonly #found = new Map<string, Map<string, Counts>>();
  #records = 0;
  #bytes = 0;
  #first = NaN;
  #last = NaN;

  constructor(links: LinkTable, decoder: Pick<Decoder, 'decode' | 'describe'>) {
    this.#links = links;
    this.#decoder = decoder;
  }

  see(raw: RawBatch): void {
    if (raw.count === 0) return;
    this.#records += raw.count;
    this.#bytes += raw.bytes.length;
    if (Number.isNaN(this.#first)) this.#first = raw.time[0]!;
    this.#last = raw.time[raw.count - 1]!;
    for (const one of this.#decoder.decode(raw).data) if (one.port === 'csi') this.#count(one);
  }

  summary() {
    const seconds = this.#records === 0 ? 0 : (this.#last - this.#first) / 1e6;
    const about = this.#decoder.describe();
    const states = about['links'] as Readonly<Record<string, LinkSummary>> | undefined;
    const heard = byAddress(about['any_sender']);
    const formats = new Set(Object.values(heard).map(({ format }) => format));
    const anyFormat = formats.size === 1 ? [...formats][0]! : null;
    const formatOf = (sender: string): string | null =>
      sender === '*' ? anyFormat : (states?.[sender]?.format ?? String(about['format']));
    const senders = [...this.#found].sort(byName).map(([sender, layouts]): SenderSummary => ({
      sender,
      format: formatOf(sender),
      // Records that name no sender (Intel 5300, Atheros, tables) are heard from none.
      assumed: assumedIn(formatOf(sender) ?? (formats.size === 0 ? String(about['format']) : null)),
      ...(sender === '*' && { heard }),
      // Numbers of several senders say nothing about one of them.
      loss: sender === '*' && Object.keys(heard).length > 1 ? null : (states?.[sender]?.loss ?? null),
      layouts: [...layouts].map(([layout, { frames, rssi, known, zero, repeated, gap }]) => ({
        layout,
        frames,
        frames_per_second: round(rateOf(frames, seconds)),
        rssi_dbm: known > 0 ? round(rssi / known) : null,
        zero_frames: zero,
        repeated_frames: repeated,
        longest_gap_s: round(gap / 1e6),
      })),
    }));
    return {
      records: this.#records,
      bytes: this.#bytes,
      start: this.#records === 0 ? null : new Date(this.#first / 1000).toISOString(),
      seconds: round(seconds),
      packets: about['packets'] ?? null,
      malformed: about['malformed'] ?? null,
      faults: (about['faults'] ?? []) as readonly FaultState[],
      senders,
    };
  }

  #count(block: CsiBlock): void {
    const size = frameSize(block.layout);
    for (let i = 0; i < block.count; i++) {
      const { id } = this.#links.at(block.link[i]!).link;
      const layouts = this.#found.get(id) ?? new Map<string, Counts>();
      this.#found.set(id, layouts);
      const none = { frames: 0, rssi: 0, known: 0, zero: 0, repeated: 0, last: null, time: NaN, gap: 0 };
      const entry: Counts = layouts.get(block.layout.key) ?? none;
      layouts.set(block.layout.key, entry);
      entry.frames++;
      const values = block.values.subarray(i * size, (i + 1) * size);
      if (values.every((value) => value === 0)) entry.zero++;
      else if (entry.last && isEqual(values, entry.last)) entry.repeated++;
      entry.last = values;
      const gap = block.time[i]! - entry.time;
      if (gap > entry.gap) entry.gap = gap;
      entry.time = block.time[i]!;
      const rssi = block.rssi[i]!;
      if (!Number.isNaN(rssi)) {
        entry.rssi += rssi;
        entry.known++;
      }
    }
  }
}

const assumedIn = (format: string | null): string | null =>
  FORMATS.find(({ name }) => name === format)?.assumes ?? null;

export type Summary = ReturnType<Inspection['summary']>;

/** Records by sender; addresses without their ports, which change: their frames and rates are summed. */
function byAddress(senders: unknown): Readonly<Record<string, HeardState>> {
  const heard: Record<string, HeardState> = {};
  for (const [sender, state] of Object.entries((senders ?? {}) as Record<string, HeardState>)) {
    const name = hostOf(sender);
    const known = heard[name];
    const frames = state.frames + (known?.frames ?? 0);
    const rate = round(state.frames_per_second + (known?.frames_per_second ?? 0));
    if (name !== '') heard[name] = { ...state, frames, frames_per_second: rate };
  }
  return heard;
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a.localeCompare(b, 'en', { numeric: true });
const round = (value: number): number => Math.round(value * 1000) / 1000;
