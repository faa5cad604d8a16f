import { execFile } from 'node:child_process';
import { chmod, chown, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePorts, Server, serverFolder } from './server.js';

/** Where Debian's package installs it; other systems have it in the path. */
const DEBIAN = '/usr/lib/postgresql/15/bin';

export interface PostgresServer {
  readonly port: number;
  /** Has all rights. */
  readonly superuser: { readonly username: string; readonly password: string };
  /** Runs statements as the superuser; rows of the last. */
  readonly execute: (statements: string, database?: string) => Promise<readonly Record<string, unknown>[]>;
  /** Ends it at once, without writing what is in memory; it recovers from its log at the next start. */
  readonly crash: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** PostgreSQL with passwords (scram-sha-256). It refuses to run as root: then it runs as `postgres`. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = await serverFolder('postgres');
  const data = join(folder, 'data');
  const [port] = await freePorts(1);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await give(folder, 'postgres');
  const user = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  const path = `${DEBIAN}:${process.env['PATH'] ?? ''}`;
  const run = (...command: readonly string[]) => {
    const [program, ...rest] = [...user, ...command];
    return promisify(execFile)(program!, rest, { cwd: folder, env: { ...process.env, PATH: path } });
  };
  const superuser = { username: 'admin', password: 'admin-pw' };
  await run('sh', '-c', `echo ${superuser.password} > password`);
  await run('initdb', '-D', data, '-A', 'scram-sha-256', '-U', 'admin', '--pwfile=password', '--no-sync');
  // Processes are killed here, not the machine: the page cache survives, and recovery need not sync every file.
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'fsync=off',
  ];
  const server = await new Server({
    name: 'PostgreSQL',
    folder,
    ports: [port!],
    env: { PATH: path },
    command: [...user, 'postgres', '-D', data, ...settings.flatMap((setting) => ['-c', setting])],
  }).start();
  const execute = async (statements: string, database = 'postgres') => {
    const { username, password } = superuser;
    const client = new pg.Client({ host: '127.0.0.1', port: port!, user: username, password, database });
    await client.connect();
    try {
      const answers = [await client.query(statements)].flat();
      return answers.at(-1)!.rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  /** The port accepts connections before its log is recovered. */
  const ready = async (): Promise<void> => {
    for (let tries = 0; ; tries++)
      try {
        await execute('SELECT 1');
        return;
      } catch (error) {
        if (tries > 600) throw error;
        await delay(50);
      }
  };
  await ready();
  const end = (mode: string) => run('pg_ctl', 'stop', '-D', data, '-m', mode, '-w');
  return {
    port: port!,
    superuser,
    execute,
    crash: async () => {
      await end('immediate');
    },
    restart: async () => {
      await server.start();
      await ready();
    },
    stop: async () => {
      await end('immediate').catch(() => undefined);
      await server.stop();
    },
  };
}

async function give(folder: string, user: string): Promise<void> {
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((one) => one.startsWith(`${user}:`));
  if (line === undefined) throw new Error(`there is no user ${user}: run .ci/services.sh apt`);
  const [, , uid, gid] = line.split(':');
  await chown(folder, Number(uid), Number(gid));
  await chmod(folder, 0o755);
}
