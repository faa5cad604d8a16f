import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineSource, type Context, type Position, type SourceOutput } from '../../component/index.js';
import { FormatError, formatNamed, type Format } from '../../formats/index.js';
import { DecodingSource } from '../decoding-source.js';
import { readBody, type Body } from './body.js';
import { Inbox, type HttpPosition } from './inbox.js';
import { FULL_S, Listener, Refusal, type Posted } from './listener.js';
import { complaintsOf, config, type HttpSettings } from './settings.js';
import { aborted } from '../../base/waiting.js';

/** Accepts frames that receivers post. */
export const http = defineSource({
  name: 'http',
  summary: 'Accepts CSI that receivers send by HTTP POST, one or more records per body.',
  description: [
    'A body is either a file that `csiflow inspect` can read (a log, a capture, a pcap), one record as in a datagram, or',
    'several records: one per line, or a JSON array. It may be compressed with gzip.',
    '',
    '```bash',
    "curl --data-binary @evening.csi -H 'Authorization: Bearer ...' 'http://localhost:5080/csi?sender=attic'",
    '```',
    '',
    'The newest record of a body gets the time of arrival; earlier ones are placed before it by the clock of their receiver.',
    'A record with its own time (`csi-json`) keeps it, unless that is in the future; the others have a time each, also if',
    'several bodies arrive at once. Event time never decreases, so send measurements in order, at least once per second.',
    '',
    '| answer | means |',
    '|---|---|',
    '| 200 `{"taken": 20, "left_out": 0, ...}` | this many records are in the journal: the sender may delete them. Skipped records are counted, with the first reasons |',
    '| 400, 415 | damaged, or of an unsupported format: do not send it again |',
    '| 401, 404, 405, 413 | missing or wrong token; wrong path or method; too large: send fewer records per request |',
    '| 429 with `Retry-After` | the queue is full, or there are too many senders: nothing was accepted; retry after that time |',
    '| 503 with `Retry-After` | csiflow is stopping, or its disk or queue is full; `taken` says how many records of the body it has |',
    '',
    'Without an answer, a sender cannot know whether the body was accepted. If frames are numbered, duplicates are',
    'detected and counted for their link.',
    '',
    'Records of a format without names belong to the link whose `sender` equals `?sender=`, otherwise the address of the',
    'host. A token is sent as plain text unless `cert` and `key` are set.',
  ].join('\n'),
  config,
  examples: [
    { title: 'Behind a TLS proxy', config: { token: '${secret:csi}' } },
    {
      title: 'Receivers on the local network',
      config: {
        host: '0.0.0.0',
        port: 5443,
        token: '${secret:csi}',
        cert: 'tls/cert.pem',
        key: 'tls/key.pem',
      },
    },
  ],
  outputs: ['csi', 'measure', 'event'],
  measures: ({ format }) => formatNamed(format).measurement,
  replayable: false,
  stateFields: ['format'],
  check: complaintsOf,
  claims: ({ port }) => (port === 0 ? [] : [{ what: `TCP port ${port}`, field: 'port' }]),
  create: (settings, context) => new HttpSource(settings, context),
});

/** How many reasons for skipped records an answer names. */
const TOLD = 8;

const ignore = (): void => undefined;

/** A body, and how many of its records the queue accepted. */
interface Taken {
  readonly body: Body;
  readonly taken: number;
}

class HttpSource extends DecodingSource {
  readonly #config: HttpSettings;
  readonly #context: Context;
  readonly #format: Format;
  #inbox: Inbox | undefined;
  #listener: Listener | undefined;
  #address: { readonly address: string; readonly port: number } | undefined;
  #bodies = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(settings: HttpSettings, context: Context) {
    const format = formatNamed(settings.format);
    super(format, context, settings);
    this.#config = settings;
    this.#context = context;
    this.#format = format;
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    if (output.signal.aborted) return;
    const { idle_tick_ms: tick } = this.#config;
    const inbox = new Inbox(tick, this.#context, output, position as HttpPosition | null);
    this.#inbox = inbox;
    const tls = await this.#tls();
    const listener = new Listener(
      { ...this.#config, ...(tls && { tls }) },
      (posted) => this.#take(posted, inbox),
      (message) => {
        this.#context.log.error(message);
      },
    );
    this.#listener = listener;
    try {
      this.#address = await listener.open();
      const { address, port } = this.#address;
      this.#context.log.info('listening', { address, port, route: this.#config.route });
      output.ready?.();
      await aborted(output.signal);
    } finally {
      await listener.close();
      inbox.close();
    }
  }

  reanchor(): void {
    this.#inbox?.reanchor();
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      address: this.#address ?? null,
      route: this.#config.route,
      bodies: this.#bodies,
      records: this.#inbox?.records ?? 0,
      refused: this.#listener?.refused ?? 0,
      ...this.decoder.describe(),
    };
  }

  async #take(posted: Posted, inbox: Inbox): Promise<object> {
    if (inbox.isFull) throw new Refusal(429, 'the queue is full', FULL_S);
    const { body, taken } = await this.#inTurn(posted, inbox);
    const { batches, problems, kind } = body;
    for (const { code } of problems) this.#context.metrics.dropped(code, 1);
    await inbox.journalled();
    this.#bodies++;
    const whole = batches.reduce((sum, { raw }) => sum + raw.count, 0);
    if (taken < whole) throw new Refusal(503, 'the queue is full', FULL_S, { taken, of: whole });
    return { taken, left_out: problems.length, kind, problems: problems.slice(0, TOLD) };
  }

  /** One body at a time: several would each take a turn before other work. @throws Refusal */
  #inTurn(posted: Posted, inbox: Inbox): Promise<Taken> {
    const now = this.#context.clock.now();
    const taken = this.#reading.then(async () => {
      const body = await this.#read(posted, now);
      return { body, taken: await inbox.take(body.batches) };
    });
    this.#reading = taken.then(ignore, ignore);
    return taken;
  }

  /** @throws Refusal */
  async #read({ bytes, sender }: Posted, now: number): Promise<Body> {
    try {
      const settings = { format: this.#format, records: this.#config.block_records, sender, now };
      const body = await readBody(bytes, settings);
      if (body && body.batches.length > 0) return body;
    } catch (error) {
      if (error instanceof FormatError) throw new Refusal(400, error.message);
      throw error;
    }
    const wanted = this.#config.format === 'auto' ? 'any format that csiflow reads' : this.#config.format;
    throw new Refusal(415, `the body holds no record of ${wanted}`);
  }

  /** @throws Error naming the file that cannot be read */
  async #tls(): Promise<{ readonly cert: Buffer; readonly key: Buffer } | undefined> {
    const { cert, key } = this.#config;
    if (cert === undefined || key === undefined) return undefined;
    const [certificate, secret] = await Promise.all(
      [cert, key].map((path) => readFile(resolve(this.#context.folder, path))),
    );
    return { cert: certificate!, key: secret! };
  }
}
