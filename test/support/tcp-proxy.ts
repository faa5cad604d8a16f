import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A connection to a server that a test can break. */
export interface TcpProxy {
  readonly port: number;
  /** Breaks all connections; rejects later ones until `mend`. */
  cut(): void;
  mend(): void;
  /** Blocks all data; connections stay open, and new ones are accepted. Until `mend`. */
  stall(): void;
  /** Delays each piece by this time, milliseconds, in either direction. Until `mend`. */
  slow(milliseconds: number): void;
  /** Passes this many bytes of a client's next piece, then breaks its connection. Once. */
  tear(bytes: number): void;
  close(): Promise<void>;
}

/** Forwards connections from a free port on loopback. */
export async function startProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let whole = true;
  let stalled = false;
  let delay = 0;
  let torn: number | null = null;
  const waiting: (() => void)[] = [];
  const pass = (chunk: Buffer, from: Socket, to: Socket, fromClient: boolean): void => {
    if (fromClient && torn !== null) {
      to.write(chunk.subarray(0, torn), () => from.destroy());
      torn = null;
    } else if (stalled) waiting.push(() => to.write(chunk));
    else if (delay > 0) setTimeout(() => to.write(chunk), delay);
    else to.write(chunk);
  };
  const keep = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    // Only its end matters here, not the reason.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((client) => {
    if (!whole) {
      client.destroy();
      return;
    }
    const upstream = connect({ port: target, host: '127.0.0.1' });
    keep(client, upstream);
    keep(upstream, client);
    client.on('data', (chunk: Buffer) => {
      pass(chunk, client, upstream, true);
    });
    upstream.on('data', (chunk: Buffer) => {
      pass(chunk, upstream, client, false);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    whole = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend: () => {
      whole = true;
      stalled = false;
      delay = 0;
      for (const write of waiting.splice(0)) write();
    },
    stall: () => {
      stalled = true;
    },
    slow: (milliseconds) => {
      delay = milliseconds;
    },
    tear: (bytes) => {
      torn = bytes;
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
