import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../../pipeline/base/paths.js';
import { freePorts, Server, serverFolder, servicesFolder } from './server.js';

const python = join(servicesFolder, 'datafusion-55.0.0', 'venv', 'bin', 'python');

export interface Influx3Server {
  readonly server: Server;
  readonly url: string;
  readonly token: string;
}

/**
 * The paths of InfluxDB 3 over its SQL engine, Apache DataFusion, installed by `.ci/services.sh datafusion`: no
 * package registry has the server itself.
 */
export async function startInflux3(): Promise<Influx3Server> {
  if (!existsSync(python)) throw new Error(`there is no ${python}: run .ci/services.sh datafusion`);
  const folder = await serverFolder('influx3');
  const [port] = await freePorts(1);
  const token = 'test-token';
  const server = await new Server({
    name: 'InfluxDB 3',
    folder,
    ports: [port!],
    command: [python, packageFile('test/services/children/influxdb3.py'), String(port), token],
  }).start();
  return { server, url: `http://127.0.0.1:${port}`, token };
}
