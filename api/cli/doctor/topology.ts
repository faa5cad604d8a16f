import type { CheckedTopology } from '../../../pipeline/config/index.js';
import { DEFAULT_CLOCK_JUMP_MS } from '../../../pipeline/config/index.js';
import { systemClock } from '../../../pipeline/base/clock.js';
import { aborted } from '../../../pipeline/base/waiting.js';
import { USUAL_BUFFER_BYTES } from '../../../pipeline/sources/receive-buffer.js';
import { untilStopped } from '../until-stopped.js';
import { plausibleTime, readClocks, steadyTime } from './clock.js';
import { filesUsable, foldersOf, folderUsable, newestData, notInUse } from './folders.js';
import { datagrams, nodeVersion, openFiles, synchronised } from './machine.js';
import { operatorsLoad } from './operators.js';
import { portFree, portsOf, type WantedPort } from './ports.js';
import { sendersHeard } from './senders.js';
import type { Finding } from './finding.js';

export interface Examined {
  /** Undefined: the machine alone. */
  readonly topology?: CheckedTopology | undefined;
  /** Port of the service interface. */
  readonly api: WantedPort;
  /** How long to watch the clock, and to listen on UDP ports. */
  readonly seconds: number;
}

/** Examines this machine, and whether a topology can run on it. */
export async function examine({ topology, api, seconds }: Examined): Promise<readonly Finding[]> {
  const before = readClocks();
  const machine = [
    nodeVersion(),
    openFiles(),
    ...(await datagrams(bufferBytes(topology))),
    plausibleTime(systemClock.now(), topology && newestData(topology)),
    await synchronised(),
  ];
  const ports = [...(topology ? portsOf(topology.nodes, topology.folder) : []), api];
  const free: Finding[] = [];
  for (const port of ports) free.push(await portFree(port));
  const data = topology ? dataOf(topology) : [];
  const models = topology ? await operatorsLoad(topology) : [];
  const heard = await listening(topology, seconds);
  const limit = topology?.settings.clockJumpMs ?? DEFAULT_CLOCK_JUMP_MS;
  return [...machine, steadyTime(before, readClocks(), limit), ...free, ...data, ...models, ...heard];
}

/** The largest receive buffer that a source asks for; without one, the usual. */
function bufferBytes(topology: CheckedTopology | undefined): number {
  const asked = (topology?.nodes ?? [])
    .filter(({ component }) => component.name === 'udp')
    .map(({ config }) => Number(config['receive_buffer_bytes']));
  return asked.length > 0 ? Math.max(...asked) : USUAL_BUFFER_BYTES;
}

const dataOf = (topology: CheckedTopology): readonly Finding[] => [
  ...notInUse(topology),
  ...foldersOf(topology).flatMap((folder) => folderUsable(folder)),
  ...filesUsable(topology),
];

/** Listens for the whole time, also where nothing sends: a jump of the clock takes time to show. */
async function listening(
  topology: CheckedTopology | undefined,
  seconds: number,
): Promise<readonly Finding[]> {
  const stop = untilStopped(seconds);
  try {
    const heard = topology ? await sendersHeard(topology, stop.signal) : [];
    await aborted(stop.signal);
    return heard;
  } finally {
    stop.release();
  }
}
