import type { State } from '../../component/index.js';
import { viewOf } from '../../base/view-of.js';

/**
 * Captures of tcpdump and Wireshark: pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng), of either
 * byte order, in microseconds or nanoseconds.
 */
export interface Packet {
  /** Link type of an interface's packets: 1 Ethernet, 113 and 276 Linux cooked, 101 IP, 127 radiotap. */
  readonly linkType: number;
  /** Its position in the available bytes. */
  readonly start: number;
  readonly end: number;
}

export const isPcap = (head: Uint8Array): boolean =>
  head.length >= 24 && (isPcapng(head) || classicOf(head) !== undefined);

/** End of a record of a pcap, or of a block of a pcapng; beyond the bytes if it is truncated. */
export interface Extent {
  readonly length: number;
  readonly little: boolean;
}

export interface Blocks {
  readonly start: number;
  /** Bytes required to determine the length of a block. */
  readonly headerBytes: number;
  /** Null if no block begins at `at`. `before`: byte order of the previous block, in case it has changed. */
  measure(view: DataView, at: number, before?: boolean): Extent | null;
  /** Reads a whole block, and stores the state that later blocks depend on. Time in microseconds. */
  open(
    view: DataView,
    at: number,
    extent: Extent,
  ): { readonly time: number; readonly packet: Packet | undefined };
  /** True if the end of a whole block is consistent with its beginning. */
  closes(view: DataView, at: number, extent: Extent): boolean;
  /** Like `open`, but stores nothing. */
  look(view: DataView, at: number, extent: Extent): { readonly packet: Packet | undefined };
  snapshot(): State;
  restore(state: State): void;
}

export const blocksOf = (head: Uint8Array): Blocks =>
  isPcapng(head) ? new PcapngBlocks() : new ClassicBlocks(classicOf(head)!);

/** Longest plausible packet: a longer one means lost sync. */
const MAX_PACKET_BYTES = 65_535;

/**
 * Longest packet before it was cut: tcpdump's own limit. Without one, a header of four words would also be found a word
 * later, in front of every packet to ff:ff:ff:ff:ff:ff, and reading would never come back to the packets.
 */
const MAX_ORIGINAL_BYTES = 262_144;

interface Classic {
  readonly little: boolean;
  /** Unit of the fraction of a second, microseconds. */
  readonly unit: number;
  readonly linkType: number;
}

function classicOf(head: Uint8Array): Classic | undefined {
  const view = viewOf(head);
  for (const little of [true, false]) {
    const magic = view.getUint32(0, little);
    if (magic !== MICROSECONDS && magic !== NANOSECONDS) continue;
    const linkType = view.getUint32(20, little) & 0xffff;
    return { little, unit: magic === MICROSECONDS ? 1 : 0.001, linkType };
  }
  return undefined;
}

const MICROSECONDS = 0xa1b2c3d4;
const NANOSECONDS = 0xa1b23c4d;

class ClassicBlocks implements Blocks {
  readonly start = 24;
  readonly headerBytes = 16;
  readonly #file: Classic;

  constructor(file: Classic) {
    this.#file = file;
  }

  measure(view: DataView, at: number): Extent | null {
    const { little, unit } = this.#file;
    if (at + 16 > view.byteLength) return { length: 16, little };
    const included = view.getUint32(at + 8, little);
    const original = view.getUint32(at + 12, little);
    const isRecord =
      included > 0 &&
      included <= MAX_PACKET_BYTES &&
      included <= original &&
      original <= MAX_ORIGINAL_BYTES &&
      view.getUint32(at + 4, little) * unit < 1e6;
    return isRecord ? { length: 16 + included, little } : null;
  }

  open(view: DataView, at: number, { length }: Extent) {
    const { little, unit, linkType } = this.#file;
    const time = view.getUint32(at, little) * 1e6 + view.getUint32(at + 4, little) * unit;
    return { time, packet: { linkType, start: at + 16, end: at + length } };
  }

  closes(): boolean {
    return true;
  }

  look(view: DataView, at: number, extent: Extent) {
    return this.open(view, at, extent);
  }

  snapshot(): State {
    return null;
  }

  restore(): void {
    // The header of the file determines everything.
  }
}

const SECTION = 0x0a0d0d0a;
const INTERFACE = 1;
/** Like an enhanced packet, but with a shorter number of the interface; old tools write it. */
const OBSOLETE_PACKET = 2;
const SIMPLE_PACKET = 3;
const ENHANCED_PACKET = 6;
const PACKETS: ReadonlySet<number> = new Set([OBSOLETE_PACKET, SIMPLE_PACKET, ENHANCED_PACKET]);
const BYTE_ORDER = 0x1a2b3c4d;
const TIME_RESOLUTION = 9;
const TIME_OFFSET = 14;

