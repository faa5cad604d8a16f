import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Context } from '../../pipeline/component/index.js';
import { HEAD_BYTES, RawBuilder, formatNamed, recogniseFile } from '../../pipeline/formats/index.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testEnvironment } from './context.js';

/** Every sender is the first link of the environment under test. */
export const anySender = {
  ...testEnvironment,
  links: [{ ...testEnvironment.links[0]!, sender: '*' }],
};

/** All frames of a recording, gzipped or not, from any sender, as frames of `link-1`. */
export function recordingBlocks(
  path: string,
  { metrics, log }: Pick<Context, 'metrics' | 'log'>,
): CsiBlock[] {
  const raw = readFileSync(path);
  const bytes: Uint8Array = path.endsWith('.gz') ? gunzipSync(raw) : raw;
  const opened = recogniseFile(bytes.subarray(0, HEAD_BYTES))!.open(bytes.subarray(0, HEAD_BYTES));
  const decoder = formatNamed(opened.format).decoder({ links: new LinkTable([anySender]), metrics, log });
  const builder = new RawBuilder(65_536, 'replay');
  const blocks: CsiBlock[] = [];
  for (let at = opened.start; at < bytes.length;) {
    const taken = opened.cutter.cut(bytes.subarray(at), builder, at, true);
    for (const data of decoder.decode(builder.take()).data) if (data.port === 'csi') blocks.push(data);
    if (taken === 0) break;
    at += taken;
  }
  return blocks;
}
