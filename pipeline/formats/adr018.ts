import type { Output, RawBatch, State } from '../component/index.js';
import { isTick, rawRecord } from '../component/index.js';
import {
  allocateBlock,
  frameSize,
  hostOf,
  type CsiBlock,
  type CsiLayout,
  type Data,
  type Failure,
  type LinkEntry,
  type Measure,
  type Provenance,
} from '../model/index.js';
import {
  CSI_HEADER_BYTES,
  CSI_MAGIC,
  FLAG_TIMESTAMP,
  frameParts,
  isChannelCentre,
  knownBins,
  type FramePart,
} from './adr018-frame.js';
import {
  checkPacket,
  decodeVitals,
  PACKET_KINDS,
  type PacketFault,
  type PacketKind,
  type Vitals,
} from './adr018-packets.js';
import { FailureSample, type FailureSampleState } from './failure-sample.js';
import type { Decoder, DecoderContext, Format } from './format.js';
import { LinkActivity } from './link-activity.js';
import { NodeTable, type NodeTableState } from './senders.js';
import { SequenceTracker, type SequenceState } from './sequence.js';
import { Strangers } from './strangers.js';

/** ESP32 nodes with the ADR-018 firmware: raw CSI, and what the nodes conclude from it themselves. */
export const adr018: Format = {
  name: 'adr018',
  summary: 'Datagrams of ESP32 nodes with the ADR-018 firmware (raw CSI, vitals, features).',
  recognise: (record) => {
    if (record.length < 8) return false;
    const view = viewOf(record);
    if (view.getUint32(0, true) === CSI_MAGIC) return typeof checkFrame(view) === 'number';
    return isKind(checkPacket(view));
  },
  decoder: (context) => new Adr018Decoder(context),
};

/** Channel 6: taken for the centre where a sender does not know its own (it sends 0). */
export const ASSUMED_MHZ = 2437;

/** Longest datagram of the format, bytes: 4 antennas of 256 bins with a timestamp. */
export const MAX_DATAGRAM_BYTES = CSI_HEADER_BYTES + 8 + 4 * 256 * 2;

const FRAME_FAULTS = ['antennas', 'subcarriers', 'frequency'] as const;
type FrameFault = (typeof FRAME_FAULTS)[number] | 'truncated' | 'oversized';
/** Every reason that a datagram can be refused for. */
export const FAULTS: readonly (FrameFault | PacketFault)[] = [
  'unknown_magic',
  'truncated',
  'oversized',
  ...FRAME_FAULTS,
  'checksum',
  'value',
];
type Fault = (typeof FAULTS)[number];
type Kind = 'csi' | PacketKind;
type Ignored = 'unknown_sender' | 'other_address';
const KINDS: readonly Kind[] = ['csi', ...PACKET_KINDS];

/** Where the first pair of a raw frame lies, or what is wrong with it. */
function checkFrame(view: DataView): number | FrameFault {
  if (view.byteLength < CSI_HEADER_BYTES) return 'truncated';
  const antennas = view.getUint8(5);
  const bins = view.getUint16(6, true);
  const mhz = view.getUint32(8, true);
  if (antennas < 1 || antennas > 4) return 'antennas';
  if (!knownBins(bins)) return 'subcarriers';
  if (mhz !== 0 && !isChannelCentre(mhz)) return 'frequency';
  const start = CSI_HEADER_BYTES + ((view.getUint8(19) & FLAG_TIMESTAMP) !== 0 ? 8 : 0);
  const end = start + antennas * bins * 2;
  return view.byteLength === end ? start : view.byteLength < end ? 'truncated' : 'oversized';
}

class Adr018Decoder implements Decoder {
  readonly #context: DecoderContext;
  readonly #nodes: NodeTable;
  readonly #strangers: Strangers;
  readonly #links: readonly LinkState[];
  readonly #counts = counters(KINDS);
  readonly #malformed = counters(FAULTS);
  readonly #ignored = { unknown_sender: 0, other_address: 0 };
  readonly #sample = new FailureSample();
  readonly #columns = new FrameColumns();
  readonly #activity: LinkActivity;
  /** The second of event time that loss is being counted for. */
  #second = -1;
  #unknownFrequency = 0;

  constructor(context: DecoderContext) {
    this.#context = context;
    this.#strangers = new Strangers(context);
    this.#nodes = new NodeTable(context.links);
    this.#links = [...context.links].map((entry) => new LinkState(entry));
    this.#activity = new LinkActivity(this.#links.length);
  }

