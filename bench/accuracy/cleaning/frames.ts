import { readFileSync } from 'node:fs';
import { Value } from 'typebox/value';
import { HEAD_BYTES } from '../../../pipeline/formats/contract/format.js';
import { intel5300 } from '../../../pipeline/formats/devices/intel/intel5300.js';
import { intel5300Log } from '../../../pipeline/formats/devices/intel/intel5300-log.js';
import { RawBuilder } from '../../../pipeline/formats/contract/raw-builder.js';
import type { AnyOperator, Output } from '../../../pipeline/component/index.js';
import {
  allocateBlock,
  csiLayout,
  LinkTable,
  type CsiBlock,
  type Data,
} from '../../../pipeline/model/index.js';
import { benchContext, environmentOf } from '../../shared/context.js';
import { arraysByName } from '../../../pipeline/formats/tables/arrays.js';
import { readNpz } from '../../../pipeline/formats/tables/npz.js';

/** An operator and its settings, as a topology names them. */
export interface Step {
  readonly component: AnyOperator;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** One link's frames after a chain of operators. Event time advances with each block. */
export function through(steps: readonly Step[], blocks: readonly CsiBlock[]): readonly Data[] {
  let data: readonly Data[] = blocks;
  for (const { component, settings = {} } of steps) {
    const config = Value.Default(component.config, { ...settings });
    const operator = component.create(config as never, benchContext(1));
    data = data.flatMap((block) => (operator.process(block, 'frames') as Output<Data>).data);
  }
  return data;
}

/** One link that accepts frames of any sender. */
const [link] = environmentOf(1).links;
const ANY_SENDER = new LinkTable([{ ...environmentOf(1), links: [{ ...link!, sender: '*' }] }]);

/** Frames of a log of the Linux 802.11n CSI Tool, as those of one link. */
export function intelFrames(path: string): readonly CsiBlock[] {
  const bytes = readFileSync(path);
  const { cutter } = intel5300Log.open(bytes.subarray(0, HEAD_BYTES));
  const decoder = intel5300.decoder({ ...benchContext(1), links: ANY_SENDER });
  const builder = new RawBuilder(65_536, 'replay');
  const blocks: Data[] = [];
  for (let at = 0; at < bytes.length;) {
    const taken = cutter.cut(bytes.subarray(at), builder, at, true);
    if (taken === 0) break;
    at += taken;
    blocks.push(...decoder.decode(builder.take()).data);
  }
  return blocks.filter((data): data is CsiBlock => data.port === 'csi');
}

/** Subcarriers of an ESP32's 64 bins: the positive ones after DC, then the negative ones. */
const BINS = 64;
const espressif = csiLayout({
  rx: 1,
  tx: 1,
  subcarriers: Int16Array.from({ length: BINS }, (_, i) => i - BINS / 2),
  bandwidthMhz: 20,
  centreMhz: 2437,
  training: 'lltf',
});

/** Frames of a recording of labelled/esp32-presence: int8 [frames, 128], imaginary part first, spread evenly over its duration. */
export function espFrames(path: string): CsiBlock {
  const arrays = arraysByName(readNpz(readFileSync(path)));
  const data = arrays.get('csi_data');
  const milliseconds = Number(arrays.get('duration_ms')?.re[0]);
  const frames = data?.shape[0] ?? 0;
  if (data?.shape[1] !== 2 * BINS || !(milliseconds > 0))
    throw new Error(`${path}: expected csi_data [frames, ${2 * BINS}] and duration_ms`);
  const block = allocateBlock(espressif, frames);
  for (let frame = 0; frame < frames; frame++) {
    block.time[frame] = Math.round((frame * 1000 * milliseconds) / frames);
    for (let bin = 0; bin < BINS; bin++) {
      const from = frame * 2 * BINS + 2 * bin;
      const to = (frame * BINS + ((bin + BINS / 2) % BINS)) * 2;
      block.values[to] = data.re[from + 1]!;
      block.values[to + 1] = data.re[from]!;
    }
  }
  return block;
}
