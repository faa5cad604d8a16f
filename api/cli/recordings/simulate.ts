import type { AnySource, Context } from '../../../pipeline/component/index.js';
import { encodeFrame } from '../../../pipeline/formats/devices/adr018/adr018-frame.js';
import { RawBuilder } from '../../../pipeline/formats/index.js';
import { frameSize, LinkTable, type CsiBlock, type Environment } from '../../../pipeline/model/index.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { commandContext } from './context.js';
import type { CaptureWriter, Recorded } from './capture-writer.js';

/** A scene of the simulator: its configuration and its environments. */
export interface SimulatedScene {
  readonly source: AnySource;
  readonly config: Readonly<Record<string, unknown>>;
  readonly environments: readonly Environment[];
  /** Base of relative paths in the configuration. */
  readonly folder: string;
}

/**
 * Plays a scene into a capture as fast as possible, each frame as the datagram of an ESP32 with the ADR-018
 * firmware.
 * @param progress receives the seconds of event time so far
 * @throws CommandError if a link's sender is not a numbered node
 */
export async function simulateInto(
  scene: SimulatedScene,
  writer: CaptureWriter,
  signal: AbortSignal,
  progress: (seconds: number) => void,
): Promise<Recorded> {
  const links = new LinkTable(scene.environments);
  const nodes = [...links].map(({ link }) => nodeOf(link.sender, link.id));
  const context: Context = {
    ...commandContext(),
    environments: scene.environments,
    links,
    folder: scene.folder,
  };
  const source = scene.source.create({ ...scene.config, speed: 0 } as never, context);
  const builder = new RawBuilder(1024, 'simulated');
  let first: number | undefined;
  await source.open(null, {
    signal,
    offer: async ({ data = [] }) => {
      const blocks = data.filter((one): one is CsiBlock => one.port === 'csi');
      for (const { time, bytes, sender } of datagrams(blocks, nodes)) {
        first ??= time;
        builder.add(time, bytes, 0, bytes.length, sender);
        if (builder.full) await writer.write(builder.take());
        progress((time - first) / 1e6);
      }
      return true;
    },
  });
  if (builder.count > 0) await writer.write(builder.take());
  return writer.recorded;
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

interface Datagram {
  readonly time: number;
  readonly bytes: Uint8Array;
  readonly sender: string;
}

/** Bins of a frame whose only training field is the legacy one, which contains the simulator's 52 subcarriers. */
const LEGACY_BINS = 64;

/** Frames of several environments, ordered by time. */
function datagrams(blocks: readonly CsiBlock[], nodes: readonly Node[]): readonly Datagram[] {
  return blocks.flatMap((block) => framesOf(block, nodes)).sort((a, b) => a.time - b.time);
}

function framesOf(block: CsiBlock, nodes: readonly Node[]): readonly Datagram[] {
  const size = frameSize(block.layout);
  return Array.from({ length: block.count }, (_, index) => {
    const { number, address } = nodes[block.link[index]!]!;
    const bytes = encodeFrame({
      node: number,
      antennas: block.layout.rx,
      bins: LEGACY_BINS,
      mhz: block.layout.centreMhz,
      sequence: block.sequence[index]!,
      rssi: block.rssi[index]!,
      noise: block.noise[index]!,
      parts: [block.values.subarray(index * size, (index + 1) * size)],
    });
    return { time: block.time[index]!, bytes, sender: address };
  });
}