const isPcapng = (head: Uint8Array): boolean => {
  const view = viewOf(head);
  return head.length >= 12 && view.getUint32(0) === SECTION && orderOf(view, 0) !== undefined;
};

/** True for little-endian, undefined if the section does not state its byte order. */
function orderOf(view: DataView, at: number): boolean | undefined {
  if (view.getUint32(at + 8, true) === BYTE_ORDER) return true;
  return view.getUint32(at + 8, false) === BYTE_ORDER ? false : undefined;
}

/** One interface of a section. */
interface Interface {
  readonly linkType: number;
  /** Unit of its stamps, microseconds. */
  readonly unit: number;
  /** What its stamps are relative to, microseconds. Checkpoints of 0.5.0 and before have none. */
  readonly offset?: number;
}

/** Limit of stored interfaces per section. */
const MAX_INTERFACES = 256;

class PcapngBlocks implements Blocks {
  readonly start = 0;
  readonly headerBytes = 12;
  #little = true;
  #interfaces: Interface[] = [];
  #time = 0;

  measure(view: DataView, at: number, before = this.#little): Extent | null {
    if (at + 12 > view.byteLength) return { length: 12, little: before };
    const little = view.getUint32(at) === SECTION ? orderOf(view, at) : before;
    if (little === undefined) return null;
    const length = view.getUint32(at + 4, little);
    if (length < 12 || length % 4 !== 0 || length > MAX_PACKET_BYTES + 4096) return null;
    return { length, little };
  }

  open(view: DataView, at: number, { length, little }: Extent) {
    this.#little = little;
    const type = view.getUint32(at, little);
    if (type === SECTION) this.#interfaces = [];
    else if (type === INTERFACE && length >= 20) this.#addInterface(view, at, length);
    const packet = PACKETS.has(type) ? this.#packet(view, at, length, type) : undefined;
    return { time: this.#time, packet };
  }

  closes(view: DataView, at: number, { length, little }: Extent): boolean {
    return view.getUint32(at + length - 4, little) === length;
  }

  look(view: DataView, at: number, extent: Extent) {
    const before = this.snapshot();
    const found = this.open(view, at, extent);
    this.restore(before);
    return found;
  }

  snapshot(): State {
    return {
      little: this.#little,
      interfaces: this.#interfaces.map((one) => ({ ...one })),
      time: this.#time,
    };
  }

  restore(state: State): void {
    const saved = state as { little: boolean; interfaces: Interface[]; time: number };
    this.#little = saved.little;
    this.#interfaces = saved.interfaces.map((one) => ({ ...one }));
    this.#time = saved.time;
  }

  #addInterface(view: DataView, at: number, length: number): void {
    if (this.#interfaces.length >= MAX_INTERFACES) return;
    const little = this.#little;
    let unit = 1;
    let offset = 0;
    for (let option = at + 16; option + 4 <= at + length - 4;) {
      const code = view.getUint16(option, little);
      const size = view.getUint16(option + 2, little);
      if (code === 0) break;
      if (code === TIME_RESOLUTION && size === 1) unit = resolutionOf(view.getUint8(option + 4));
      if (code === TIME_OFFSET && size === 8) offset = Number(view.getBigInt64(option + 4, little)) * 1e6;
      option += 4 + size + ((4 - (size % 4)) % 4);
    }
    this.#interfaces.push({ linkType: view.getUint16(at + 8, little), unit, offset });
  }

  #packet(view: DataView, at: number, length: number, type: number): Packet | undefined {
    const little = this.#little;
    const isSimple = type === SIMPLE_PACKET;
    const start = at + (isSimple ? 12 : 28);
    if (start > at + length - 4) return undefined;
    const from = this.#interfaces[interfaceOf(view, at, little, type)];
    if (!from) return undefined;
    // A simple packet has no time: it gets that of the previous packet.
    if (!isSimple) {
      const stamp = view.getUint32(at + 12, little) * 2 ** 32 + view.getUint32(at + 16, little);
      this.#time = stamp * from.unit + (from.offset ?? 0);
    }
    const stated = view.getUint32(at + (isSimple ? 8 : 20), little);
    const end = Math.min(start + stated, at + length - 4);
    return { linkType: from.linkType, start, end };
  }
}

/** Number of the interface of a packet's block; simple packets are of the first one. */
function interfaceOf(view: DataView, at: number, little: boolean, type: number): number {
  if (type === SIMPLE_PACKET) return 0;
  return type === OBSOLETE_PACKET ? view.getUint16(at + 8, little) : view.getUint32(at + 8, little);
}

/**
 * Unit of an interface's stamps, microseconds: a negative power of ten, or of two if the upper bit is set.
 */
const resolutionOf = (value: number): number =>
  1e6 * ((value & 0x80) !== 0 ? 2 ** -(value & 0x7f) : 10 ** -value);
