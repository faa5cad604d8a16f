import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Clock } from '../../pipeline/component/index.js';
import type { Domain, SensedEvent } from '../../pipeline/model/index.js';
import { alertBody } from '../shared/alert.js';
import { cloudAttributes, HTTP, inMode, type CloudEventsMode } from '../shared/cloud-event.js';
import { finiteJson } from '../shared/json.js';
import { checkLiteral, publicLookup } from './address.js';
import { post, type Reply } from './post.js';
import { signature } from './signature.js';

export interface EndpointSettings {
  readonly url: string;
  readonly secret: string;
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly maxInFlight: number;
  readonly ca: Buffer | undefined;
  readonly version: string;
  readonly domain: Domain | undefined;
  readonly cloudevents: CloudEventsMode;
  readonly topology: string;
}

/** Outcome of one event. */
export type Outcome =
  | { readonly kind: 'delivered' }
  /** The event will never be accepted. */
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string }
  /** The receiver rejects this event for now, but may accept others. */
  | { readonly kind: 'later'; readonly code: string; readonly reason: string }
  /** The receiver accepts nothing at the moment. */
  | { readonly kind: 'away'; readonly code: string; readonly reason: string; readonly retryAfterMs: number };

/** Where alerts are sent, one POST each. Its path is not shown: many services have a key in it. */
export class Endpoint {
  readonly #settings: EndpointSettings;
  readonly #clock: Clock;
  readonly #url: URL;
  readonly #agent: HttpAgent;

  /** @throws AddressError if the URL contains an address that must not be reached */
  constructor(settings: EndpointSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#url = new URL(settings.url);
    if (!settings.allowPrivate) checkLiteral(this.#url.hostname);
    const options = { keepAlive: true, maxSockets: settings.maxInFlight };
    this.#agent =
      this.#url.protocol === 'https:'
        ? new HttpsAgent({ ...options, ...(settings.ca && { ca: settings.ca }) })
        : new HttpAgent(options);
  }

  /** Scheme, host and port. */
  get origin(): string {
    return this.#url.origin;
  }

  async send(event: SensedEvent): Promise<Outcome> {
    let message: ReturnType<typeof inMode>;
    try {
      message = this.#messageOf(event);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { kind: 'refused', code: 'webhook.value.invalid', reason: error.message };
    }
    const { allowPrivate, timeoutMs } = this.#settings;
    try {
      const reply = await post({
        url: this.#url,
        agent: this.#agent,
        lookup: allowPrivate ? undefined : publicLookup,
        headers: { ...this.#headers(event, message.body), ...message.headers },
        body: message.body,
        timeoutMs,
      });
      return this.#outcome(reply);
    } catch (error) {
      return this.#unreachable(error as NodeJS.ErrnoException);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #messageOf(event: SensedEvent): ReturnType<typeof inMode> {
    const { cloudevents, domain, topology } = this.#settings;
    const body = finiteJson(alertBody(event, domain));
    return inMode(cloudevents, HTTP, () => cloudAttributes(event, 'alert', event.id, topology), body);
  }

  #headers(event: SensedEvent, body: string): Record<string, string> {
    const timestamp = Math.floor(this.#clock.now() / 1e6);
    return {
      'content-type': 'application/json',
      'user-agent': `csiflow/${this.#settings.version}`,
      'idempotency-key': headerText(event.id),
      'csiflow-event-type': event.type,
      'csiflow-timestamp': String(timestamp),
      'csiflow-signature': signature(this.#settings.secret, timestamp, body),
    };
  }

  #outcome({ status, headers, text }: Reply): Outcome {
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    const answer = `${this.origin} answers ${status}`;
    const said = excerpt(text);
    if (status >= 300 && status < 400)
      return {
        kind: 'refused',
        code: 'webhook.redirect',
        reason: `${answer}, a redirect, which is not followed: set \`url\` to where the receiver is now`,
      };
    const code = `webhook.${status}`;
    const retryAfterMs = retryAfter(headers['retry-after'], this.#clock.now() / 1000);
    const away = AWAY[status] ?? (retryAfterMs > 0 ? 'it asked to be called later' : undefined);
    if (away !== undefined) return { kind: 'away', code, reason: `${answer}: ${away}${said}`, retryAfterMs };
    const later = LATER[status] ?? (status >= 500 ? 'it is in trouble' : undefined);
    if (later !== undefined) return { kind: 'later', code, reason: `${answer}: ${later}${said}` };
    return {
      kind: 'refused',
      code,
      reason: `${answer}: it rejects this event${said}`,
    };
  }

  #unreachable(error: NodeJS.ErrnoException): Outcome {
    const code = error.code ?? 'webhook.unknown';
    if (code === 'webhook.address') return { kind: 'refused', code, reason: error.message };
    const why = NETWORK[code] ?? error.message;
    return { kind: 'away', code, reason: `${this.origin} cannot be reached: ${why}`, retryAfterMs: 0 };
  }
}

/** Rejections that do not concern the event: they are temporary, or need a change of the endpoint. */
const AWAY: Readonly<Record<number, string>> = {
  401: 'it does not know the signature: check that `secret` is the one that it has',
  403: 'it does not let csiflow in: check `secret`, and what the receiver allows',
  407: 'a proxy on the way requires a password',
  429: 'it gets too many requests',
  503: 'it is in trouble',
};

/** Rejections that may concern the event, and may be temporary. */
const LATER: Readonly<Record<number, string>> = {
  408: 'it waited too long for the request',
  425: 'it is too early',
};

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name does not exist',
  EAI_AGAIN: 'its name cannot be resolved at the moment',
  ETIMEDOUT: 'it does not answer in time',
  ECONNRESET: 'it broke the connection off',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority: set `ca` to its file',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: set `ca` to its file',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority: set `ca` to its file',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is signed by an unknown authority: set `ca` to its file',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/** Longest delay that a receiver may request. */
const MAX_WAIT_MS = 3_600_000;

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3); `now` in milliseconds since 1970. */
export function retryAfter(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  const wait = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), MAX_WAIT_MS) : 0;
}

/** A few words of an answer, on one line. */
function excerpt(text: string): string {
  const words = text.replaceAll(/[^\x21-\x7e]+/g, ' ').trim();
  return words === '' ? '' : ` ("${words.slice(0, 200)}")`;
}

/** Headers may contain only visible ASCII. */
const headerText = (text: string): string => (/^[\x21-\x7e]+$/.test(text) ? text : encodeURIComponent(text));
