import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeFeatures, encodeVitals } from '../../pipeline/formats/devices/adr018/adr018-packets.js';

export * from '../../pipeline/testing/kit/csi-input.js';

/** ADR-018 datagrams of two nodes: frames, gaps in numbers, vitals, features, and a broken one. */
export function datagrams(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => {
    const node = 1 + (i % 2);
    if (i % 50 === 20) return encodeVitals({ ...VITALS, node, milliseconds: i * 10 });
    if (i % 50 === 30) return encodeFeatures({ node, sequence: i, microseconds: BigInt(i), values: [] });
    const header = { node, bins: 64, mhz: 2437, sequence: i + (i > 40 ? 5 : 0), rssi: -40, noise: -90 };
    const bytes = encodePairs(header, new Int8Array(128).fill(i % 100));
    return i === 10 ? bytes.subarray(0, 50) : bytes;
  });
}

const VITALS = {
  presence: true,
  fall: false,
  moving: true,
  breathingBpm: 14,
  heartBpm: 70,
  rssi: -50,
  persons: 1,
  motion: 0.5,
  presenceScore: 0.75,
};
