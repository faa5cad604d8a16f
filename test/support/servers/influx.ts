import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts, Server, serverFolder } from './server.js';

/** Passwords of the users that {@link startInflux} creates. */
export const INFLUX_USERS = {
  admin: 'admin-pw',
  writer: 'writer-pw',
  reader: 'reader-pw',
} as const;

export interface InfluxServer {
  readonly server: Server;
  readonly url: string;
  /** Runs statements as the administrator. */
  readonly execute: (statements: string) => Promise<unknown>;
}

/**
 * InfluxDB 1 with authentication: `admin` has all rights; `writer` has all rights in the database `csi`,
 * `reader` reads it.
 *
 * @param dataFolder for data and log; default: within the server's temporary folder
 */
export async function startInflux(dataFolder?: string): Promise<InfluxServer> {
  const folder = await serverFolder('influx');
  const data = dataFolder ?? folder;
  const [port, backup] = await freePorts(2);
  const file = join(folder, 'influxdb.conf');
  await writeFile(
    file,
    `reporting-disabled = true
bind-address = "127.0.0.1:${backup}"
[meta]
  dir = "${folder}/meta"
  logging-enabled = false
[data]
  dir = "${data}/data"
  wal-dir = "${data}/wal"
  index-version = "tsi1"
  query-log-enabled = false
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  auth-enabled = true
  log-enabled = false
[logging]
  level = "warn"
`,
  );
  const server = await new Server({
    name: 'InfluxDB',
    folder,
    ports: [port!],
    command: ['influxd', 'run', '-config', file],
  }).start();
  const url = `http://127.0.0.1:${port}`;
  const execute = async (statements: string) => {
    const { admin } = INFLUX_USERS;
    const response = await fetch(`${url}/query?u=admin&p=${admin}&q=${encodeURIComponent(statements)}`, {
      method: 'POST',
    });
    const answer = (await response.json()) as { readonly results?: readonly { readonly error?: string }[] };
    const error = answer.results?.find((result) => result.error)?.error;
    if (!response.ok || error) throw new Error(`${statements}: ${JSON.stringify(answer)}`);
    return answer;
  };
  await execute(`CREATE USER admin WITH PASSWORD '${INFLUX_USERS.admin}' WITH ALL PRIVILEGES`);
  await execute(
    `CREATE DATABASE csi; CREATE USER writer WITH PASSWORD '${INFLUX_USERS.writer}'; GRANT ALL ON csi TO writer; ` +
      `CREATE USER reader WITH PASSWORD '${INFLUX_USERS.reader}'; GRANT READ ON csi TO reader`,
  );
  return { server, url, execute };
}
