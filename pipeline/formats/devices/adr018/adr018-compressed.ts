import type { DecoderContext } from '../../contract/format.js';
import { channelMhz } from '../../radio/wifi-channel.js';
import { encodePairs, isChannelCentre } from './adr018-frame.js';
import { decodeCompressed, readDelta } from './adr018-delta.js';
import { KnownFrames, type Reference } from './adr018-known.js';

/** What became of a compressed packet. */
export type CompressedResult = 'decoded' | 'copy' | 'no_reference';

/**
 * Decodes compressed packets of the nodes of all links. The nodes send most frames raw, too: a packet whose
 * frame is known is a copy, and gives nothing.
 */
export class CompressedFrames {
  readonly #reference: Reference;
  readonly #log: DecoderContext['log'];
  /** By link and node: no key is made of the two, because every raw frame comes here. */
  readonly #nodes = new Map<string, Map<number, NodeFrames>>();
  readonly #counts: Record<CompressedResult, number> = { decoded: 0, copy: 0, no_reference: 0 };
  readonly #told = new Set<CompressedResult>();

  constructor(reference: Reference, log: DecoderContext['log']) {
    this.#reference = reference;
    this.#log = log;
  }

  /** A raw frame of `node`. @param start of its pairs, of one antenna: the firmware compresses no others */
  see(link: string, node: number, sequence: number, bytes: Uint8Array, start: number, length: number): void {
    const known = this.#nodes.get(link)?.get(node) ?? this.#newNode(link, node);
    known.sequence = sequence;
    known.of(length).see(bytes, start, length);
  }

  /** The datagram that the packet would be uncompressed, or why it gives none. */
  take(link: string, view: DataView): Uint8Array | Exclude<CompressedResult, 'decoded'> {
    const { node, channel, rawBytes, payload } = decodeCompressed(view);
    const delta = readDelta(payload, rawBytes)!;
    const of = this.#nodes.get(link)?.get(node);
    const known = of?.known.get(rawBytes);
    const isCopy = known?.hasCopy(delta) === true;
    const pairs = isCopy ? undefined : known?.restore(delta, this.#reference);
    this.#count(isCopy ? 'copy' : pairs ? 'decoded' : 'no_reference', node);
    if (!pairs) return isCopy ? 'copy' : 'no_reference';
    known!.see(pairs);
    const mhz = channelMhz(channel) ?? 0;
    return encodePairs(
      {
        node,
        bins: rawBytes / 2,
        mhz: isChannelCentre(mhz) ? mhz : 0,
        // The packet has none: that of the raw frame before it.
        sequence: of!.sequence,
        rssi: NaN,
        noise: NaN,
      },
      pairs,
    );
  }

  describe(): Readonly<Record<CompressedResult, number>> {
    return { ...this.#counts };
  }

  snapshot(): CompressedState {
    const nodes = [...this.#nodes].flatMap(([link, ofLink]) =>
      [...ofLink].map(([node, { sequence, known }]) => ({
        key: `${link} ${node}`,
        sequence,
        frames: [...known.values()].map((frames) => frames.snapshot()),
      })),
    );
    return { counts: this.describe(), told: [...this.#told], nodes };
  }

  restore({ counts, told, nodes }: CompressedState): void {
    Object.assign(this.#counts, counts);
    this.#told.clear();
    for (const result of told) this.#told.add(result);
    this.#nodes.clear();
    for (const { key, sequence, frames } of nodes) {
      const end = key.lastIndexOf(' ');
      const node = this.#newNode(key.slice(0, end), Number(key.slice(end + 1)));
      node.sequence = sequence;
      for (const saved of frames) node.restore(saved);
    }
  }

  #newNode(link: string, node: number): NodeFrames {
    const made = new NodeFrames();
    const ofLink = this.#nodes.get(link) ?? new Map<number, NodeFrames>();
    this.#nodes.set(link, ofLink.set(node, made));
    return made;
  }

  #count(result: CompressedResult, node: number): void {
    this.#counts[result]++;
    if (this.#told.has(result)) return;
    this.#told.add(result);
    this.#log.warn(`node ${node} sends compressed frames (0xC5110005): ${MESSAGE[result]}`);
  }
}

const MESSAGE: Readonly<Record<CompressedResult, string>> = {
  copy: 'their frames were sent raw, too, so these packets are dropped as copies; set the edge tier of the node below 2 to save the air time',
  decoded:
    'they do not state their reference, which csiflow takes from the frames before them (format adr018: the one that fits best; adr018-newest: the newest)',
  no_reference:
    'none of the last frames of the node fits as the reference of this packet, so it is dropped; set the edge tier of the node below 2 for raw frames only',
};

/** What is known of a node. */
class NodeFrames {
  /** Number of its newest raw frame. */
  sequence = 0;
  /** By the length of the pairs, bytes: those of raw frames that were decoded, so there are few. */
  readonly known = new Map<number, KnownFrames>();

  of(bytes: number): KnownFrames {
    let frames = this.known.get(bytes);
    if (!frames) this.known.set(bytes, (frames = new KnownFrames(bytes)));
    return frames;
  }

  restore(saved: readonly string[]): void {
    const frames = saved.map((text) => new Uint8Array(Buffer.from(text, 'base64')));
    for (const pairs of frames) this.of(pairs.length).see(pairs);
  }
}

export interface CompressedState {
  readonly counts: Readonly<Record<CompressedResult, number>>;
  readonly told: readonly CompressedResult[];
  /** By link and node: the known frames of each length, base64. */
  readonly nodes: readonly {
    readonly key: string;
    readonly sequence: number;
    readonly frames: readonly (readonly string[])[];
  }[];
}
