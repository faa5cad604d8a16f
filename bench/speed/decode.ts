import { adr018 } from '../../pipeline/formats/adr018.js';
import { encodePairs } from '../../pipeline/formats/adr018-frame.js';
import type { DecoderContext } from '../../pipeline/formats/format.js';
import { RawBuilder } from '../../pipeline/formats/raw-builder.js';
import type { RawBatch } from '../../pipeline/component/index.js';
import { LinkTable, type Environment } from '../../pipeline/model/index.js';

/** Speed of decoding ADR-018 on one core. */
export interface DecodeSpeed {
  readonly bins: number;
  readonly framesPerSecond: number;
  readonly microsecondsPerFrame: number;
}

/** Decodes batches of 64 frames of `bins` bins (64 or 256), of 20 links, for about `milliseconds`. */
export function decodeSpeed(bins: 64 | 128 | 192 | 256, milliseconds = 1000): DecodeSpeed {
  const decoder = adr018.decoder(context(LINKS));
  const batches = Array.from({ length: BATCHES }, (_, i) => batch(bins, i));
  const pass = () => {
    for (const raw of batches) decoder.decode(raw);
  };
  for (const end = performance.now() + milliseconds / 5; performance.now() < end;) pass();
  let frames = 0;
  const begun = performance.now();
  let elapsed = 0;
  while (elapsed < milliseconds) {
    pass();
    frames += BATCHES * BATCH;
    elapsed = performance.now() - begun;
  }
  return {
    bins,
    framesPerSecond: (frames / elapsed) * 1000,
    microsecondsPerFrame: (elapsed / frames) * 1000,
  };
}

const LINKS = 20;
const BATCHES = 100;
const BATCH = 64;

function batch(bins: number, index: number): RawBatch {
  const builder = new RawBuilder(BATCH, 'simulated');
  for (let i = 0; i < BATCH; i++) {
    const k = index * BATCH + i;
    const pairs = Int8Array.from({ length: bins * 2 }, (_, j) => (k * 31 + j * 17) % 128);
    const frame = {
      node: k % LINKS,
      bins,
      mhz: 2437,
      sequence: Math.floor(k / LINKS),
      rssi: -40,
      noise: -90,
    };
    builder.add(1e15 + k * 500, encodePairs(frame, pairs), 0, undefined, `10.0.0.${k % LINKS}:4000`);
  }
  return builder.take();
}

function context(links: number): DecoderContext {
  const environment: Environment = {
    id: 'bench',
    size: { x: 5, y: 4, z: 2.6 },
    links: Array.from({ length: links }, (_, node) => ({
      id: `link-${node}`,
      sender: `node-${node}`,
      transmitter: [0, 0, 1],
      receiver: [5, 4, 1],
    })),
    walls: [],
    zones: [],
    assumed: [],
  };
  const nothing = () => undefined;
  return {
    links: new LinkTable([environment]),
    metrics: { dropped: nothing, failed: nothing, gauge: nothing, count: nothing },
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  };
}
