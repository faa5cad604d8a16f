import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import {
  choice,
  defineSink,
  hostComplaints,
  authorityFile,
  type Complaint,
  type Context,
  type Sink,
  required,
} from '../../pipeline/component/index.js';
import {
  ALERT_TYPES,
  type Data,
  type EventType,
  type Failure,
  type SensedEvent,
  type Severity,
} from '../../pipeline/model/index.js';
import { urlFault } from '../../pipeline/base/host.js';
import { packageVersion } from '../../pipeline/base/paths.js';
import { hideSecret } from '../../pipeline/base/secrets.js';
import { privateFault } from './address.js';
import { Deliveries } from './deliveries.js';
import { cloudeventsField } from '../shared/cloud-event.js';
import { Endpoint } from './endpoint.js';
import { HourlyLimit } from './hourly-limit.js';

const EVENTS: Readonly<Record<EventType, string>> = {
  fall_detection: 'Somebody fell.',
  inactivity: 'Somebody has not moved for long.',
  intrusion: 'A person is where nobody should be.',
  crowd: 'Too many people are in one place.',
  zone_entered: 'Somebody came into a zone.',
  zone_left: 'Somebody left a zone.',
  activity_changed: 'A person has changed activity.',
  fall_suspected: 'Somebody may have fallen; a fall or its withdrawal follows.',
  fall_withdrawn: 'What was suspected was no fall, or a surer suspicion replaces it.',
  inference_degraded: 'The backend of the pose network failed.',
  inference_restored: 'The backend of the pose network works again.',
};

const SEVERITIES: Readonly<Record<Severity, string>> = {
  low: 'All events.',
  medium: 'Medium, high and critical ones.',
  high: 'High and critical ones.',
  critical: 'Critical ones alone.',
};

const Config = Type.Object(
  {
    url: required(
      Type.String({
        pattern: '^https?://[^\\s/@?#]+([/?][^\\s#]*)?$',
        'x-expected': 'must be an address such as https://alarms.example/csiflow, with no password in it',
        maxLength: 4096,
        description:
          'Where alerts are sent. If the address itself is a secret, write `${secret:name}`; only its host is ever shown.',
      }),
    ),
    secret: required(
      Type.String({
        minLength: 16,
        maxLength: 1024,
        description: 'Key that calls are signed with; the receiver has it too. Write `${secret:name}`.',
      }),
    ),
    events: Type.Array(choice<EventType>(EVENTS, { description: 'A type of event.' }), {
      minItems: 1,
      uniqueItems: true,
      default: [...ALERT_TYPES],
      description: 'Types of events that are sent.',
    }),
    min_severity: choice<Severity>(SEVERITIES, {
      default: 'low',
      description: 'The least severe events that are sent.',
    }),
    allow_private: Type.Boolean({
      default: false,
      description:
        'Whether the receiver may be in a private network, or on this machine. Otherwise such addresses are rejected, also behind a name.',
    }),
    ca: authorityFile('receiver'),
    timeout_ms: Type.Integer({
      minimum: 100,
      maximum: 30_000,
      default: 10_000,
      description: 'Time limit for an answer of the receiver.',
    }),
    give_up_ms: Type.Integer({
      minimum: 0,
      maximum: 604_800_000,
      default: 86_400_000,
      description:
        'How long an event is retried while the receiver is offline; after that it becomes a dead letter.',
    }),
    max_in_flight: Type.Integer({
      minimum: 1,
      maximum: 32,
      default: 4,
      description: 'Limit of calls in flight. With more than 1, events may arrive out of order.',
    }),
    max_events_per_hour: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 10_000,
      description: 'Limit of events in any hour; further ones become dead letters.',
    }),
    cloudevents: cloudeventsField,
  },
  { additionalProperties: false },
);

