import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { Type, type Static } from 'typebox';
import {
  choice,
  defineSource,
  type Context,
  type Output,
  type Position,
  hostComplaints,
  type RawBatch,
  type Source,
  type SourceOutput,
  type State,
} from '../component/index.js';
import { formatNamed, FORMATS, RawBuilder, type Decoder } from '../formats/index.js';
import type { Data } from '../model/index.js';
import { hostFault } from '../base/host.js';
import { kernelDrops } from './kernel-drops.js';

const config = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      default: '127.0.0.1',
      description:
        'Address to listen on. Sensors on the network reach it only where this is an address of that network, or 0.0.0.0.',
    }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      default: 5005,
      description: 'Port to listen on; 0 takes a free one.',
    }),
    format: choice<string>(Object.fromEntries(FORMATS.map(({ name, summary }) => [name, summary])), {
      default: 'adr018',
      description: 'What the datagrams are.',
    }),
    receive_buffer_bytes: Type.Integer({
      minimum: 4096,
      maximum: 1_073_741_824,
      default: 8_388_608,
      description: "The kernel's buffer for datagrams that were not read yet.",
    }),
    block_records: Type.Integer({
      minimum: 1,
      maximum: 4096,
      default: 64,
      description: 'Datagrams that are handed on at once at most; fewer at the end of a burst.',
    }),
    idle_tick_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 1000,
      description: 'Silence after which event time goes on without datagrams; 0: it never does.',
    }),
  },
  { additionalProperties: false },
);

/** Addresses that stand for all of the machine's. */
const EVERYWHERE = ['0.0.0.0', '::'];

/** Listens for datagrams. */
export const udp = defineSource({
  name: 'udp',
  summary: 'Listens on a UDP port for CSI, one packet a datagram.',
  description: [
    'Event time is the time of arrival, which never decreases, also over restarts. A frame belongs to the link',
    'whose `sender` in the environment file is `node-<number>`, the number in its header. Which addresses such a',
    'link accepts depends on how much of the address it names:',
    '',
    '| `sender` | accepted |',
    '|---|---|',
    '| `node-1` | the first host that uses the number, from any port, until it has been silent for five seconds |',
    '| `node-1@192.168.1.20` | this host, from any port |',
    '| `node-1@192.168.1.20:49152` | this host and port |',
    '',
    'A node that restarts usually sends from another port, and is heard at once unless its link names a port.',
    'Another process on the same host that sends the number of a node is accepted too: name the port to rule that',
    'out.',
    '',
    'Behind NAT all nodes share one host, so csiflow cannot tell two senders of the same number apart: their frames',
    'mix on one link. Give each node its own number, or name the ports, which requires a NAT with fixed port',
    'mappings: other mappings change after a silence, and the link then rejects its own node.',
    '',
    'All other senders are counted and listed (256 of them), the first eight are logged with the line that the',
    'environment lacks, and none changes anything for the links. Where the format numbers no nodes, a link names',
    'the address (`192.168.1.20`), or takes any sender with `*`.',
    '',
    'Gaps in the numbers of frames are loss: it is reported per link, and once a second as the measure',
    '`packet_loss` (0 to 1). What nodes say of themselves (vitals) comes out as measures and events with',
    '`source: node-<number>`: their claims, never findings of csiflow.',
    '',
    'The system grants a receive buffer of `net.core.rmem_max` bytes at most. Where that is less than asked for, a',
    'warning says so; `sysctl -w net.core.rmem_max=8388608` mends it. Datagrams that the kernel dropped because',
    'the buffer was full are counted as `kernel_buffer`.',
  ].join('\n'),
  config,
  examples: [
    { title: 'Sensors on the local network', config: { host: '0.0.0.0', port: 5005 } },
    { title: 'Tests and replays on this machine', config: { port: 5005 } },
  ],
  outputs: ['csi', 'measure', 'event'],
  replayable: false,
  check: ({ host }) => hostComplaints(['host'], hostFault(host)),
  claims: ({ host, port }) =>
    port === 0
      ? []
      : [{ what: `UDP port ${port}`, field: 'port', ...(!EVERYWHERE.includes(host) && { part: host }) }],
  create: (config, context) => new UdpSource(config, context),
});

/** Datagrams so far, and the time of the last one: no later one has an earlier time. */
interface UdpPosition {
  readonly records: number;
  readonly time: number;
}

