import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, Server, serverFolder, servicesFolder } from './server.js';

const program = join(servicesFolder, 'nats-2.15.1', 'nats-server');

/** NATS with JetStream, installed by `.ci/services.sh nats`. @param options of the command line */
export async function startNats(
  ...options: readonly string[]
): Promise<{ readonly server: Server; readonly address: string }> {
  if (!existsSync(program)) throw new Error(`there is no ${program}: run .ci/services.sh nats`);
  const folder = await serverFolder('nats');
  const [port] = await freePorts(1);
  const server = await new Server({
    name: 'NATS',
    folder,
    ports: [port!],
    command: [program, '-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port), ...options],
  }).start();
  return { server, address: `127.0.0.1:${port}` };
}