  decode(raw: RawBatch): Output<Data> {
    const step = new Step(raw);
    this.#columns.begin(raw.count);
    for (let i = 0; i < raw.count; i++) {
      const second = Math.floor(raw.time[i]! / SECOND);
      // An earlier one comes where the clock was set back.
      if (second !== this.#second) this.#closeSecond(raw.time[i]!, step);
      this.#take(step, i);
    }
    this.#report(step);
    const blocks = this.#columns.blocks(raw);
    for (const block of blocks) this.#activity.see(block);
    const data: readonly Data[] = step.claims.length === 0 ? blocks : [...blocks, ...step.claims];
    return step.failed.length === 0 ? { data } : { data, failed: step.failed };
  }

  snapshot(): State {
    return {
      second: this.#second,
      counts: { ...this.#counts },
      malformed: { ...this.#malformed },
      ignored: { ...this.#ignored },
      unknownFrequency: this.#unknownFrequency,
      nodes: this.#nodes.snapshot(),
      sample: this.#sample.snapshot(),
      links: Object.fromEntries(this.#links.map((link) => [link.entry.link.id, link.snapshot()])),
    } satisfies DecoderState;
  }

  restore(state: State): void {
    const from = state as DecoderState;
    this.#second = from.second;
    Object.assign(this.#counts, from.counts);
    Object.assign(this.#malformed, from.malformed);
    Object.assign(this.#ignored, from.ignored);
    this.#unknownFrequency = from.unknownFrequency;
    this.#nodes.restore(from.nodes);
    this.#sample.restore(from.sample);
    for (const link of this.#links) {
      const kept = from.links[link.entry.link.id];
      if (kept) link.restore(kept);
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      format: 'adr018',
      ...this.#activity.describe(),
      packets: { ...this.#counts },
      malformed: { ...this.#malformed },
      ignored: { ...this.#ignored },
      frames_without_frequency: this.#unknownFrequency,
      links: Object.fromEntries(this.#links.map((link) => [link.entry.link.id, link.describe()])),
      unknown_senders: this.#strangers.describe(),
    };
  }

  #take(step: Step, i: number): void {
    const start = step.raw.offsets[i]!;
    const length = step.raw.offsets[i + 1]! - start;
    const { view } = step;
    if (isTick(step.raw, i)) return;
    if (length < CSI_HEADER_BYTES || view.getUint32(start, true) !== CSI_MAGIC) {
      this.#takePacket(step, i);
      return;
    }
    // checkFrame() over the batch's one view: a view per frame would be half of the work.
    const antennas = view.getUint8(start + 5);
    const bins = view.getUint16(start + 6, true);
    const mhz = view.getUint32(start + 8, true);
    const pairs = CSI_HEADER_BYTES + ((view.getUint8(start + 19) & FLAG_TIMESTAMP) !== 0 ? 8 : 0);
    const variant = this.#columns.variant(bins, antennas, mhz === 0 ? ASSUMED_MHZ : mhz);
    if (!variant || length !== pairs + antennas * bins * 2) {
      this.#refuse(step, i, checkFrame(viewOf(rawRecord(step.raw, i))) as FrameFault);
      return;
    }
    step.csi++;
    const link = this.#resolve(step, i, view.getUint8(start + 4));
    if (!link) return;
    if (mhz === 0) this.#unknownFrequency++;
    step.lost += link.frames.see(view.getUint32(start + 12, true));
    this.#columns.add(i, start + pairs, link.entry.index, variant);
  }

  #takePacket(step: Step, i: number): void {
    const view = viewOf(rawRecord(step.raw, i));
    const kind = view.byteLength < 8 ? 'truncated' : checkPacket(view);
    if (!isKind(kind)) {
      this.#refuse(step, i, kind === 'unknown_magic' && isFrame(view) ? 'truncated' : kind);
      return;
    }
    this.#counts[kind]++;
    step.packets[kind] = (step.packets[kind] ?? 0) + 1;
    const link = this.#resolve(step, i, view.getUint8(4));
    if (kind === 'vitals' && link)
      step.claims.push(...link.claims(decodeVitals(view), step.raw.time[i]!, step));
    if (kind === 'features' && link) link.features.see(view.getUint16(6, true));
  }

  /** The link of a node, or undefined, counted, where it has none. */
  #resolve(step: Step, i: number, node: number): LinkState | undefined {
    const time = step.raw.time[i]!;
    const sender = step.raw.senders[step.raw.sender[i]!] ?? '';
    const index = this.#nodes.resolve(node, sender, time);
    if (index >= 0) return this.#links[index];
    const known = this.#nodes.knows(node);
    const reason = known ? 'other_address' : 'unknown_sender';
    this.#ignored[reason]++;
    step.ignored[reason] = (step.ignored[reason] ?? 0) + 1;
    const link = known ? `node-${node}@${hostOf(sender)}` : `node-${node}`;
    this.#strangers.see(sender === '' ? link : `node-${node}@${sender}`, link, reason, time);
    return undefined;
  }

  #refuse(step: Step, i: number, fault: Fault): void {
    this.#malformed[fault]++;
    step.malformed[fault] = (step.malformed[fault] ?? 0) + 1;
    if (!this.#sample.wants(fault, step.raw.time[i]!)) return;
    const bytes = rawRecord(step.raw, i);
    step.failed.push({
      record: {
        time: step.raw.time[i]!,
        sender: step.raw.senders[step.raw.sender[i]!] ?? '',
        length: bytes.length,
        // A slice: the whole batch would be kept alive by a view.
        bytes: bytes.slice(0, MAX_DATAGRAM_BYTES),
      },
      code: `decode.${fault}`,
      reason: `a datagram of ${bytes.length} bytes is no ADR-018 packet: ${FAULT_TEXT[fault]}`,
      retriable: false,
    });
  }

  /** Ends the second of event time: `time` is that of the first record after it. */
  #closeSecond(time: number, step: Step): void {
    const second = Math.floor(time / SECOND);
    if (this.#second >= 0) {
      for (const link of this.#links) {
        const measure = link.closeSecond(second * SECOND, step.provenance);
        if (measure) step.claims.push(measure);
      }
    }
    this.#second = second;
  }

  #report(step: Step): void {
    const { metrics } = this.#context;
    this.#counts.csi += step.csi;
    if (step.csi > 0) metrics.count('packets_csi', step.csi);
    for (const kind in step.packets) metrics.count(`packets_${kind}`, step.packets[kind as PacketKind]!);
    if (step.lost > 0) metrics.missing(step.lost);
    for (const reason in step.ignored) metrics.dropped(reason, step.ignored[reason as Ignored]!);
    for (const fault in step.malformed)
      metrics.dropped(`malformed_${fault}`, step.malformed[fault as Fault]!);
  }
}

const SECOND = 1_000_000;

const FAULT_TEXT: Readonly<Record<Fault, string>> = {
  unknown_magic: 'it does not start with a magic number of ADR-018; is something else sending to this port?',
  truncated: 'it is shorter than its header says',
  oversized: 'it is longer than its header says',
  antennas: 'byte 5 (antennas) is not 1 to 4',
  subcarriers: 'bytes 6 and 7 (bins) are not 64, 128, 192 or 256',
  frequency: 'bytes 8 to 11 (MHz) are not the centre of a Wi-Fi channel',
  checksum: 'its CRC-32 does not fit',
  value: 'a number in it is not finite',
};

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const isFrame = (view: DataView): boolean => view.byteLength >= 4 && view.getUint32(0, true) === CSI_MAGIC;
const isKind = (word: PacketKind | PacketFault): word is PacketKind =>
  (PACKET_KINDS as readonly string[]).includes(word);
const counters = <K extends string>(keys: readonly K[]): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;

/** What one call of decode gathers. */
class Step {
  readonly raw: RawBatch;
  readonly view: DataView;
  readonly provenance: Provenance;
  readonly claims: Data[] = [];
  readonly failed: Failure[] = [];
  readonly malformed: Partial<Record<Fault, number>> = {};
  readonly ignored: Partial<Record<Ignored, number>> = {};
  readonly packets: Partial<Record<PacketKind, number>> = {};
  csi = 0;
  lost = 0;

  constructor(raw: RawBatch) {
    this.raw = raw;
    this.view = viewOf(raw.bytes);
    this.provenance = { origin: raw.origin };
  }
}

/** What is known of a link from its frames' numbers, and what its node has claimed. */
class LinkState {
  readonly entry: LinkEntry;
  readonly frames = new SequenceTracker(32);
  readonly features = new SequenceTracker(16);
  #received = 0;
  #lost = 0;
  #falling = false;

  constructor(entry: LinkEntry) {
    this.entry = entry;
  }

  /** Share of frames lost since the last call; undefined where none came. */
  closeSecond(time: number, provenance: Provenance): Measure | undefined {
    const received = this.frames.received - this.#received;
    const lost = Math.max(0, this.frames.lost - this.#lost);
    this.#received = this.frames.received;
    this.#lost = this.frames.lost;
    if (received === 0) return undefined;
    return this.#measure('packet_loss', time, lost / (received + lost), 'csiflow', provenance);
  }

  /** Vitals as measures and, where a fall begins, an event: all of them the node's own claims. */
  claims(vitals: Vitals, time: number, { provenance }: Step): readonly Data[] {
    const source = `node-${vitals.node}`;
    const measure = (name: string, value: number) => this.#measure(name, time, value, source, provenance);
    const claims: Data[] = [
      measure('presence', Number(vitals.presence)),
      measure('motion', vitals.motion),
      measure('occupancy', vitals.persons),
    ];
    if (vitals.breathingBpm > 0) claims.push(measure('breathing_rate_bpm', vitals.breathingBpm));
    if (vitals.heartBpm > 0) claims.push(measure('heart_rate_bpm', vitals.heartBpm));
    if (vitals.fall && !this.#falling) claims.push(this.#fall(vitals, time, source, provenance));
    this.#falling = vitals.fall;
    return claims;
  }

  snapshot(): LinkStateKept {
    return {
      frames: this.frames.snapshot(),
      features: this.features.snapshot(),
      received: this.#received,
      lost: this.#lost,
      falling: this.#falling,
    };
  }

  restore(state: LinkStateKept): void {
    this.frames.restore(state.frames);
    this.features.restore(state.features);
    this.#received = state.received;
    this.#lost = state.lost;
    this.#falling = state.falling;
  }

  describe(): Readonly<Record<string, unknown>> {
    const { received, lost, duplicates, reordered, restarts } = this.frames;
    const loss = received + lost === 0 ? 0 : lost / (received + lost);
    const sender = this.entry.link.sender;
    return {
      sender,
      received,
      lost,
      loss,
      duplicates,
      reordered,
      restarts,
      features_lost: this.features.lost,
    };
  }

  #measure(name: string, time: number, value: number, source: string, provenance: Provenance): Measure {
    const { link, environment } = this.entry;
    return {
      port: 'measure',
      name,
      environment: environment.id,
      subject: link.id,
      time,
      value,
      source,
      provenance,
    };
  }

  #fall(vitals: Vitals, time: number, source: string, provenance: Provenance): Data<'event'> {
    const environment = this.entry.environment.id;
    return {
      port: 'event',
      id: `${environment}-${this.entry.link.id}-${source}-fall_detection-${Math.round(time / 1000)}`,
      type: 'fall_detection',
      severity: 'medium',
      environment,
      time,
      // The packet gives none.
      confidence: 0,
      person: null,
      location: null,
      metadata: {
        link: this.entry.link.id,
        claimed_motion: vitals.motion,
        claimed_presence_score: vitals.presenceScore,
      },
      source,
      provenance,
    };
  }
}

interface LinkStateKept {
  readonly frames: SequenceState;
  readonly features: SequenceState;
  readonly received: number;
  readonly lost: number;
  readonly falling: boolean;
}

interface DecoderState {
  readonly second: number;
  readonly counts: Readonly<Record<Kind, number>>;
  readonly malformed: Readonly<Record<Fault, number>>;
  readonly ignored: { readonly unknown_sender: number; readonly other_address: number };
  readonly unknownFrequency: number;
  readonly nodes: NodeTableState;
  readonly sample: FailureSampleState;
  readonly links: Readonly<Record<string, LinkStateKept>>;
}

/** Turns the frames of a batch into one block a layout; its scratch columns are kept from batch to batch. */
class FrameColumns {
  readonly #variants = new Map<number, Variant | undefined>();
  readonly #slots = new Map<string, Slot>();
  readonly #used: Slot[] = [];
  #records = new Uint32Array(64);
  #starts = new Uint32Array(64);
  #links = new Uint16Array(64);
  #frameVariants: Variant[] = [];
  #count = 0;
  #lastKey = -1;
  #lastVariant: Variant | undefined;

  begin(records: number): void {
    this.#count = 0;
    this.#used.length = 0;
    if (records <= this.#records.length) return;
    this.#records = new Uint32Array(records);
    this.#starts = new Uint32Array(records);
    this.#links = new Uint16Array(records);
  }

  /** How frames of these bins, antennas and frequency are laid out; undefined where there are no such frames. */
  variant(bins: number, antennas: number, mhz: number): Variant | undefined {
    const key = (mhz * 1024 + bins) * 8 + antennas;
    if (key === this.#lastKey) return this.#lastVariant;
    // Checked before anything is kept: what a stranger sends must not make the map grow.
    if (antennas < 1 || antennas > 4 || !knownBins(bins) || !isChannelCentre(mhz)) return undefined;
    let variant = this.#variants.get(key);
    if (!variant) {
      variant = this.#newVariant(bins, antennas, mhz);
      this.#variants.set(key, variant);
    }
    this.#lastKey = key;
    this.#lastVariant = variant;
    return variant;
  }

  /** Notes the frame of record `record`, whose first pair lies at `start` in the batch's bytes. */
  add(record: number, start: number, link: number, variant: Variant): void {
    const index = this.#count++;
    this.#records[index] = record;
    this.#starts[index] = start;
    this.#links[index] = link;
    this.#frameVariants[index] = variant;
    for (const slot of variant.slots) if (slot.count++ === 0) this.#used.push(slot);
  }

  blocks(raw: RawBatch): readonly CsiBlock[] {
    const bytes = new Int8Array(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.byteLength);
    for (const slot of this.#used) slot.block = allocateBlock(slot.layout, slot.count);
    for (let index = 0; index < this.#count; index++) this.#fill(raw, bytes, index);
    return this.#used.map((slot) => slot.take());
  }

  #fill(raw: RawBatch, bytes: Int8Array, index: number): void {
    const record = this.#records[index]!;
    const header = raw.offsets[record]!;
    const variant = this.#frameVariants[index]!;
    const start = this.#starts[index]!;
    const rssi = bytes[header + 16]!;
    const noise = bytes[header + 17]!;
    const sequence =
      (raw.bytes[header + 12]! |
        (raw.bytes[header + 13]! << 8) |
        (raw.bytes[header + 14]! << 16) |
        (raw.bytes[header + 15]! << 24)) >>>
      0;
    for (let p = 0; p < variant.slots.length; p++) {
      const slot = variant.slots[p]!;
      const block = slot.block!;
      const row = slot.filled++;
      block.time[row] = raw.time[record]!;
      block.link[row] = this.#links[index]!;
      block.sequence[row] = sequence;
      // No receiver measures 0 dBm or more: 0 is what is sent where nothing was measured.
      if (rssi < 0) block.rssi[row] = rssi;
      if (noise < 0) block.noise[row] = noise;
      copyPairs(bytes, start, variant, variant.parts[p]!.offsets, block.values, row * slot.size);
    }
  }

  #newVariant(bins: number, antennas: number, mhz: number): Variant {
    const parts = frameParts(bins, antennas, mhz)!;
    const slots = parts.map(({ layout }) => {
      const slot = this.#slots.get(layout.key) ?? new Slot(layout);
      this.#slots.set(layout.key, slot);
      return slot;
    });
    return { antennas, stride: bins * 2, parts, slots };
  }
}

/** (imaginary, real) bytes of the active bins to (re, im) values, subcarriers ascending. */
function copyPairs(
  bytes: Int8Array,
  start: number,
  { antennas, stride }: Variant,
  offsets: Uint16Array,
  values: Float32Array,
  at: number,
): void {
  const { length } = offsets;
  for (let antenna = 0; antenna < antennas; antenna++, start += stride) {
    for (let i = 0; i < length; i++) {
      const from = start + offsets[i]!;
      values[at++] = bytes[from + 1]!;
      values[at++] = bytes[from]!;
    }
  }
}

/** What frames of the same bins, antennas and frequency have in common. */
interface Variant {
  readonly antennas: number;
  /** Bytes from one antenna's pairs to the next one's. */
  readonly stride: number;
  readonly parts: readonly FramePart[];
  readonly slots: readonly Slot[];
}

/** The block of one layout while a batch is being decoded. */
class Slot {
  readonly layout: CsiLayout;
  readonly size: number;
  count = 0;
  filled = 0;
  block: CsiBlock | undefined;

  constructor(layout: CsiLayout) {
    this.layout = layout;
    this.size = frameSize(layout);
  }

  take(): CsiBlock {
    const block = this.block!;
    this.block = undefined;
    this.count = 0;
    this.filled = 0;
    return block;
  }
}
