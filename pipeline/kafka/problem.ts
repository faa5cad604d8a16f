import { errorText } from '../base/error-text.js';
import { ForeignGroupError } from './mark.js';
import { MissingTopicsError } from './topics.js';

/** What a failed request to Kafka means. */
export interface KafkaProblem {
  /** For people: what is wrong, where, and how to fix it. */
  readonly text: string;
  /** No retry can succeed until something is changed. */
  readonly final: boolean;
  /** Kafka's name of the error, or the system's; bounded in number. */
  readonly type: string;
}

/** Explains an error of kafkajs. `brokers` are those of the configuration. */
export function explain(error: unknown, brokers: readonly string[]): KafkaProblem {
  const root = causeOf(error);
  const type = typeOf(root);
  if (root instanceof MissingTopicsError || root instanceof ForeignGroupError)
    return { text: root.message, final: true, type };
  const known = EXPLAINED[type];
  const where = root instanceof Error && 'broker' in root ? String(root.broker) : brokers.join(', ');
  if (known) return { text: `${known.text(where)} (${type})`, final: known.final, type };
  const message = errorText(root);
  return { text: message, final: false, type };
}

/** The error inside the library's wrapper. */
function causeOf(error: unknown): unknown {
  let found = error;
  for (let depth = 0; depth < 8; depth++) {
    if (!(found instanceof Error) || !('cause' in found) || !(found.cause instanceof Error)) break;
    found = found.cause;
  }
  return found;
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('type' in error && typeof error.type === 'string') return error.type;
  if (error.name === 'KafkaJSConnectionError' && /SSL|TLS|certificate/i.test(error.message)) return 'TLS';
  if (error.name === 'KafkaJSConnectionError' && /timeout/i.test(error.message)) return 'ETIMEDOUT';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name;
}

interface Explained {
  readonly text: (where: string) => string;
  readonly final: boolean;
}

const passing = (text: (where: string) => string): Explained => ({ text, final: false });
const lasting = (text: (where: string) => string): Explained => ({ text, final: true });

const LOGIN = (where: string) =>
  `the brokers at ${where} reject the login: check \`sasl\` (mechanism, username, password)`;

const EXPLAINED: Readonly<Record<string, Explained>> = {
  ECONNREFUSED: passing((where) => `nothing listens at ${where}: start the broker, or set \`brokers\``),
  ENOTFOUND: passing((where) => `the name of ${where} cannot be resolved: check \`brokers\``),
  EAI_AGAIN: passing((where) => `the name of ${where} cannot be resolved at the moment`),
  EHOSTUNREACH: passing((where) => `${where} is unreachable: check the network`),
  ETIMEDOUT: passing(
    (where) => `${where} does not answer: check that it is a broker, and that \`tls\` matches its listener`,
  ),
  KafkaJSNoBrokerAvailableError: passing(
    (where) => `no broker of ${where} answers: start one, or set \`brokers\``,
  ),
  KafkaJSConnectionClosedError: passing(
    (where) => `${where} closed the connection: check that \`tls\` and \`sasl\` match its listener`,
  ),
  TLS: passing(
    (where) => `TLS with ${where} fails: check \`tls\` (ca, server_name), and that its listener speaks TLS`,
  ),
  KafkaJSSASLAuthenticationError: lasting(LOGIN),
  SASL_AUTHENTICATION_FAILED: lasting(LOGIN),
  ILLEGAL_SASL_STATE: lasting(
    (where) => `the listener at ${where} requires no login, or a different one: check \`sasl\``,
  ),
  UNSUPPORTED_SASL_MECHANISM: lasting(
    (where) => `the brokers at ${where} do not support this mechanism: check \`sasl.mechanism\``,
  ),
  TOPIC_AUTHORIZATION_FAILED: lasting(
    (where) =>
      `the brokers at ${where} do not authorise this user for the topic: grant it, or log in as another user`,
  ),
  GROUP_AUTHORIZATION_FAILED: lasting(
    (where) => `the brokers at ${where} do not authorise this user for the group: grant it, or set \`group\``,
  ),
  CLUSTER_AUTHORIZATION_FAILED: lasting(
    (where) =>
      `the brokers at ${where} do not authorise this user to write idempotently: grant IdempotentWrite`,
  ),
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: lasting(
    (where) => `the brokers at ${where} do not authorise this user for the transactional id: grant it`,
  ),
  UNKNOWN_TOPIC_OR_PARTITION: lasting(() => 'the topic does not exist: create it first'),
  INCONSISTENT_GROUP_PROTOCOL: lasting(
    () => 'the group has members of another topology or program: set a separate `group`',
  ),
  FENCED_INSTANCE_ID: lasting(
    () =>
      "another process has taken this one's place in the group: both have the same state folder, or a copy of it; give each process its own",
  ),
  INVALID_PRODUCER_EPOCH: passing(() => 'another csiflow writes with the same transactional id'),
  PRODUCER_FENCED: passing(() => 'another csiflow writes with the same transactional id'),
};
