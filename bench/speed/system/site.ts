import { writeFile } from 'node:fs/promises';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { newTemporaryFolder, removeTemporaryFolder } from '../../../pipeline/base/temporary-folders.js';
import { senderOf } from './links.js';

/** A made-up site for measurements: rooms, usually of four links each, a topology, and free ports. */
export interface Site {
  readonly folder: string;
  /** Files; each has an equal share of the rooms, in order. */
  readonly topologies: readonly string[];
  /** That of the first topology. */
  readonly udpPort: number;
  /** UDP port of each topology. */
  readonly udpPorts: readonly number[];
  readonly apiPort: number;
  readonly links: number;
  /** Ids of the environments. */
  readonly rooms: readonly string[];
  /** File of rate limits; null for the defaults. */
  readonly limits: string | null;
  remove(): void;
}

/**
 * `motion`: signal processing and motion only; `poses`: with the network, tracking and falls; `demo`: all
 * operators of the demo.
 */
export type Chain = 'motion' | 'poses' | 'demo';

export interface SiteOptions {
  readonly rooms: number;
  /** Links of each room, at most {@link LINKS_PER_ROOM}, which is the default. */
  readonly linksOfRoom?: number;
  readonly chain: Chain;
  /** With rate limits too high to be reached. */
  readonly unlimited?: boolean;
  /** Between two windows. Default: 200. */
  readonly hopMs?: number;
  /** `settings.threads`. */
  readonly threads?: number;
  /** Default: 1. A divisor of `rooms`. */
  readonly topologies?: number;
}

export const LINKS_PER_ROOM = 4;

/** Links are numbered room by room. */
export async function makeSite(options: SiteOptions): Promise<Site> {
  const { rooms, linksOfRoom = LINKS_PER_ROOM, unlimited = false, topologies: count = 1 } = options;
  const folder = newTemporaryFolder('csiflow-bench-');
  const apiPort = await freeTcpPort();
  const udpPorts = await freeUdpPorts(count);
  const names = Array.from({ length: rooms }, (_, room) => `room-${room + 1}`);
  await Promise.all(
    names.map((name, room) => writeFile(join(folder, `${name}.yaml`), environment(name, room, linksOfRoom))),
  );
  const topologies = await Promise.all(
    udpPorts.map(async (port, index) => {
      const file = join(folder, `topology-${index + 1}.yaml`);
      const share = names.slice((index * rooms) / count, ((index + 1) * rooms) / count);
      await writeFile(file, topologyOf(count === 1 ? 'bench' : `bench-${index + 1}`, share, port, options));
      return file;
    }),
  );
  const limits = unlimited ? join(folder, 'limits.json') : null;
  if (limits) await writeFile(limits, JSON.stringify(manyCalls()));
  return {
    folder,
    topologies,
    udpPort: udpPorts[0]!,
    udpPorts,
    apiPort,
    links: rooms * linksOfRoom,
    rooms: names,
    limits,
    remove: () => {
      removeTemporaryFolder(folder);
    },
  };
}

/** Two nodes on each of two opposite walls, at different heights. */
function environment(name: string, room: number, linksOfRoom: number): string {
  const corners = [
    [0.1, 0.6, 0.9, 4.9, 3.3, 1.6],
    [0.1, 3.4, 1.7, 4.9, 0.5, 0.8],
    [1.2, 0.1, 1.2, 3.9, 3.9, 1.0],
    [3.8, 0.1, 0.7, 1.1, 3.9, 1.8],
  ];
  const links = corners.slice(0, linksOfRoom).map((at, index) => {
    const link = room * linksOfRoom + index;
    const { node, host } = senderOf(link);
    const [transmitter, receiver] = [at.slice(0, 3), at.slice(3)].map((place) => place.join(', '));
    return `  - { id: link-${link + 1}, transmitter: [${transmitter}], receiver: [${receiver}], sender: "node-${node}@${host}" }`;
  });
  return [`id: ${name}`, 'size: { x: 5, y: 4, z: 2.6 }', 'links:', ...links, ''].join('\n');
}

const POSES = [
  '  poses: { type: infer-pose, from: windows }',
  '  people: { type: track-persons, from: poses }',
  '  falls: { type: detect-falls, from: [windows, people] }',
];
const DEMO = [
  ...POSES,
  '  activities: { type: detect-activity, from: people }',
  '  inactivity: { type: detect-inactivity, from: [people, motion] }',
  '  vitals: { type: estimate-vitals, from: windows }',
  '  zones: { type: watch-zones, from: [people, motion] }',
  '  links: { type: measure-links, from: [routers, windows] }',
];
interface ChainParts {
  /** As in the shipped topologies with poses. */
  readonly correctsGain: boolean;
  /** Behind `motion`. */
  readonly operators: readonly string[];
  /** What the store receives, and the WebSocket; null: there is none. */
  readonly stored: string;
  readonly live: string | null;
}

const CHAINS: Readonly<Record<Chain, ChainParts>> = {
  motion: { correctsGain: false, operators: [], stored: '[motion]', live: null },
  poses: {
    correctsGain: true,
    operators: POSES,
    stored: '[motion, people, falls]',
    live: '[people, falls]',
  },
  demo: {
    correctsGain: true,
    operators: DEMO,
    stored: '[motion, people, falls, activities, inactivity, vitals, zones, links]',
    live: '[people, falls, inactivity]',
  },
};

function topologyOf(
  id: string,
  rooms: readonly string[],
  port: number,
  { chain, hopMs = 200, threads = 0 }: SiteOptions,
): string {
  const { correctsGain, operators, stored, live } = CHAINS[chain];
  return [
    `id: ${id}`,
    `environments: [${rooms.map((room) => `${room}.yaml`).join(', ')}]`,
    'sources:',
    `  routers: { type: udp, host: 127.0.0.1, port: ${port} }`,
    'operators:',
    ...(correctsGain ? ['  gain: { type: normalize-gain, from: routers, method: steps }'] : []),
    `  clean: { type: denoise, from: ${correctsGain ? 'gain' : 'routers'} }`,
    '  phase: { type: phase-sanitize, from: clean }',
    `  windows: { type: window, from: phase, length_ms: 2000, hop_ms: ${hopMs}, points: 100 }`,
    '  motion: { type: detect-motion, from: windows }',
    ...operators,
    'sinks:',
    `  history: { type: duckdb, from: ${stored}, path: ${id}.duckdb }`,
    ...(live === null ? [] : [`  live: { type: websocket, from: ${live} }`]),
    ...(threads === 0 ? [] : [`settings: { threads: ${threads} }`]),
    '',
  ].join('\n');
}

const manyCalls = () =>
  Object.fromEntries(
    ['form_a', 'authentication', 'pose_data', 'configuration', 'health'].map((name) => [
      name,
      { requests: 1_000_000, seconds: 3_600 },
    ]),
  );

async function freeUdpPorts(count: number): Promise<readonly number[]> {
  const sockets = Array.from({ length: count }, () => createSocket('udp4').bind(0, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'listening')));
  return sockets.map((socket) => {
    const { port } = socket.address();
    socket.close();
    return port;
  });
}

async function freeTcpPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
