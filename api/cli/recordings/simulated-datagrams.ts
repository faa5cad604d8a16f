import { encodeFrame } from '../../../pipeline/formats/devices/adr018/adr018-frame.js';
import { frameSize, type CsiBlock, type LinkTable } from '../../../pipeline/model/index.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

/** A frame as it is recorded. */
export interface Datagram {
  readonly time: number;
  readonly bytes: Uint8Array;
  readonly sender: string;
}

/** Writes frame number `index` of a block. */
export type Encode = (block: CsiBlock, index: number) => Datagram;

type Scene = Readonly<Record<string, unknown>>;

/** The receiver whose datagrams are written as its firmware sends them; those of others are JSON. */
const BOARD = 'esp32';

/** The format of a scene's datagrams. */
export const formatOf = ({ device }: Scene): 'adr018' | 'csi-json' =>
  device === undefined || device === BOARD ? 'adr018' : 'csi-json';

/** @throws CommandError if a link's sender cannot be in such a datagram */
export function encoderOf(scene: Scene, links: LinkTable): Encode {
  return formatOf(scene) === 'adr018' ? adr018(links) : csiJson(links);
}

/** Bins of a frame whose only training field is the legacy one, which contains the simulator's 52 subcarriers. */
const LEGACY_BINS = 64;

/** Datagrams of ESP32s with the ADR-018 firmware. */
function adr018(links: LinkTable): Encode {
  const nodes = [...links].map(({ link }) => nodeOf(link.sender, link.id));
  return (block, index) => {
    const { number, address } = nodes[block.link[index]!]!;
    const bytes = encodeFrame({
      node: number,
      antennas: block.layout.rx,
      bins: LEGACY_BINS,
      mhz: block.layout.centreMhz,
      sequence: block.sequence[index]!,
      rssi: block.rssi[index]!,
      noise: block.noise[index]!,
      parts: [valuesOf(block, index)],
    });
    return { time: block.time[index]!, bytes, sender: address };
  };
}

interface Node {
  readonly number: number;
  readonly address: string;
}

/** `node-3@192.168.1.20` is node 3, sending from that address. */
function nodeOf(sender: string, link: string): Node {
  const [, number, host, port] = /^node-(\d{1,3})(?:@(.+?)(?::(\d{1,5}))?)?$/.exec(sender) ?? [];
  if (number !== undefined && Number(number) < 256)
    return { number: Number(number), address: host === undefined ? '' : `${host}:${port ?? '5005'}` };
  throw new CommandError(
    `the link ${link} is sent by \`${sender}\`: a datagram can only carry nodes 0 to 255; name it \`node-1\``,
    EXIT.invalid,
  );
}

/** JSON as any receiver may send it: formats of other devices lack the simulator's names, times or sequence. */
function csiJson(links: LinkTable): Encode {
  const senders = [...links].map(({ link }) => link.sender);
  return (block, index) => {
    const { rx, subcarriers, centreMhz, bandwidthMhz, training } = block.layout;
    const values = valuesOf(block, index);
    const count = subcarriers.length;
    const antennas = Array.from({ length: rx }, (_, antenna) =>
      Array.from({ length: count }, (__, k) => {
        const at = 2 * (antenna * count + k);
        return { real: values[at]!, imag: values[at + 1]! };
      }),
    );
    const metadata = {
      ...{ router_id: senders[block.link[index]!]!, sequence: block.sequence[index]! },
      ...{ signal_strength: block.rssi[index]!, noise: block.noise[index]! },
      ...{ centre_mhz: centreMhz, bandwidth_mhz: bandwidthMhz, training, subcarriers: [...subcarriers] },
    };
    const bytes = Buffer.from(JSON.stringify({ antenna_data: antennas, metadata }));
    return { time: block.time[index]!, bytes, sender: '' };
  };
}

function valuesOf({ layout, values }: CsiBlock, index: number): Float32Array {
  const size = frameSize(layout);
  return values.subarray(index * size, (index + 1) * size);
}
