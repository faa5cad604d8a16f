import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { Type, type Static } from 'typebox';
import {
  choice,
  defineSource,
  type Context,
  type Position,
  hostComplaints,
  type SourceOutput,
} from '../component/index.js';
import { FORMAT_CHOICES, FORMAT_OPTIONS, formatNamed } from '../formats/index.js';
import { hostFault } from '../base/host.js';
import { aborted } from '../base/waiting.js';
import { bindError } from './bind-error.js';
import { DecodingSource } from './decoding-source.js';
import { DropCount, kernelDrops } from './kernel-drops.js';
import { bufferAdvice, setReceiveBuffer, USUAL_BUFFER_BYTES } from './receive-buffer.js';
import { Inbox, type UdpPosition } from './udp-inbox.js';

const config = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      default: '127.0.0.1',
      description:
        'Address to listen on. Sensors on the network reach it only if this is an address of that network, or 0.0.0.0.',
    }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      default: 5005,
      description: 'Port to listen on; 0 selects a free one.',
    }),
    format: choice<string>(FORMAT_CHOICES, {
      default: 'auto',
      description: 'What the datagrams are: one record of this format each, or several as lines of text.',
    }),
    ...FORMAT_OPTIONS,
    receive_buffer_bytes: Type.Integer({
      minimum: 4096,
      maximum: 1_073_741_824,
      default: USUAL_BUFFER_BYTES,
      description: "The kernel's buffer for datagrams that were not read yet.",
    }),
    block_records: Type.Integer({
      minimum: 1,
      maximum: 4096,
      default: 64,
      description: 'Limit of datagrams per batch; fewer at the end of a burst.',
    }),
    gather_ms: Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 20,
      description:
        'How long datagrams are gathered into a batch, to save processor time; 0: not at all. Those that may close a window are passed on at once.',
    }),
    idle_tick_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 1000,
      description: 'Silence after which event time advances without datagrams; 0: it never does.',
    }),
  },
  { additionalProperties: false },
);

/** Addresses that stand for all of the machine's. */
const EVERYWHERE = ['0.0.0.0', '::'];

/** Listens for datagrams. */
export const udp = defineSource({
  name: 'udp',
  summary: 'Listens on a UDP port for CSI, one packet a datagram or several as lines of text.',
  description: [
    'Event time is the time of arrival, which increases from datagram to datagram, also over restarts. Lines of text in one',
    'datagram are records of their own, each a microsecond later than the one before it. A frame belongs to the link',
    'whose `sender` in the environment file is `node-<number>`, the number in its header. Which addresses such a',
    'link accepts depends on how much of the address it names:',
    '',
    '| `sender` | accepted |',
    '|---|---|',
    '| `node-1` | the first host that uses the number, from any port, until it has been silent for five seconds |',
    '| `node-1@192.168.1.20` | this host, from any port |',
    '| `node-1@192.168.1.20:49152` | this host and port |',
    '',
    'A node that restarts usually sends from another port, and is recognised immediately unless its link names a port.',
    'Another process on the same host that sends the number of a node is accepted too: name the port to rule that',
    'out.',
    '',
    'Behind NAT all nodes share one host, so csiflow cannot tell two senders of the same number apart: their frames',
    'mix on one link. Give each node its own number, or name the ports, which requires a NAT with fixed port',
    'mappings: other mappings change after a silence, and the link then rejects its own node.',
    '',
    'All other senders are counted and listed (256 of them) with their format, rate and layout, the first eight are',
    'logged with the line that the environment lacks, and none changes anything for the links. Where the format numbers no nodes, a link names',
    'the address (`192.168.1.20`), or accepts any sender with `*`.',
    '',
    'Gaps in the numbers of frames are loss: it is reported per link, and once a second as the measure',
    '`packet_loss` (0 to 1). What nodes say of themselves (vitals) comes out as measures and events with',
    '`source: node-<number>`: their claims, never findings of csiflow.',
    '',
    'The system grants a receive buffer of `net.core.rmem_max` bytes at most. If that is less than requested, a',
    'warning says so; `sysctl -w net.core.rmem_max=8388608` fixes it. Datagrams that the kernel dropped because',
    'the buffer was full are counted as `kernel_buffer`. While frames are dropped because csiflow cannot keep up, the',
    'buffer is 512 KiB at most: what waits in a full one is too old once it is read.',
  ].join('\n'),
  config,
  examples: [
    { title: 'Sensors on the local network', config: { host: '0.0.0.0', port: 5005 } },
    { title: 'Tests and replays on this machine', config: { port: 5005 } },
  ],
  outputs: ['csi', 'measure', 'event'],
  measures: ({ format }) => formatNamed(format).measurement,
  replayable: false,
  check: ({ host }) => hostComplaints(['host'], hostFault(host)),
  claims: ({ host, port }) =>
    port === 0
      ? []
      : [{ what: `UDP port ${port}`, field: 'port', ...(!EVERYWHERE.includes(host) && { part: host }) }],
  create: (config, context) => new UdpSource(config, context),
});

