import { readFileSync } from 'node:fs';
import { replaceFile } from '../../../pipeline/base/files.js';
import { CSI_HEADER_BYTES, encodePairs } from '../../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeHeader, encodeRecords } from '../../../pipeline/formats/containers/capture.js';
import { RawBuilder } from '../../../pipeline/formats/contract/raw-builder.js';
import { arraysByName } from '../../../pipeline/formats/tables/arrays.js';
import { readNpz } from '../../../pipeline/formats/tables/npz.js';

const BINS = 64;

/**
 * Writes a recording of labelled/esp32-presence (int8 [frames, 128], as the chip outputs it) as a capture of
 * ADR-018 frames: the same bytes, in the datagrams that csiflow receives from such a chip. Frames have no
 * timestamps of their own: they are spread over the recording's duration.
 * @throws Error if the layout is different
 */
export function captureOf(npz: string, capture: string): void {
  const arrays = arraysByName(readNpz(readFileSync(npz)));
  const data = arrays.get('csi_data');
  const milliseconds = Number(arrays.get('duration_ms')?.re[0]);
  const [frames = 0, width = 0] = data?.shape ?? [];
  if (!data || width !== 2 * BINS || data.texts !== null)
    throw new Error(`${npz}: csi_data must be numbers [frames, ${2 * BINS}], not [${frames}, ${width}]`);
  if (!(milliseconds > 0)) throw new Error(`${npz}: duration_ms must say how long it took`);
  const pairs = Int8Array.from(data.re);
  const builder = new RawBuilder(frames, 'replay');
  for (let frame = 0; frame < frames; frame++) {
    const bytes = encodePairs(
      { node: 1, bins: BINS, mhz: 2437, sequence: frame, rssi: NaN, noise: NaN },
      pairs.subarray(frame * width, (frame + 1) * width),
    );
    const time = Math.round(START_US + (frame * 1000 * milliseconds) / frames);
    builder.add(time, bytes, 0, CSI_HEADER_BYTES + width, '127.0.0.1:5005');
  }
  const header = encodeHeader({ format: 'adr018', origin: 'replay', note: 'converted for a measurement' });
  replaceFile(capture, Buffer.concat([header, encodeRecords(builder.take())]));
}

const START_US = Date.UTC(2026, 0, 1) * 1000;
