import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import type { Kafka, KafkaConfig, logCreator, RetryOptions, SASLOptions } from 'kafkajs';
import type { Context, Logger } from '../component/index.js';
import { registerCodecs } from './codecs.js';
import type { ConnectionSettings } from './connection.js';
import { loadKafka } from './library.js';
import { errorText } from '../base/error-text.js';

/** What a client uses of a node's context. */
export type ClientContext = Pick<Context, 'topology' | 'node' | 'folder' | 'log'>;

/**
 * The library retries failed requests quickly at first and gives up after some seconds, so that callers can
 * report the failure and retry themselves.
 */
export const RETRY: RetryOptions = { initialRetryTime: 50, maxRetryTime: 1000, retries: 8 };

/**
 * For producers of transactions: two in a row meet CONCURRENT_TRANSACTIONS for some milliseconds, and the
 * default pause of 300 ms would make each one slow.
 */
export const TRANSACTION_RETRY: RetryOptions = { ...RETRY, initialRetryTime: 5, retries: 10 };

/**
 * A client of kafkajs; nothing is connected yet. Loads the library here, with all codecs of Kafka.
 * @throws Error if a file of `tls` cannot be read
 */
export async function createClient(
  settings: ConnectionSettings,
  context: ClientContext,
  retry: RetryOptions = RETRY,
): Promise<Kafka> {
  const kafkajs = await loadKafka();
  await registerCodecs();
  const { brokers, sasl, tls } = settings;
  const config: KafkaConfig = {
    clientId: `csiflow/${context.topology}/${context.node}`,
    brokers,
    connectionTimeout: 3_000,
    authenticationTimeout: 10_000,
    requestTimeout: 20_000,
    retry,
    logLevel: kafkajs.logLevel.WARN,
    logCreator: logTo(context.log),
    ...(tls && { ssl: await tlsOptions(tls, context.folder) }),
    ...(sasl && { sasl: sasl as SASLOptions }),
  };
  return new kafkajs.Kafka(config);
}

/** The library's own messages about retries are for debugging: the node itself reports lasting problems. */
const logTo =
  (log: Logger): logCreator =>
  () =>
  ({ namespace, label, log: { message, broker, topic, partition, groupId, error } }) => {
    log.debug(`kafkajs ${namespace}: ${message}`, { label, broker, topic, partition, groupId, error });
  };

async function tlsOptions(
  { ca, certificate, key, server_name }: NonNullable<ConnectionSettings['tls']>,
  folder: string,
): Promise<ConnectionOptions> {
  return {
    ...(ca !== undefined && { ca: await pem(ca, folder, 'ca') }),
    ...(certificate !== undefined && { cert: await pem(certificate, folder, 'certificate') }),
    ...(key !== undefined && { key: await pem(key, folder, 'key') }),
    ...(server_name !== undefined && { servername: server_name }),
  };
}

async function pem(path: string, folder: string, field: string): Promise<Buffer> {
  try {
    return await readFile(resolve(folder, path));
  } catch (error) {
    const why = errorText(error);
    throw new Error(`tls.${field}: ${why}`, { cause: error });
  }
}
