import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import {
  defineSink,
  authorityFile,
  type Complaint,
  type Context,
  type Sink,
} from '../../pipeline/component/index.js';
import type { Data, Failure } from '../../pipeline/model/index.js';
import { cloudeventsField } from '../shared/cloud-event.js';
import { failure, toMessage, type Outgoing } from './message.js';
import { NatsError, Publisher, type Outcome } from './publisher.js';
import { optionalText } from '../shared/optional-text.js';

const Config = Type.Object(
  {
    servers: Type.Array(
      Type.String({ pattern: '^[^\\s/@]+:\\d{1,5}$', description: 'Host and port: `nats-1:4222`.' }),
      { minItems: 1, default: ['127.0.0.1:4222'], description: 'Servers of one cluster.' },
    ),
    stream: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,128}$',
      'x-expected': 'must be 1 to 128 letters, digits, _ and -',
      default: 'csiflow',
      description: 'Stream that stores the results.',
    }),
    subject: Type.String({
      pattern: '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$',
      'x-expected': 'must be words of letters, digits, _ and -, separated by dots',
      maxLength: 128,
      default: 'csiflow',
      description: 'Beginning of the subjects.',
    }),
    create_stream: Type.Boolean({
      default: false,
      description:
        'Whether to create the stream if it is missing, for all subjects that begin with `subject`, with the limits that the server sets.',
    }),
    username: optionalText('User; null: no login, or a token.'),
    password: optionalText('Its password: `${secret:nats_password}`.'),
    token: optionalText('Token, instead of user and password: `${secret:nats_token}`.'),
    tls: Type.Boolean({
      default: false,
      description: 'Whether to connect by TLS, and verify the certificate.',
    }),
    ca: authorityFile('server'),
    cloudevents: cloudeventsField,
    timeout_ms: Type.Integer({
      minimum: 100,
      maximum: 30_000,
      default: 5_000,
      description: 'Time limit for a connection, and for the confirmation of a message.',
    }),
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

export const nats = defineSink({
  name: 'nats',
  summary: 'Publishes results to a stream of NATS JetStream, as JSON.',
  description: `One message for each result, with the body that [the sink \`kafka\`](kafka.md) writes. Subjects, by which consumers select:

| subject | result |
|---|---|
| \`csiflow.<environment>.pose\` | pose |
| \`csiflow.<environment>.event.<type>\` | event, for example \`csiflow.ward-3.event.fall_detection\` |
| \`csiflow.<environment>.measure.<name>\` | measure |

In names, characters that a subject cannot hold (dots, blanks, \`*\`, \`>\`) are percent-encoded.

- A message counts as written once the stream has confirmed it.
- \`Nats-Msg-Id\` is the same each time a result is sent: the stream drops a repeated message within its \`duplicate_window\` (two minutes by default). Later ones arrive twice, with the same \`id\`.
- While the servers are offline, or the stream is full (\`discard: new\`), results wait in the outbox. When messages are sent again, their order may differ.
- A result that exceeds the size limit of server or stream becomes a dead letter (\`nats.record.too_large\`), and so does a number that JSON does not know (\`nats.value.invalid\`).
- With \`cloudevents\`, messages follow the NATS binding of CloudEvents: headers begin with \`ce-\`.`,
  inputs: ['pose', 'event', 'measure'],
  recovery: 'at-least-once',
  config: Config,
  examples: [
    { title: 'A server on this machine', config: { create_stream: true } },
    {
      title: 'A cluster with a login',
      config: {
        servers: ['nats-1:4222', 'nats-2:4222'],
        stream: 'SENSING',
        username: 'csiflow',
        password: '${secret:nats_password}',
        tls: true,
      },
    },
  ],
  check: ({ username, password, token, tls, ca }): readonly Complaint[] => [
    ...(token !== null && (username !== null || password !== null)
      ? [{ path: ['token'], message: 'set a token, or username and password, not both' }]
      : []),
    ...(password !== null && username === null
      ? [{ path: ['password'], message: 'a password needs a username' }]
      : []),
    ...(ca !== undefined && !tls ? [{ path: ['ca'], message: '`ca` is for TLS: set `tls: true`' }] : []),
  ],
  create: (config, context) => new NatsSink(config, context),
});

/** Messages that wait for their confirmation. */
const MAX_IN_FLIGHT = 256;

class NatsSink implements Sink {
  readonly #config: Config;
  readonly #context: Context;
  #publisher: Publisher | null = null;
  #messages = 0;
  #duplicates = 0;

  constructor(config: Config, context: Context) {
    this.#config = config;
    this.#context = context;
  }

  /** Rejects if no server answers, or there is no such stream. */
  async open(): Promise<void> {
    const { servers, username, password, token, tls, ca, timeout_ms, stream, create_stream, subject } =
      this.#config;
    const authority =
      ca === undefined ? undefined : await readFile(resolve(this.#context.folder, ca), 'utf8');
    this.#publisher = new Publisher({
      ...{ servers, username, password, token, stream },
      tls: tls ? { ...(authority !== undefined && { ca: authority }) } : null,
      timeoutMs: timeout_ms,
      create: create_stream ? `${subject}.>` : null,
    });
    await this.#publisher.ready();
  }

  async write(records: readonly Data[]): Promise<readonly Failure[]> {
    if (!this.#publisher) throw new Error('the sink is closed');
    await this.#publisher.ready();
    const { subject, cloudevents } = this.#config;
    const { topology, node } = this.#context;
    const all = records.map((record) => toMessage(record, { subject, cloudevents, topology, node }));
    const failures = all.filter((one): one is Failure => 'code' in one);
    const messages = all.filter((one): one is Outgoing => 'subject' in one);
    for (let at = 0; at < messages.length; at += MAX_IN_FLIGHT)
      failures.push(...(await this.#publish(messages.slice(at, at + MAX_IN_FLIGHT))));
    const again = failures.filter(({ retriable }) => retriable);
    if (again.length > 0) await this.#publisher.drop();
    if (again.length > 0 && again.length === records.length)
      throw new NatsError('nats.unavailable', again[0]!.reason, undefined);
    return failures;
  }

  /** Everything written was confirmed. */
  async flush(): Promise<void> {
    await Promise.resolve();
  }

  describe(): Readonly<Record<string, unknown>> {
    const { servers, stream } = this.#config;
    return { servers, stream, messages: this.#messages, duplicates: this.#duplicates };
  }

  async close(): Promise<void> {
    await this.#publisher?.close();
    this.#publisher = null;
  }

  async #publish(messages: readonly Outgoing[]): Promise<readonly Failure[]> {
    const publisher = this.#publisher!;
    const outcomes = await Promise.all(messages.map((message) => publisher.publish(message)));
    return messages.flatMap(({ record }, index) => this.#failureOf(record, outcomes[index]!));
  }

  #failureOf(record: Data, outcome: Outcome): readonly Failure[] {
    if (typeof outcome === 'string') {
      this.#messages++;
      if (outcome === 'duplicate') this.#duplicates++;
      return [];
    }
    const { reason, isTooLarge } = outcome;
    return isTooLarge
      ? [failure(record, 'nats.record.too_large', reason)]
      : [failure(record, 'nats.unavailable', reason, true)];
  }
}
