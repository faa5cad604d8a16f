import { setImmediate as nextTurn } from 'node:timers/promises';
import { resolve } from 'node:path';
import { defineSource, type Context, type Position, type SourceOutput } from '../../component/index.js';
import { FormatError, formatNamed } from '../../formats/index.js';
import { backoff, pause } from '../../base/backoff.js';
import { errorText } from '../../base/error-text.js';
import { DecodingSource } from '../decoding-source.js';
import { InputError, type ByteInput } from './byte-input.js';
import { startCommand } from './command.js';
import { openDevice } from './device.js';
import { Inbox, type SerialPosition } from './inbox.js';
import { complaintsOf, config, type SerialSettings } from './settings.js';

/** Reads a receiver on a serial port, a named pipe, or the output of a program. */
export const serial = defineSource({
  name: 'serial',
  summary: 'Reads CSI from a serial device, a named pipe, or the standard output of a command.',
  description: [
    'The stream may be of every kind of file that csiflow reads, cut as it comes: lines of an ESP32 among its log, frames',
    'one after the other, a pcap. Event time is the time of arrival, which never decreases, also over restarts; records',
    'are stored in the journal, as those of `udp` are.',
    '',
    'A device is set by `stty` to pass bytes as they are (`raw -echo -hupcl clocal`) at `baud`: 921,600 is what',
    "Espressif's `csi_recv` uses, 115,200 that of most other firmware, 2,000,000 that of esp-radar. Where it is not",
    'there, or goes, the node is degraded and it is tried again; so it is with a named pipe when its writer has gone. A',
    'device that may not be read, and a command that cannot be started, keep the topology from starting.',
    '',
    'A command that exits is restarted, and its last output on standard error is shown. The wait before it doubles from',
    'a quarter of a second to `reconnect_ms`, and is short again once the command has run for `reconnect_ms`. It is',
    'started without a',
    'shell, as a process group of its own, without the variables of the environment that begin with `CSIFLOW_`; at the',
    'stop it receives SIGTERM, and is killed after two seconds. Make it write without buffering (`tcpdump -U`): what',
    'it holds back arrives late. Topologies that are sent over the network may only name commands that are also in the',
    'files which csiflow was started with.',
    '',
    'A format without names (`esp32-serial`, `atheros`) belongs to the link whose `sender` is the `device` or',
    'the program, or what `sender` says, or to the link with `*`.',
  ].join('\n'),
  config,
  examples: [
    { title: "Espressif's csi_recv on a USB port", config: { device: '/dev/ttyUSB0' } },
    {
      title: 'The capture of a Raspberry Pi with nexmon_csi',
      config: {
        command: [
          'ssh',
          'pi@192.168.1.30',
          'sudo',
          'tcpdump',
          '-U',
          '-i',
          'wlan0',
          '-w',
          '-',
          'port',
          '5500',
        ],
      },
    },
    {
      title: 'Beamforming reports that a card in monitor mode hears',
      config: { command: ['tcpdump', '-U', '-i', 'wlan1', '-w', '-'], records: 'beamforming' },
    },
  ],
  outputs: ['csi', 'measure', 'event'],
  measures: ({ records }) => formatNamed(records).measurement,
  replayable: false,
  check: complaintsOf,
  claims: ({ device }, folder) =>
    device === undefined ? [] : [{ what: `the device ${resolve(folder, device)}`, field: 'device' }],
  create: (settings, context) => new SerialSource(settings, context),
});

/** Before the second try, milliseconds. */
const FIRST_RETRY_MS = 250;

class SerialSource extends DecodingSource {
  readonly #config: SerialSettings;
  readonly #context: Context;
  /** As the configuration names it. */
  readonly #name: string;
  #inbox: Inbox | undefined;
  #problem: string | null = null;
  #reconnects = 0;
  /** Consecutive attempts that failed, or ended early. */
  #failures = 0;

