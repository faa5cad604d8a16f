import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, Server, serverFolder, servicesFolder } from './server.js';

const jar = join(servicesFolder, 'questdb-9.3.4', 'questdb-9.3.4.jar');

/** QuestDB with its HTTP server alone, installed by `.ci/services.sh questdb`. It needs Java 17. */
export interface QuestDb {
  readonly server: Server;
  readonly url: string;
  /** Rows of a query. @throws Error with its answer to a wrong one */
  readonly rows: (sql: string) => Promise<readonly (readonly unknown[])[]>;
}

export async function startQuestDb(): Promise<QuestDb> {
  if (!existsSync(jar)) throw new Error(`there is no ${jar}: run .ci/services.sh questdb`);
  const folder = await serverFolder('questdb');
  const [port] = await freePorts(1);
  const server = await new Server({
    name: 'QuestDB',
    folder,
    ports: [port!],
    command: ['java', '-jar', jar, '-d', folder, '-n'],
    env: {
      QDB_HTTP_NET_BIND_TO: `127.0.0.1:${port}`,
      QDB_HTTP_MIN_ENABLED: 'false',
      QDB_LINE_TCP_ENABLED: 'false',
      QDB_PG_ENABLED: 'false',
      QDB_TELEMETRY_ENABLED: 'false',
      QDB_SHARED_WORKER_COUNT: '2',
    },
  }).start();
  const url = `http://127.0.0.1:${port}`;
  const rows = async (sql: string) => {
    const response = await fetch(`${url}/exec?query=${encodeURIComponent(sql)}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${sql}: ${text}`);
    return (JSON.parse(text) as { readonly dataset?: readonly (readonly unknown[])[] }).dataset ?? [];
  };
  return { server, url, rows };
}