export const webhook = defineSink({
  name: 'webhook',
  summary: 'Sends signed alerts to an HTTP endpoint, and retries until it accepts them.',
  description: [
    'One `POST` per event; the body is the alert as JSON. Headers: `Idempotency-Key` (the id of the event, to detect',
    'duplicates), `Csiflow-Timestamp` (seconds since 1970), `Csiflow-Signature` (`v1=` and the',
    'HMAC-SHA256 of `<timestamp>.<body>` in hexadecimal). How to check it: docs/webhooks.md.',
    '',
    '- An answer of 200 to 299 means that the receiver has accepted it.',
    '- 408, 425, 5xx: this event waits in the outbox and is retried with growing pauses (10 s at most); others are sent.',
    '- 401, 403, 407, 429, 503, `Retry-After`, no answer and no connection: all events wait, never less than `Retry-After`',
    '  asks for.',
    '- Events that failed least often are sent first, and the most severe of these before the others. After `give_up_ms` an event becomes',
    '  a dead letter.',
    '- After any other answer, this event becomes a dead letter with the code `webhook.<status>`. Redirects are not',
    '  followed (`webhook.redirect`).',
    '- Beyond `max_events_per_hour`: dead letters with the code `webhook.rate_limit`. The count restarts when csiflow starts.',
    '- Addresses in private networks, of this machine and of other special purposes are rejected (`webhook.address`),',
    '  also after resolving a name: csiflow connects to the address that it checked.',
    '',
    'Events that senders claim in their own packets are not alerts, and are not sent.',
  ].join('\n'),
  inputs: ['event'],
  recovery: 'at-least-once',
  maxInFlight: ({ max_in_flight }) => max_in_flight,
  privacy: ['retention', 'encryption'],
  config: Config,
  examples: [
    {
      title: 'Falls and intrusions to a service on the internet',
      config: { url: 'https://alarms.example/csiflow', secret: '${secret:webhook}' },
    },
    {
      title: 'A receiver in the local network',
      config: {
        url: 'http://192.168.1.10:8080/alerts',
        secret: '${secret:webhook}',
        events: ['fall_detection'],
        allow_private: true,
      },
    },
  ],
  check: ({ url, ca, allow_private }): readonly Complaint[] => {
    const fault = urlFault(url) ?? (allow_private ? undefined : privateFault(url));
    const complaints = [...hostComplaints(['url'], fault)];
    if (ca !== undefined && !url.startsWith('https:'))
      complaints.push({ path: ['ca'], message: '`ca` is for TLS: write `https://`' });
    return complaints;
  },
  create: (config, context) => new WebhookSink(config, context),
});

/** Counts of this process: restarting a topology does not reset the allowance. */
const limits = new Map<string, HourlyLimit>();

function limitOf(url: string, events: number): HourlyLimit {
  const key = `${events} ${url}`;
  const limit = limits.get(key) ?? new HourlyLimit(events);
  limits.set(key, limit);
  return limit;
}

class WebhookSink implements Sink {
  readonly #config: Static<typeof Config>;
  readonly #context: Context;
  #endpoint: Endpoint | undefined;
  #deliveries: Deliveries | undefined;
  /** Claims of senders that were not sent. */
  #skipped = 0;

  constructor(config: Static<typeof Config>, context: Context) {
    this.#config = config;
    this.#context = context;
  }

  async open(): Promise<void> {
    const { url, secret, allow_private, timeout_ms, give_up_ms, max_in_flight, max_events_per_hour, ca } =
      this.#config;
    const { clock, folder } = this.#context;
    // Include the secret in the topology itself: a receiver's answer may repeat it.
    hideSecret(secret);
    const settings = {
      url,
      secret,
      allowPrivate: allow_private,
      timeoutMs: timeout_ms,
      maxInFlight: max_in_flight,
      ca: ca === undefined ? undefined : await readAuthority(resolve(folder, ca)),
      version: packageVersion(),
      domain: this.#context.domain,
      cloudevents: this.#config.cloudevents,
      topology: this.#context.topology,
    };
    this.#endpoint = new Endpoint(settings, clock);
    this.#deliveries = new Deliveries(this.#endpoint, limitOf(url, max_events_per_hour), clock, {
      giveUpMs: give_up_ms,
      maxInFlight: max_in_flight,
    });
  }

  /** Rejects if the receiver is offline and has accepted nothing. */
  async write(records: readonly Data[]): Promise<readonly Failure[]> {
    if (!this.#deliveries) throw new Error('the webhook is closed');
    return this.#deliveries.send(records.filter((record): record is SensedEvent => this.#isWanted(record)));
  }

  /** Nothing to wait for: `write` has waited for the answers. */
  async flush(): Promise<void> {
    await Promise.resolve();
  }

  async close(): Promise<void> {
    this.#endpoint?.close();
    this.#deliveries = undefined;
    await Promise.resolve();
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      endpoint: this.#endpoint?.origin ?? null,
      ...this.#deliveries?.describe(),
      claims_skipped: this.#skipped,
    };
  }

  #isWanted(record: Data): boolean {
    const isAlert =
      record.port === 'event' &&
      this.#config.events.includes(record.type) &&
      RANK.indexOf(record.severity) >= RANK.indexOf(this.#config.min_severity);
    if (!isAlert || record.source === 'csiflow') return isAlert;
    this.#skipClaim(record.source);
    return false;
  }

  /** A sender's claim is not an alert. Logged once, for those whose own operator names another source. */
  #skipClaim(source: string): void {
    if (this.#skipped++ === 0)
      this.#context.log.info(
        `the event of the source ${JSON.stringify(source)} is that sender's claim, and is not sent; findings have the source "csiflow"`,
      );
  }
}

const RANK = Object.keys(SEVERITIES);

async function readAuthority(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`\`ca\`: the file ${file} cannot be read (${code ?? String(error)})`, { cause: error });
  }
}