class UdpSource extends DecodingSource {
  readonly #config: Static<typeof config>;
  readonly #context: Context;
  #socket: Socket | undefined;
  #inbox: Inbox | undefined;
  #address: { readonly address: string; readonly port: number } | undefined;
  #grantedBytes = 0;
  readonly #drops = new DropCount();

  constructor(settings: Static<typeof config>, context: Context) {
    super(formatNamed(settings.format), context, settings);
    this.#config = settings;
    this.#context = context;
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    if (output.signal.aborted) return;
    const from = (position ?? { records: 0, time: -Infinity }) as UdpPosition;
    const socket = await this.#bind();
    output.ready?.();
    const inbox = new Inbox(this.#config, this.#context, output, from);
    this.#inbox = inbox;
    const receive = (bytes: Buffer, sender: RemoteInfo) => {
      inbox.receive(bytes, sender);
    };
    socket.on('message', receive);
    const watch = setInterval(() => {
      this.#watchKernel();
    }, WATCH_MS);
    try {
      await untilEnd(socket, output.signal);
    } finally {
      clearInterval(watch);
      socket.off('message', receive);
      inbox.close();
      this.#watchKernel();
      await this.close();
    }
  }

  /** What fills a large buffer meanwhile is too old once it is read, and reading it delays fresh input. */
  overloaded(isOverloaded: boolean): void {
    const { receive_buffer_bytes: usual } = this.#config;
    if (this.#socket) this.#buffer(this.#socket, isOverloaded ? Math.min(usual, OVERLOADED_BYTES) : usual);
  }

  reanchor(): void {
    this.#inbox?.reanchor();
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      address: this.#address ?? null,
      receive_buffer_bytes: this.#grantedBytes,
      kernel_drops: this.#drops.total,
      ...this.decoder.describe(),
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
        reject(bindError(error, { protocol: 'UDP', options: '-ulpn', host, port }));
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
    this.#buffer(socket, asked);
    if (this.#grantedBytes >= asked) return;
    this.#context.log.warn(
      `the system grants a receive buffer of ${this.#grantedBytes} bytes instead of the requested ${asked}: bursts may be lost; ` +
        bufferAdvice(asked),
      { granted_bytes: this.#grantedBytes, asked_bytes: asked },
    );
  }

  #buffer(socket: Socket, bytes: number): void {
    this.#grantedBytes = setReceiveBuffer(socket, bytes);
  }

  #watchKernel(): void {
    if (!this.#address) return;
    const more = this.#drops.see(kernelDrops(this.#address));
    if (more > 0) this.#context.metrics.dropped('kernel_buffer', more);
    if (this.#drops.total !== null) this.#context.metrics.gauge('kernel_drops', this.#drops.total);
  }
}

const WATCH_MS = 1000;
/** Some hundred datagrams: a tenth of a second of what overloads two processors. */
const OVERLOADED_BYTES = 524_288;

/** Resolves when the signal aborts; rejects where the socket fails. */
function untilEnd(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    void aborted(signal).then(resolve);
  });
}
