import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { IClientOptions } from 'mqtt';
import { Type, type Static, type TObject } from 'typebox';
import { urlFault } from '../../base/host.js';
import {
  authorityFile,
  choice,
  hostComplaints,
  inputFile,
  type Complaint,
  required,
} from '../../component/index.js';

/** How a broker is reached: the same fields for the source and the sink. */
export const brokerFields = {
  url: required(
    Type.String({
      // No user information: an address is shown in logs and on status pages.
      pattern: '^(mqtts?|wss?)://[^\\s/@?#]+(/[^\\s@?#]*)?$',
      'x-expected': 'must be an address such as mqtts://broker.example:8883, without user, password, ? and #',
      maxLength: 2048,
      description:
        'Address of the broker: `mqtt://host:1883`, with TLS `mqtts://host:8883`, over WebSocket `ws://` or `wss://`. User and password have separate fields.',
    }),
  ),
  username: Type.Optional(Type.String({ minLength: 1, maxLength: 65_535, description: 'Name of the user.' })),
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 65_535,
      description: 'Password of the user: write `${secret:name}`, not the password itself.',
    }),
  ),
  ca: authorityFile('broker'),
  cert: Type.Optional(
    inputFile({
      description: "PEM file of this client's own certificate, if the broker requires one.",
    }),
  ),
  key: Type.Optional(inputFile({ description: 'PEM file of the key of `cert`.' })),
  client_id: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_.-]{1,128}$',
      'x-expected': 'must be 1 to 128 letters, digits and _ . -',
      description:
        'Name of the session at the broker. Default: `csiflow-<topology>-<node>`. Two clients with the same name disconnect each other.',
    }),
  ),
  protocol: choice(
    {
      '5': 'MQTT 5: the broker gives reasons for rejections.',
      '3.1.1': 'For older brokers: a message that may not be published is lost without a word.',
    },
    { default: '5', description: 'Version of MQTT.' },
  ),
  keepalive_ms: Type.Integer({
    minimum: 1000,
    maximum: 3_600_000,
    default: 15_000,
    description: 'Silence after which csiflow pings the broker, in whole seconds.',
  }),
  timeout_ms: Type.Integer({
    minimum: 100,
    maximum: 600_000,
    default: 10_000,
    description: 'Time limit for an answer of the broker before the connection is closed.',
  }),
  reconnect_ms: Type.Integer({
    minimum: 10,
    maximum: 3_600_000,
    default: 30_000,
    description: 'Longest wait between two tries to connect; the first ones are shorter.',
  }),
};

export type BrokerSettings = Static<TObject<typeof brokerFields>>;

/** Rules between the fields. */
export function checkBroker({
  url,
  username,
  password,
  ca,
  cert,
  key,
}: BrokerSettings): readonly Complaint[] {
  const complaints: Complaint[] = [...hostComplaints(['url'], urlFault(url))];
  const complain = (field: string, message: string, severity: Complaint['severity'] = 'error') =>
    complaints.push({ path: [field], message, severity });
  if (password !== undefined && username === undefined) complain('password', 'a password needs a `username`');
  if ((cert === undefined) !== (key === undefined))
    complain(cert === undefined ? 'key' : 'cert', '`cert` and `key` belong together: set both or neither');
  if (!isEncrypted(url) && (ca !== undefined || cert !== undefined))
    complain('url', '`ca` and `cert` are for TLS: write `mqtts://` or `wss://`');
  if (!isEncrypted(url) && password !== undefined && !isLoopback(url))
    complain('url', 'the password goes over the network as plain text: use `mqtts://`', 'warning');
  return complaints;
}

/** Options of the client, files read. @throws Error naming the file that cannot be read. */
export async function clientOptions(settings: BrokerSettings, folder: string): Promise<IClientOptions> {
  const [ca, cert, key] = await Promise.all(
    (['ca', 'cert', 'key'] as const).map((field) => readPem(field, settings[field], folder)),
  );
  return {
    protocolVersion: settings.protocol === '5' ? 5 : 4,
    keepalive: Math.ceil(settings.keepalive_ms / 1000),
    connectTimeout: settings.timeout_ms,
    // A connection is used once: the caller resends what was in flight when it broke.
    reconnectPeriod: 0,
    queueQoSZero: false,
    ...(settings.username !== undefined && { username: settings.username }),
    ...(settings.password !== undefined && { password: settings.password }),
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
  };
}

async function readPem(field: string, path: string | undefined, folder: string): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  const file = resolve(folder, path);
  try {
    return await readFile(file);
  } catch (error) {
    throw new Error(
      `\`${field}\`: the file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      { cause: error },
    );
  }
}

const isEncrypted = (url: string): boolean => url.startsWith('mqtts:') || url.startsWith('wss:');
const isLoopback = (url: string): boolean => /:\/\/(localhost|127\.[\d.]+|\[::1\])(:\d+)?(\/|$)/.test(url);