  constructor(settings: SerialSettings, context: Context) {
    super(formatNamed(settings.records), context, settings);
    this.#config = settings;
    this.#context = context;
    this.#name = settings.device ?? settings.command![0]!;
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    const isOver = () => output.signal.aborted;
    if (isOver()) return;
    const { device, sender = this.#name, reconnect_ms: longest } = this.#config;
    const { clock, random } = this.#context;
    const inbox = new Inbox(this.#config, this.#context, output, position as SerialPosition | null, sender);
    this.#inbox = inbox;
    try {
      for (; !isOver(); this.#reconnects++) {
        const began = clock.elapsed();
        const { hasHeard, why } = await this.#session(inbox, output);
        if (isOver()) return;
        // A command that prints a line and ends would otherwise be started several times a second.
        const hasWorked = hasHeard && (device !== undefined || clock.elapsed() - began >= longest);
        this.#failures = hasWorked ? 1 : this.#failures + 1;
        const wait = backoff(this.#failures, FIRST_RETRY_MS, longest, random);
        this.#tell(this.#withRetry(why, wait), output);
        await pause(wait, output.signal, clock);
      }
    } finally {
      inbox.close();
    }
  }

  reanchor(): void {
    this.#inbox?.reanchor();
  }

  describe(): Readonly<Record<string, unknown>> {
    const { device, command } = this.#config;
    return {
      ...(device === undefined ? { command: command![0] } : { device }),
      reconnects: this.#reconnects,
      failures: this.#failures,
      problem: this.#problem,
      ...this.#inbox?.describe(),
      ...this.decoder.describe(),
    };
  }

  /** The problem, and from the second one in a row when the next attempt follows. */
  #withRetry(why: string, wait: number): string {
    if (this.#config.device !== undefined || this.#failures < 2) return why;
    return `${why}; attempt ${this.#failures + 1} follows in ${(wait / 1000).toFixed(1)} s`;
  }

  /**
   * Opens the input and reads it to its end. @throws InputError if a person has to fix something first
   */
  async #session(inbox: Inbox, output: SourceOutput): Promise<Session> {
    const input = await this.#openInput();
    if (typeof input === 'string') return { hasHeard: false, why: input };
    output.ready?.();
    inbox.begin();
    if (input.isThere) this.#tell(null, output);
    const { signal } = output;
    const stop = () => void input.close();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const { hasHeard, failure } = await this.#read(input, inbox, output);
      const why = signal.aborted ? '' : await reasonOf(input, failure, this.#name);
      return { hasHeard, why };
    } finally {
      signal.removeEventListener('abort', stop);
      await input.close();
    }
  }

  /** A text with the reason if it may succeed later. */
  async #openInput(): Promise<ByteInput | string> {
    const { device, command, baud } = this.#config;
    const { folder, clock } = this.#context;
    try {
      return await (device === undefined
        ? startCommand(command!, folder, clock)
        : openDevice(resolve(folder, device), baud));
    } catch (error) {
      const isFinal = !(error instanceof InputError) || (!error.retriable && this.#reconnects === 0);
      if (isFinal) throw error;
      return error.message;
    }
  }

  /** Reads until no more data can arrive. */
  async #read(
    input: ByteInput,
    inbox: Inbox,
    output: SourceOutput,
  ): Promise<{ readonly hasHeard: boolean; readonly failure?: Error }> {
    let hasHeard = false;
    try {
      for await (const chunk of guarded(input.bytes)) {
        hasHeard = true;
        await inbox.receive(chunk);
        this.#tell(inbox.problem, output);
        // Unreadable input may arrive as fast as a program can write; other work needs its turn.
        if (inbox.problem !== null) await nextTurn();
      }
      // A record truncated by a stop is not damage.
      if (!output.signal.aborted) await inbox.end();
      return { hasHeard };
    } catch (error) {
      if (!(error instanceof InputError || error instanceof FormatError)) throw error;
      return { hasHeard, failure: error };
    }
  }

  #tell(problem: string | null, output: SourceOutput): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    output.problem?.(problem);
    if (problem === null) this.#context.log.info('reading', { input: this.#name });
    else this.#context.log.warn(problem);
  }
}

/** Whether an input gave data, and why it ended; no text if the source was stopped. */
interface Session {
  readonly hasHeard: boolean;
  readonly why: string;
}

/** Passes bytes through; an error that ends them is an InputError. */
async function* guarded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* bytes;
  } catch (error) {
    throw new InputError(errorText(error), true, error);
  }
}

/** Why reading stopped, for a person. */
async function reasonOf(input: ByteInput, failure: Error | undefined, name: string): Promise<string> {
  if (failure instanceof FormatError) return `${name}: ${failure.message}`;
  return input.reason(failure);
}
