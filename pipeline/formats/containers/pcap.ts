import { locationText, type State } from '../../component/index.js';
import { DeviceClock } from './device-clock.js';
import { FormatError, type Cutter } from '../contract/format.js';
import { blocksOf, isPcap, type Blocks, type Extent, type Packet } from './pcap-blocks.js';
import type { RawBuilder } from '../contract/raw-builder.js';
import { viewOf } from '../../base/view-of.js';

/** Position of the part of a packet that is a record; null if it has none. `view`: of all available bytes. */
export type Select = (view: DataView, packet: Packet) => Pick<Packet, 'start' | 'end'> | null;

export const bytesOf = (view: DataView, { start, end }: Pick<Packet, 'start' | 'end'>): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset + start, end - start);

/** The selected parts of the packets in a file's head. */
export function recordsOf(head: Uint8Array, select: Select): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  const blocks = blocksOf(head);
  const view = viewOf(head);
  for (let at = blocks.start; at < head.length;) {
    const extent = blocks.measure(view, at);
    if (extent === null || at + extent.length > head.length) break;
    const { packet } = blocks.open(view, at, extent);
    const record = packet && select(view, packet);
    if (record) found.push(bytesOf(view, record));
    at += extent.length;
  }
  return found;
}

/**
 * Cuts a capture into the selected parts of its packets; other packets are skipped.
 * @param name prefix of problem codes
 */
export const pcapCutter = (name: string, head: Uint8Array, select: Select): Cutter =>
  new PcapCutter(name, blocksOf(head), select);

/** Position of the first block after the file's header. */
export const pcapStart = (head: Uint8Array): number => blocksOf(head).start;

/** Times of day; packets of several queues may be slightly out of order. */
const CAPTURE_CLOCK = { unit: 1, confirm: 2, slack: 1_000_000, absolute: true };

/** After damage, reading continues at the next offset with two consecutive blocks. */
class PcapCutter implements Cutter {
  readonly #name: string;
  readonly #blocks: Blocks;
  readonly #select: Select;
  readonly #clock = new DeviceClock(CAPTURE_CLOCK);
  /** Start of the damage that is being skipped; -1: none. */
  #lost = -1;
  /** Packets so far, of any kind; NaN in a run that was resumed from a checkpoint of 0.4.0 or before. */
  #packets = 0;

