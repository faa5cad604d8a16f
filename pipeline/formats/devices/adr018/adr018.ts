import type { Output, RawBatch, State } from '../../../component/index.js';
import { isTick, rawRecord } from '../../../component/index.js';
import { hostOf, type Data, type Failure, type Provenance } from '../../../model/index.js';
import {
  checkFrame,
  FAULT_TEXT,
  FAULTS,
  hasSignature,
  isKind,
  recognise,
  startOf,
  type Fault,
  type FrameFault,
} from './adr018-check.js';
import { fieldsAt, FrameFields } from './adr018-fields.js';
import { CSI_HEADER_BYTES, CSI_MAGIC } from './adr018-frame.js';
import { checkPacket, PACKET_KINDS, type PacketKind } from './adr018-packets.js';
import { Faults, type FaultsState } from '../../decoder/faults.js';
import type { Decoder, DecoderContext, Format } from '../../contract/format.js';
import { LinkActivity } from '../../senders/link-activity.js';
import { NodeTable, type NodeTableState } from '../../senders/senders.js';
import { Strangers } from '../../senders/strangers.js';
import { CompressedFrames, type CompressedState } from './adr018-compressed.js';
import type { Reference } from './adr018-known.js';
import { FrameColumns } from './adr018-columns.js';
import { LinkState, type LinkSnapshot } from './adr018-link.js';
import { viewOf } from '../../../base/view-of.js';

/** ESP32 nodes with the ADR-018 firmware: raw and compressed CSI, and the nodes' own conclusions. */
export const adr018: Format = {
  name: 'adr018',
  summary: 'Datagrams of ESP32 nodes with the ADR-018 firmware (CSI, vitals, features).',
  recognise,
  hasSignature,
  decoder: (context) => new Adr018Decoder('adr018', 'fitting', context),
};

/** The same datagrams; compressed ones are decoded against the newest frame. */
export const adr018Newest: Format = {
  name: 'adr018-newest',
  summary: 'ADR-018, compressed frames relative to the newest frame of their node and length.',
  recognise,
  decoder: (context) => new Adr018Decoder('adr018-newest', 'newest', context),
  variantOf: 'adr018',
};

/** Channel 6: assumed centre if a sender does not know its own (it sends 0). */
export const ASSUMED_MHZ = 2437;

type Kind = 'csi' | PacketKind;
type Ignored = 'unknown_sender' | 'other_address';
const KINDS: readonly Kind[] = ['csi', ...PACKET_KINDS];

class Adr018Decoder implements Decoder {
  readonly #format: string;
  readonly #context: DecoderContext;
  readonly #compressed: CompressedFrames;
  readonly #nodes: NodeTable;
  readonly #strangers: Strangers;
  readonly #links: readonly LinkState[];
  readonly #counts = counters(KINDS);
  readonly #faults: Faults;
  readonly #ignored = { unknown_sender: 0, other_address: 0 };
  readonly #columns = new FrameColumns();
  readonly #fields = new FrameFields();
  readonly #activity: LinkActivity;
  /** The second of event time for which loss is counted. */
  #second = -1;
  #unknownFrequency = 0;

  constructor(format: string, reference: Reference, context: DecoderContext) {
    this.#format = format;
    this.#context = context;
    this.#compressed = new CompressedFrames(reference, context.log);
    this.#faults = new Faults(context.metrics, FAULTS);
    this.#strangers = new Strangers('adr018', context);
    this.#nodes = new NodeTable(context.links);
    this.#links = [...context.links].map((entry) => new LinkState(entry));
    this.#activity = new LinkActivity(context.links);
  }

