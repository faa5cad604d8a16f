import type { AnySource, Context } from '../../../pipeline/component/index.js';
import { RawBuilder } from '../../../pipeline/formats/index.js';
import { LinkTable, type CsiBlock, type Environment } from '../../../pipeline/model/index.js';
import { commandContext } from './context.js';
import type { CaptureWriter, Recorded } from './capture-writer.js';
import { encoderOf, type Datagram, type Encode } from './simulated-datagrams.js';

/** A scene of the simulator: its configuration and its environments. */
export interface SimulatedScene {
  readonly source: AnySource;
  readonly config: Readonly<Record<string, unknown>>;
  readonly environments: readonly Environment[];
  /** Base of relative paths in the configuration. */
  readonly folder: string;
}

/**
 * Plays a scene into a capture as fast as possible, each frame as a datagram.
 * @param progress receives the seconds of event time so far
 * @throws CommandError if the datagrams of an ESP32 cannot carry a link's sender
 */
export async function simulateInto(
  scene: SimulatedScene,
  writer: CaptureWriter,
  signal: AbortSignal,
  progress: (seconds: number) => void,
): Promise<Recorded> {
  const links = new LinkTable(scene.environments);
  const encode = encoderOf(scene.config, links);
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
      for (const { time, bytes, sender } of datagrams(blocks, encode)) {
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

/** Frames of several environments, ordered by time. */
const datagrams = (blocks: readonly CsiBlock[], encode: Encode): readonly Datagram[] =>
  blocks
    .flatMap((block) => Array.from({ length: block.count }, (_, index) => encode(block, index)))
    .sort((a, b) => a.time - b.time);
