import { errorText } from '../base/error-text.js';
import { ForeignGroupError } from './mark.js';
import { MissingTopicsError } from './topics.js';

/** What a failed request to Kafka means. */
export interface KafkaProblem {
  /** For a person: what is wrong, where, and how to mend it. */
  readonly text: string;
  /** No later try can succeed before somebody changes something. */
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

/** The error that the library has wrapped. */
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
  `the brokers at ${where} refuse the login: check \`sasl\` (mechanism, username, password)`;

const EXPLAINED: Readonly<Record<string, Explained>> = {
  ECONNREFUSED: passing((where) => `nothing listens at ${where}: start the broker, or set \`brokers\``),
  ENOTFOUND: passing((where) => `${where} has a name that nobody knows: check \`brokers\``),
  EAI_AGAIN: passing((where) => `the name of ${where} cannot be looked up now`),
  EHOSTUNREACH: passing((where) => `there is no way to ${where}: check the network`),
  ETIMEDOUT: passing(
    (where) =>
      `${where} does not answer: check that it is a broker, and that \`tls\` is as its listener has it`,
  ),
  KafkaJSNoBrokerAvailableError: passing(
    (where) => `no broker of ${where} answers now: start one, or set \`brokers\``,
  ),
  KafkaJSConnectionClosedError: passing(
    (where) =>
      `${where} has closed the connection: check that \`tls\` and \`sasl\` are as its listener has it`,
  ),
  TLS: passing(
    (where) => `TLS with ${where} fails: check \`tls\` (ca, server_name), and that its listener speaks TLS`,
  ),
  KafkaJSSASLAuthenticationError: lasting(LOGIN),
  SASL_AUTHENTICATION_FAILED: lasting(LOGIN),
  ILLEGAL_SASL_STATE: lasting(
    (where) => `the listener at ${where} asks for no login, or for another: check \`sasl\``,
  ),
  UNSUPPORTED_SASL_MECHANISM: lasting(
    (where) => `the brokers at ${where} do not know this mechanism: check \`sasl.mechanism\``,
  ),
  TOPIC_AUTHORIZATION_FAILED: lasting(
    (where) => `the brokers at ${where} do not let this user use the topic: grant it, or log in as another`,
  ),
  GROUP_AUTHORIZATION_FAILED: lasting(
    (where) => `the brokers at ${where} do not let this user use the group: grant it, or set \`group\``,
  ),
  CLUSTER_AUTHORIZATION_FAILED: lasting(
    (where) => `the brokers at ${where} do not let this user write idempotently: grant IdempotentWrite`,
  ),
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: lasting(
    (where) => `the brokers at ${where} do not let this user use the transactional id: grant it`,
  ),
  UNKNOWN_TOPIC_OR_PARTITION: lasting(() => 'there is no such topic: create it first'),
  INCONSISTENT_GROUP_PROTOCOL: lasting(
    () => 'the group has members of another topology, or of another program: set a `group` of its own',
  ),
  FENCED_INSTANCE_ID: lasting(
    () =>
      "another process has taken this one's place in the group: both have the same state folder, or a copy of it; give each its own",
  ),
  INVALID_PRODUCER_EPOCH: passing(() => 'another csiflow writes with the same transactional id'),
  PRODUCER_FENCED: passing(() => 'another csiflow writes with the same transactional id'),
};
