import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Aedes } from 'aedes';

/** A broker in this process. It only speaks MQTT 3.1.1. */
export async function startBroker(): Promise<{ broker: Aedes; port: number; close: () => Promise<void> }> {
  const broker = await Aedes.createBroker();
  const server = createServer((socket) => {
    broker.handle(socket);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    await new Promise<void>((resolve) => {
      broker.close(resolve);
    });
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { broker, port: (server.address() as AddressInfo).port, close };
}