  decode(raw: RawBatch): Output<Data> {
    const step = new Step(raw);
    this.#columns.begin(raw.count);
    for (let i = 0; i < raw.count; i++) {
      const second = Math.floor(raw.time[i]! / SECOND);
      // Time goes backwards if the clock was set back.
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
      ignored: { ...this.#ignored },
      unknownFrequency: this.#unknownFrequency,
      nodes: this.#nodes.snapshot(),
      compressed: this.#compressed.snapshot(),
      lltf: this.#fields.snapshot(),
      ...this.#faults.snapshot(),
      links: Object.fromEntries(this.#links.map((link) => [link.entry.link.id, link.snapshot()])),
    } satisfies DecoderState;
  }

  restore(state: State): void {
    const from = state as DecoderState;
    this.#second = from.second;
    Object.assign(this.#counts, from.counts);
    Object.assign(this.#ignored, from.ignored);
    this.#unknownFrequency = from.unknownFrequency;
    this.#nodes.restore(from.nodes);
    this.#faults.restore(from);
    if (from.compressed) this.#compressed.restore(from.compressed);
    if (from.lltf) this.#fields.restore(from.lltf);
    for (const link of this.#links) {
      const snapshot = from.links[link.entry.link.id];
      if (snapshot) link.restore(snapshot);
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      format: this.#format,
      ...this.#activity.describe(),
      packets: { ...this.#counts },
      compressed: this.#compressed.describe(),
      malformed: this.#faults.counts,
      faults: this.#faults.causes,
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
    // checkFrame() over the batch's single view: a view per frame would take half of the time.
    const antennas = view.getUint8(start + 5);
    const bins = view.getUint16(start + 6, true);
    const mhz = view.getUint32(start + 8, true);
    const size = antennas * bins * 2;
    const pairs = startOf(view.getUint8(start + 19), length, size);
    const node = view.getUint8(start + 4);
    const isWhole = length === pairs + size;
    const fields = isWhole ? this.#fields.of(step.raw.bytes, start + pairs, bins, node) : undefined;
    if (fields === 'bits') {
      this.#refuse(step, i, fields);
      return;
    }
    const variant = this.#columns.variant(fields, bins, antennas, mhz === 0 ? ASSUMED_MHZ : mhz);
    if (!variant) {
      this.#refuse(step, i, checkFrame(viewOf(rawRecord(step.raw, i))) as FrameFault);
      return;
    }
    step.csi++;
    const link = this.#resolve(step, i, node, variant.parts[0]!.layout.key);
    if (!link) return;
    if (mhz === 0) this.#unknownFrequency++;
    const sequence = view.getUint32(start + 12, true);
    step.lost += link.frames.see(sequence);
    this.#columns.add(i, start + pairs, link.entry.index, variant);
    if (antennas > 1 || variant.is12Bit) return;
    this.#compressed.see(link.entry.link.id, node, sequence, step.raw.bytes, start + pairs, size);
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
    const link = this.#resolve(step, i, view.getUint8(4), null);
    if (!link) return;
    step.claims.push(...link.take(kind, view, step.raw.time[i]!, step.provenance));
    if (kind === 'compressed') this.#takeCompressed(i, link, view);
  }

  /** Adds the frame of a compressed packet, unless it is a copy or its reference is unknown. */
  #takeCompressed(i: number, link: LinkState, view: DataView): void {
    const made = this.#compressed.take(link.entry.link.id, view);
    if (typeof made === 'string') {
      this.#context.metrics.dropped(`compressed_${made}`, 1);
      return;
    }
    const frame = viewOf(made);
    const mhz = frame.getUint32(8, true) || ASSUMED_MHZ;
    const bins = frame.getUint16(6, true);
    const fields = fieldsAt(made, CSI_HEADER_BYTES, bins);
    const variant = this.#columns.variant(fields, bins, 1, mhz)!;
    this.#columns.add(i, CSI_HEADER_BYTES, link.entry.index, variant, made);
  }

  /** The link of a node; undefined, and counted, if it has none. */
  #resolve(step: Step, i: number, node: number, layout: string | null): LinkState | undefined {
    const time = step.raw.time[i]!;
    const sender = step.raw.senders[step.raw.sender[i]!] ?? '';
    const index = this.#nodes.resolve(node, sender, time);
    if (index >= 0) return this.#links[index];
    const known = this.#nodes.knows(node);
    const reason = known ? 'other_address' : 'unknown_sender';
    this.#ignored[reason]++;
    step.ignored[reason] = (step.ignored[reason] ?? 0) + 1;
    const link = known ? `node-${node}@${hostOf(sender)}` : `node-${node}`;
    this.#strangers.see(sender === '' ? link : `node-${node}@${sender}`, link, reason, time, layout);
    return undefined;
  }

  #refuse({ raw, failed }: Step, i: number, fault: Fault): void {
    this.#faults.refuse(raw, i, { fault, reason: FAULT_TEXT[fault] }, 'an ADR-018 packet', failed);
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
  }
}

const SECOND = 1_000_000;

const isFrame = (view: DataView): boolean => view.byteLength >= 4 && view.getUint32(0, true) === CSI_MAGIC;
const counters = <K extends string>(keys: readonly K[]): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;

/** The result of one call of decode. */
class Step {
  readonly raw: RawBatch;
  readonly view: DataView;
  readonly provenance: Provenance;
  readonly claims: Data[] = [];
  readonly failed: Failure[] = [];
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

interface DecoderState extends FaultsState {
  readonly second: number;
  readonly counts: Readonly<Record<Kind, number>>;
  readonly ignored: { readonly unknown_sender: number; readonly other_address: number };
  readonly unknownFrequency: number;
  readonly nodes: NodeTableState;
  /** Absent in checkpoints of 0.4.0 and before. */
  readonly compressed?: CompressedState;
  readonly lltf?: ReturnType<FrameFields['snapshot']>;
  readonly links: Readonly<Record<string, LinkSnapshot>>;
}
