import { errorText } from '../../base/error-text.js';

/** Why a broker cannot be reached, or has rejected something: what, where, and how to fix it. */
export class BrokerError extends Error {
  /** The system's or Node's code (`ECONNREFUSED`), or `mqtt.<reason code>`. */
  readonly code: string;
  /** False if retrying is pointless until a person changes something. */
  readonly retriable: boolean;

  constructor(message: string, code: string, retriable: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'BrokerError';
    this.code = code;
    this.retriable = retriable;
  }
}

/** What went wrong while connecting to the broker at `url`, for people. */
export function connectError(error: unknown, url: string, user: string | undefined): BrokerError {
  const code = codeOf(error);
  const who = user === undefined ? 'a client without a name' : `the user \`${user}\``;
  const [why, retriable] =
    REFUSALS[code]?.(who) ?? NETWORK[code] ?? ([`its answer: ${errorText(error)}`, true] as const);
  return new BrokerError(`the MQTT broker at ${url} cannot be used: ${why}`, code, retriable, error);
}

/** What went wrong with one message. */
export function publishError(error: unknown, topic: string, user: string | undefined): BrokerError {
  const code = codeOf(error);
  if (!FINAL.has(code))
    return new BrokerError(
      `a message for \`${topic}\` was not delivered: ${errorText(error)}`,
      code,
      true,
      error,
    );
  const who = user === undefined ? 'clients without a name' : `the user \`${user}\``;
  const why =
    code === 'mqtt.135'
      ? `${who} may not publish there: allow it in the broker's access list`
      : `its answer: ${errorText(error)}`;
  return new BrokerError(`the MQTT broker rejects a message for \`${topic}\`: ${why}`, code, false, error);
}

type Reason = readonly [why: string, retriable: boolean];

const credentials = (who: string): Reason => [
  `it does not let ${who} in: check \`username\` and \`password\``,
  false,
];
const identifier: Reason = ['it rejects this `client_id`: set another one', false];
const version: Reason = ['it does not speak this version of MQTT: set `protocol` to the other one', false];
const tls: Reason = [
  'its certificate is signed by an authority that this machine does not know: set `ca` to the file of that authority',
  false,
];

/** By reason code of MQTT 5 (from 128 on) and return code of 3.1.1. */
const REFUSALS: Readonly<Record<string, (who: string) => Reason>> = {
  'mqtt.1': () => version,
  'mqtt.2': () => identifier,
  'mqtt.4': credentials,
  'mqtt.5': credentials,
  'mqtt.132': () => version,
  'mqtt.133': () => identifier,
  'mqtt.134': credentials,
  'mqtt.135': credentials,
  'mqtt.138': (who) => [`it has banned ${who}`, false],
};

/** Reason codes of messages that no retry can deliver. */
const FINAL = new Set(['mqtt.135', 'mqtt.144', 'mqtt.149', 'mqtt.153', 'mqtt.154', 'mqtt.155']);

const NETWORK: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: ['nothing listens there: is the broker running, is the port right?', true],
  ENOTFOUND: ['its name does not exist', true],
  EAI_AGAIN: ['its name cannot be resolved at the moment', true],
  EHOSTUNREACH: ['the address is unreachable', true],
  ENETUNREACH: ['the network is unreachable', true],
  ETIMEDOUT: ['it does not answer', true],
  ECONNRESET: ['it closed the connection; if it requires TLS, use `mqtts://`', true],
  EPROTO: ['the server there does not speak TLS: use `mqtt://`, or the port for TLS', false],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    'the server there does not speak TLS: use `mqtt://`, or the port for TLS',
    false,
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another name: use that name in `url`, or have one made for this name',
    false,
  ],
  CERT_HAS_EXPIRED: ['its certificate has expired: renew it', false],
  SELF_SIGNED_CERT_IN_CHAIN: tls,
  DEPTH_ZERO_SELF_SIGNED_CERT: tls,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: tls,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: tls,
  'mqtt.closed': ['it closed the connection without an answer; if it requires TLS, use `mqtts://`', true],
  'mqtt.142': ['another client uses the same `client_id`: give each client its own', true],
};

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'mqtt.unknown';
  if (error.message === 'connack timeout') return 'ETIMEDOUT';
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return `mqtt.${code}`;
  return typeof code === 'string' ? code : 'mqtt.unknown';
}