class UdpSource implements Source {
  readonly #config: Static<typeof config>;
  readonly #context: Context;
  readonly #decoder: Decoder;
  #socket: Socket | undefined;
  #inbox: Inbox | undefined;
  #address: { readonly address: string; readonly port: number } | undefined;
  #grantedBytes = 0;
  #kernelDrops: number | null = null;

  constructor(settings: Static<typeof config>, context: Context) {
    this.#config = settings;
    this.#context = context;
    this.#decoder = formatNamed(settings.format).decoder(context);
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    if (output.signal.aborted) return;
    const from = (position ?? { records: 0, time: -Infinity }) as UdpPosition;
    const socket = await this.#bind();
    output.ready?.();
    const inbox = new Inbox(this.#config, this.#context, output, from);
    this.#inbox = inbox;
    socket.on('message', (bytes, sender) => {
      inbox.receive(bytes, sender);
    });
    const watch = setInterval(() => void this.#watchKernel(), WATCH_MS);
    try {
      await untilEnd(socket, output.signal);
    } finally {
      clearInterval(watch);
      inbox.close();
      await this.#watchKernel();
      await this.close();
    }
  }

  decode(raw: RawBatch): Output<Data> {
    return this.#decoder.decode(raw);
  }

  snapshot(): State {
    return this.#decoder.snapshot();
  }

  restore(state: State): void {
    this.#decoder.restore(state);
  }

  reanchor(): void {
    this.#inbox?.reanchor();
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      address: this.#address ?? null,
      receive_buffer_bytes: this.#grantedBytes,
      kernel_drops: this.#kernelDrops,
      ...this.#decoder.describe(),
    };
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    await new Promise<void>((resolve) => {
      socket.close(resolve);
    });
  }

  async #bind(): Promise<Socket> {
    const { host, port } = this.#config;
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', (error: NodeJS.ErrnoException) => {
        socket.close();
        reject(bindError(error, host, port));
      });
      socket.bind({ address: host, port }, resolve);
    });
    socket.removeAllListeners('error');
    this.#socket = socket;
    this.#address = socket.address();
    this.#askForBuffer(socket);
    const { address, port: bound } = this.#address;
    this.#context.log.info('listening', { address, port: bound, receive_buffer_bytes: this.#grantedBytes });
    return socket;
  }

  #askForBuffer(socket: Socket): void {
    const asked = this.#config.receive_buffer_bytes;
    socket.setRecvBufferSize(asked);
    // Linux says twice what it grants: the other half is for its own notes (socket(7)).
    this.#grantedBytes = socket.getRecvBufferSize() / (process.platform === 'linux' ? 2 : 1);
    if (this.#grantedBytes >= asked) return;
    this.#context.log.warn(
      `the system grants a receive buffer of ${this.#grantedBytes} bytes, not the ${asked} asked for: bursts may be lost. ` +
        `Raise net.core.rmem_max (sysctl -w net.core.rmem_max=${asked}), or lower receive_buffer_bytes`,
      { granted_bytes: this.#grantedBytes, asked_bytes: asked },
    );
  }

  async #watchKernel(): Promise<void> {
    if (!this.#address) return;
    const drops = await kernelDrops(this.#address);
    if (drops === null) return;
    const more = drops - (this.#kernelDrops ?? 0);
    if (more > 0) this.#context.metrics.dropped('kernel_buffer', more);
    this.#context.metrics.gauge('kernel_drops', drops);
    this.#kernelDrops = drops;
  }
}

const WATCH_MS = 1000;

/** Gathers datagrams into batches and hands them on in order, never holding more than a bounded number. */
class Inbox {
  readonly #context: Context;
  readonly #output: SourceOutput;
  readonly #builder: RawBuilder;
  readonly #tick: NodeJS.Timeout | undefined;
  readonly #names = new Map<number, { readonly address: string; readonly name: string }>();
  /** Batches that wait for room in the queue. */
  #waiting = 0;
  #records: number;
  #scheduled = false;
  /** When the last batch was handed on, of the monotonic clock. */
  #flushed = -Infinity;
  #heard = false;
  #closed = false;

  constructor(settings: Static<typeof config>, context: Context, output: SourceOutput, from: UdpPosition) {
    this.#context = context;
    this.#output = output;
    this.#records = from.records;
    // The clock may have been set back since.
    this.#builder = new RawBuilder(settings.block_records, 'live', Math.min(from.time, context.clock.now()));
    const period = settings.idle_tick_ms;
    if (period > 0) {
      this.#tick = setInterval(() => {
        this.#tickIfSilent();
      }, period);
    }
  }

  receive(bytes: Uint8Array, from: RemoteInfo): void {
    this.#heard = true;
    const length = Math.min(bytes.length, MAX_KEPT_BYTES);
    this.#builder.add(this.#context.clock.now(), bytes, 0, length, this.#nameOf(from));
    this.#flushSoon();
  }

  /** Later datagrams may have earlier times. */
  reanchor(): void {
    this.#flush();
    this.#builder.startFrom(-Infinity);
  }

  close(): void {
    clearInterval(this.#tick);
    this.#flush();
    this.#closed = true;
  }

  /**
   * Full batches at once. Others when this burst of reads is over (immediates run after the poll for input); but where
   * the one before has only just gone, a millisecond later: each batch has its own cost, and many small ones would cost most.
   */
  #flushSoon(): void {
    if (this.#builder.full) {
      this.#flush();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      const flush = () => {
        this.#scheduled = false;
        if (!this.#closed) this.#flush();
      };
      if (this.#context.clock.elapsed() - this.#flushed < RECENT_MS) setTimeout(flush, GATHER_MS);
      else setImmediate(flush);
    }
  }

  #flush(): void {
    if (this.#builder.count === 0) return;
    this.#flushed = this.#context.clock.elapsed();
    const raw = this.#builder.take();
    if (this.#waiting < MAX_WAITING) this.#offer(raw);
    // The socket cannot be paused: what does not fit is lost here rather than by growing.
    else this.#context.metrics.dropped('queue_full', raw.count);
  }

  /** Under `block` a batch may wait for room; it is in the journal then. */
  #offer(raw: RawBatch): void {
    this.#records += raw.count;
    const position: UdpPosition = { records: this.#records, time: raw.time[raw.count - 1]! };
    const taken = this.#output.offer({ position, raw });
    if (typeof taken === 'boolean') return;
    this.#waiting++;
    void taken.finally(() => {
      this.#waiting--;
    });
  }

  /** A record of no bytes from no sender: nothing was heard up to now. */
  #tickIfSilent(): void {
    if (!this.#heard && this.#builder.count === 0 && this.#waiting === 0 && this.#records > 0) {
      this.#builder.add(this.#context.clock.now(), NO_BYTES);
      this.#flush();
    }
    this.#heard = false;
  }

  /** `127.0.0.1:49152`; made once per sender while there are not too many. */
  #nameOf({ address, port }: RemoteInfo): string {
    const known = this.#names.get(port);
    if (known?.address === address) return known.name;
    if (this.#names.size >= MAX_NAMES) this.#names.clear();
    const name = `${address}:${port}`;
    this.#names.set(port, { address, name });
    return name;
  }
}

/** Batches nearer to each other than this are gathered. A steady 1,000 datagrams/s are not: they go at once. */
const RECENT_MS = 0.5;
const GATHER_MS = 1;
const NO_BYTES = new Uint8Array(0);
/** Longer datagrams belong to no format; what is kept of them is enough to say so. */
const MAX_KEPT_BYTES = 8192;
const MAX_WAITING = 64;
const MAX_NAMES = 4096;

/** Resolves when the signal aborts; rejects where the socket fails. */
function untilEnd(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    if (signal.aborted) resolve();
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}

/** Says what a person can do. Keeps the system's code, by which the command line ends with exit code 3. */
function bindError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `another program listens on it (\`ss -ulpn 'sport = :${port}'\` shows which): stop that, or set another \`port\``,
    EACCES: 'ports below 1024 are for the system: set a higher `port`',
    EADDRNOTAVAIL: 'this machine has no such address: set `host` to one of its own, or to 0.0.0.0 for all',
    ENOTFOUND: 'there is no machine of this name: set `host` to an address of this one',
  };
  const why = advice[error.code ?? ''] ?? error.message;
  const mended = new Error(`UDP port ${port} of ${host} cannot be opened: ${why}`, { cause: error });
  return Object.assign(mended, { code: error.code });
}