  constructor(name: string, blocks: Blocks, select: Select) {
    this.#name = name;
    this.#blocks = blocks;
    this.#select = select;
  }

  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number {
    const view = viewOf(bytes);
    let from = 0;
    while (!into.full && from < bytes.length) {
      const extent = this.#blocks.measure(view, from);
      const end = from + (extent?.length ?? 0);
      const isFollowed = end + this.#blocks.headerBytes <= bytes.length;
      if (extent !== null && !last && !isFollowed) {
        if (!into.isGrowing || end > bytes.length || !this.#holds(view, from, extent)) break;
      }
      if (extent === null || end > bytes.length || !this.#isBlock(view, from, end, extent)) {
        if (this.#lost < 0) this.#lost = at + from;
        from++;
        continue;
      }
      this.#reportDamage(into, at + from);
      this.#take(view, from, extent, into, at);
      from = end;
    }
    if (last && from === bytes.length) this.#reportDamage(into, at + from, 'truncated');
    return from;
  }

  snapshot() {
    return {
      clock: this.#clock.snapshot(),
      lost: this.#lost,
      blocks: this.#blocks.snapshot(),
      packets: Number.isNaN(this.#packets) ? null : this.#packets,
    };
  }

  restore(state: State): void {
    const saved = state as Omit<ReturnType<PcapCutter['snapshot']>, 'packets'> & {
      readonly packets?: number | null;
    };
    this.#clock.restore(saved.clock);
    this.#lost = saved.lost;
    this.#blocks.restore(saved.blocks);
    this.#packets = saved.packets ?? NaN;
  }

  /** Random bytes are not followed by another block, nor do they contain a selected packet. */
  #isBlock(view: DataView, from: number, end: number, extent: Extent): boolean {
    if (!this.#blocks.closes(view, from, extent)) return false;
    if (end >= view.byteLength || this.#blocks.measure(view, end, extent.little) !== null) return true;
    return this.#holds(view, from, extent);
  }

  /** True if the block holds a selected packet. */
  #holds(view: DataView, from: number, extent: Extent): boolean {
    const { packet } = this.#blocks.look(view, from, extent);
    return packet !== undefined && this.#select(view, packet) !== null;
  }

  #take(view: DataView, from: number, extent: Extent, into: RawBuilder, at: number): void {
    const { packet, time } = this.#blocks.open(view, from, extent);
    if (packet) this.#packets++;
    const record = packet && this.#select(view, packet);
    if (!record) return;
    const believed = into.isLive ? 0 : this.#clock.at(time);
    if (believed !== null) {
      into.begins(at + from, 'packet', this.#packets);
      into.add(believed, bytesOf(view, record));
    } else
      into.problem({
        code: `${this.#name}.stray`,
        location: locationText(at + from, 'packet', this.#packets),
        message: `the time ${time} us does not follow from the packets before it: the packet is skipped`,
      });
  }

  #reportDamage(into: RawBuilder, to: number, kind: 'damaged' | 'truncated' = 'damaged'): void {
    if (this.#lost < 0) return;
    const why = kind === 'damaged' ? 'no packet begins here' : 'the file is damaged or truncated here';
    into.problem({
      code: `${this.#name}.${kind}`,
      location: `byte ${this.#lost}`,
      message: `${why}: ${to - this.#lost} bytes are skipped`,
    });
    this.#lost = -1;
  }
}

/** @throws FormatError if the bytes are not a packet capture */
export function checkPcap(name: string, head: Uint8Array): void {
  if (!isPcap(head))
    throw new FormatError(`${name}.header`, 'byte 0', 'this is neither a pcap nor a pcapng file');
}

/** Bytes before the IP header, by link type: Ethernet, loopback (0, 108), Linux cooked (113, 276), IP. */
const LINK_BYTES: Readonly<Record<number, number>> = {
  0: 4,
  1: 14,
  12: 0,
  14: 0,
  101: 0,
  108: 4,
  113: 16,
  228: 0,
  229: 0,
  276: 20,
};
/** Link types whose header ends with the type of what follows, which may be a VLAN tag. */
const TAGGED_LINKS: ReadonlySet<number> = new Set([1, 113]);
/** Types of VLAN tags: IEEE 802.1Q, 802.1ad, and the older stacked tags. */
const VLAN_TAGS: ReadonlySet<number> = new Set([0x8100, 0x88a8, 0x9100]);
const VLAN_TAG_BYTES = 4;
const UDP = 17;

/** Start of the UDP header of a packet of IPv4, or IPv6 without extension headers; -1 if it has none. */
function udpStart(view: DataView, { linkType, start, end }: Packet): number {
  let ip = start + (LINK_BYTES[linkType] ?? NaN);
  if (TAGGED_LINKS.has(linkType))
    while (ip + 28 <= end && VLAN_TAGS.has(view.getUint16(ip - 2))) ip += VLAN_TAG_BYTES;
  if (!(ip + 28 <= end)) return -1;
  const version = view.getUint8(ip) >> 4;
  const protocol = version === 4 ? view.getUint8(ip + 9) : version === 6 ? view.getUint8(ip + 6) : null;
  if (protocol !== UDP) return -1;
  const udp = ip + (version === 4 ? (view.getUint8(ip) & 0x0f) * 4 : 40);
  return udp + 8 > end ? -1 : udp;
}

/** The port to which a UDP datagram was sent; null for other packets. */
export function udpPort(view: DataView, packet: Packet): number | null {
  const udp = udpStart(view, packet);
  return udp < 0 ? null : view.getUint16(udp + 2);
}

/**
 * The payload of a UDP datagram to this port; null for other packets. Its length is that of UDP: records may
 * be longer.
 */
export const udpPayload =
  (port: number): Select =>
  (view, packet) => {
    const udp = udpStart(view, packet);
    if (udp < 0 || view.getUint16(udp + 2) !== port) return null;
    const length = view.getUint16(udp + 4);
    return length < 8 || udp + length > packet.end ? null : { start: udp + 8, end: udp + length };
  };
