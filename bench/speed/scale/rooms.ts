import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { SourceBatch } from '../../../pipeline/component/index.js';
import { encodeFrame } from '../../../pipeline/formats/devices/adr018/adr018-frame.js';
import { frameSize, LinkTable, type CsiBlock, type Environment } from '../../../pipeline/model/index.js';
import { simulator } from '../../../pipeline/sources/simulator/source.js';
import { benchContext } from '../../shared/context.js';

/** A datagram as a gateway would write it to Kafka. */
export interface Datagram {
  readonly room: string;
  /** Microseconds since 1970. */
  readonly time: number;
  readonly bytes: Uint8Array;
}

/**
 * Rooms of 5 x 4 m with up to four links around each; their senders are nodes 1 to 4 of the room's own key.
 */
export const makeRooms = (count: number, links: 3 | 4): readonly Environment[] =>
  Array.from({ length: count }, (_, index) => {
    const id = `room-${String(index + 1).padStart(2, '0')}`;
    const link = (number: number, transmitter: number[], receiver: number[]) => ({
      id: `${id}-${number}`,
      transmitter,
      receiver,
      sender: `node-${number}@${id}`,
    });
    return {
      id,
      size: { x: 5, y: 4, z: 2.6 },
      links: [
        link(1, [0.05, 0.5, 1.2], [4.2, 0.05, 1.7]),
        link(2, [0.05, 0.5, 1.2], [2.2, 3.95, 0.6]),
        link(3, [4.2, 0.05, 1.7], [4.95, 3.3, 0.9]),
        link(4, [4.9, 0.6, 1.1], [0.1, 3.4, 1.5]),
      ].slice(0, links),
      walls: [],
      zones: [],
      timezone: 'UTC',
      assumed: ['The room and all that is measured in it are simulated.'],
    };
  });

/** Writes the rooms' files; returns their paths relative to `folder`. */
export function writeRooms(rooms: readonly Environment[], folder: string): readonly string[] {
  mkdirSync(join(folder, 'rooms'), { recursive: true });
  return rooms.map((room) => {
    const path = `rooms/${room.id}.yaml`;
    writeFileSync(join(folder, path), stringify(room));
    return path;
  });
}

/**
 * Datagrams of all links of the rooms from 2026 on, while one person walks around in each, in order of time.
 */
export async function datagramsOf(
  rooms: readonly Environment[],
  seconds: number,
  rateHz: number,
): Promise<readonly Datagram[]> {
  const links = new LinkTable(rooms);
  const context = { ...benchContext(0), environments: rooms, links };
  const config = {
    people: [{ script: [] }],
    device: 'esp32' as const,
    rate_hz: rateHz,
    speed: 0,
    duration_s: seconds,
    seed: 11,
    start_time: '2026-01-01T00:00:00Z',
    snr_db: [20, 30],
    echo_db: 0,
    gain: 'steady' as const,
    rssi_noise_db: [0, 0],
    rssi_outliers: [0, 0],
    loss: [0, 0.05],
    jitter_ms: 1,
    things: [],
    obstacles: [],
    motion_part: 'all' as const,
  };
  const datagrams: Datagram[] = [];
  await simulator.create(config, context).open(null, {
    signal: new AbortController().signal,
    offer: ({ data = [] }: SourceBatch) => {
      for (const block of data) if (block.port === 'csi') datagrams.push(...encode(block, links));
      return true;
    },
  });
  return datagrams.sort((a, b) => a.time - b.time);
}

/** The datagrams of `seconds`, repeated, with later timestamps each time and continuing sequence numbers. */
export function* repeated(datagrams: readonly Datagram[], seconds: number): Generator<readonly Datagram[]> {
  for (let round = 0; ; round++) {
    yield datagrams.map(({ room, time, bytes }) => {
      const copy = Uint8Array.from(bytes);
      const view = new DataView(copy.buffer);
      // In ADR-018 the sequence number is at byte 12.
      view.setUint32(12, view.getUint32(12, true) + round * 1_000_000, true);
      return { room, time: time + round * seconds * 1e6, bytes: copy };
    });
  }
}

function encode(block: CsiBlock, links: LinkTable): readonly Datagram[] {
  const size = frameSize(block.layout);
  return Array.from({ length: block.count }, (_, index) => {
    const { link, environment } = links.at(block.link[index]!);
    const values = block.values.subarray(index * size, (index + 1) * size);
    const bytes = encodeFrame({
      node: Number(/\d+/.exec(link.sender)![0]),
      bins: 64,
      mhz: 2437,
      sequence: block.sequence[index]!,
      rssi: Math.round(block.rssi[index]!),
      noise: Math.round(block.noise[index]!),
      parts: [values.map((value) => Math.max(-128, Math.min(127, Math.round(value))))],
    });
    return { room: environment.id, time: Math.round(block.time[index]!), bytes };
  });
}
