import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6 } from 'node:net';
import type { CheckedNode } from '../../../pipeline/config/index.js';
import { bindFault } from '../../../pipeline/sources/bind-error.js';
import { ok, wrong, type Finding } from './finding.js';

/** A port to be opened, and who opens it. */
export interface WantedPort {
  readonly protocol: 'UDP' | 'TCP';
  readonly host: string;
  readonly port: number;
  /** `the source routers`. */
  readonly owner: string;
}

/** The ports that nodes claim (`UDP port 5005`). */
export const portsOf = (nodes: readonly CheckedNode[], folder: string): readonly WantedPort[] =>
  nodes.flatMap(({ id, component, config }) =>
    (component.claims?.(config as never, folder) ?? []).flatMap(({ what }) => {
      const [, protocol, port] = /^(UDP|TCP) port (\d+)$/.exec(what) ?? [];
      if (protocol === undefined) return [];
      const host = typeof config['host'] === 'string' ? config['host'] : '0.0.0.0';
      const owner = `the ${component.kind} ${id}`;
      return [{ protocol: protocol as WantedPort['protocol'], host, port: Number(port), owner }];
    }),
  );

/** Opens a port for a moment. */
export async function portFree(wanted: WantedPort): Promise<Finding> {
  const { protocol, host, port, owner } = wanted;
  const name = `${protocol} port ${port} of ${host}`;
  try {
    await (protocol === 'UDP' ? openUdp(host, port) : openTcp(host, port));
    return ok('port', `${name} is free for ${owner}`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const options = protocol === 'UDP' ? '-ulpn' : '-tlpn';
    const { why, fix } = bindFault(error as NodeJS.ErrnoException, { options, port });
    return wrong(
      'port',
      'failed',
      `${name} cannot be opened for ${owner}: ${why}`,
      fix === '' ? 'set another `host` or `port`' : `${fix}${IF_CSIFLOW[String(error.code)] ?? ''}`,
    );
  }
}

const IF_CSIFLOW: Readonly<Record<string, string>> = {
  EADDRINUSE: '; if it is the csiflow that you ask about, check it with --url',
};

async function openUdp(host: string, port: number): Promise<void> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  try {
    socket.bind({ address: host, port });
    await once(socket, 'listening');
  } finally {
    socket.close();
  }
}

async function openTcp(host: string, port: number): Promise<void> {
  const server = createServer();
  server.listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
