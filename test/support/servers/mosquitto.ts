import { execFile } from 'node:child_process';
import { appendFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts, Server, serverFolder } from './server.js';

const run = promisify(execFile);

/** A real broker with passwords, an access list and TLS by its own authority. */
export interface Mosquitto {
  readonly server: Server;
  /** Without and with TLS, and over WebSocket. */
  readonly url: string;
  readonly tlsUrl: string;
  readonly webSocketUrl: string;
  /** PEM file of the authority that signed its certificate. */
  readonly ca: string;
  /** Password of every user of {@link USERS}. */
  readonly password: string;
  /** Changes a user's password; the broker applies it at its next start. */
  changePassword(user: User, password: string): Promise<void>;
}

/** Users and their rights: lines of the access list. */
const USERS = {
  csiflow: ['topic readwrite csiflow/#', 'topic readwrite homeassistant/#', 'topic readwrite csi/#'],
  /** May not raise alerts. */
  quiet: [
    'topic write csiflow/+/pose/#',
    'topic write csiflow/+/analytics/#',
    'topic write csiflow/+/status/#',
  ],
  reader: ['topic read #'],
} as const;

type User = keyof typeof USERS;

const PASSWORD = 'only-for-tests-4711';

/**
 * Starts a broker.
 * @param durable confirmed messages survive its SIGKILL; it then writes its whole state at every change
 */
export async function startMosquitto({ durable = true } = {}): Promise<Mosquitto> {
  const folder = await serverFolder('mosquitto');
  const [plain, tls, web] = (await freePorts(3)) as [number, number, number];
  await makeCertificates(folder);
  const passwords = join(folder, 'passwords');
  await writeFile(passwords, '');
  const changePassword = async (user: User, password: string): Promise<void> => {
    await run('mosquitto_passwd', ['-b', passwords, user, password]);
  };
  for (const user of Object.keys(USERS) as User[]) await changePassword(user, PASSWORD);
  await writeFile(
    join(folder, 'access'),
    Object.entries(USERS)
      .map(([user, lines]) => [`user ${user}`, ...lines, ''].join('\n'))
      .join('\n'),
  );
  await writeFile(join(folder, 'mosquitto.conf'), configuration(folder, plain, tls, web, durable));
  const server = new Server({
    name: 'mosquitto',
    folder,
    ports: [plain, tls, web],
    command: ['mosquitto', '-c', join(folder, 'mosquitto.conf')],
  });
  await server.start();
  return {
    server,
    url: `mqtt://127.0.0.1:${plain}`,
    tlsUrl: `mqtts://localhost:${tls}`,
    webSocketUrl: `ws://127.0.0.1:${web}`,
    ca: join(folder, 'ca.crt'),
    password: PASSWORD,
    changePassword,
  };
}

const configuration = (folder: string, plain: number, tls: number, web: number, durable: boolean): string =>
  [
    `user ${userInfo().username}`,
    'per_listener_settings false',
    'allow_anonymous false',
    `password_file ${join(folder, 'passwords')}`,
    `acl_file ${join(folder, 'access')}`,
    'persistence true',
    `persistence_location ${folder}/`,
    // Saved at every change: a confirmed message is on disk.
    `autosave_on_changes ${durable}`,
    `autosave_interval ${durable ? 1 : 1800}`,
    'max_queued_messages 0',
    'log_dest stderr',
    'log_type error',
    `listener ${plain} 127.0.0.1`,
    `listener ${tls} 127.0.0.1`,
    `cafile ${join(folder, 'ca.crt')}`,
    `certfile ${join(folder, 'server.crt')}`,
    `keyfile ${join(folder, 'server.key')}`,
    `listener ${web} 127.0.0.1`,
    'protocol websockets',
    '',
  ].join('\n');

/** Creates an authority, and a certificate by it for the name `localhost`. */
async function makeCertificates(folder: string): Promise<void> {
  const openssl = (...words: string[]) => run('openssl', words, { cwd: folder });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await openssl(
    'req',
    '-x509',
    ...key,
    '-days',
    '2',
    '-subj',
    '/CN=csiflow-test-ca',
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
  );
  await openssl('req', ...key, '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr');
  await appendFile(join(folder, 'names'), 'subjectAltName=DNS:localhost\n');
  const sign = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  await openssl('x509', '-req', '-in', 'server.csr', ...sign, '-out', 'server.crt');
}
