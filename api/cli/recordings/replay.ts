import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { rawRecord } from '../../../pipeline/component/index.js';
import type { Problem } from '../../../pipeline/formats/index.js';
import type { Recording } from '../../../pipeline/sources/recording.js';

/** Totals of a replay. */
export interface Replayed {
  readonly records: number;
  readonly bytes: number;
  /** Duration, seconds. */
  readonly seconds: number;
  /** Largest delay of a datagram, milliseconds; 0 at speed 0. */
  readonly latest_ms: number;
  readonly problems: number;
}

/** Options of a replay. */
export interface ReplayOptions {
  readonly host: string;
  readonly port: number;
  /** Factor on the recorded pace; 0: as fast as possible. */
  readonly speed: number;
  readonly signal: AbortSignal;
  readonly onProgress: (sent: { readonly records: number; readonly recordedSeconds: number }) => void;
  readonly onProblem: (problem: Problem) => void;
  /** Called once when the other machine reports a closed port. */
  readonly onUnheard: () => void;
}

/**
 * Sends the records of a recording as datagrams, each when it is due. Due times count from the first record,
 * so errors do not add up; datagrams due in the same millisecond leave together.
 */
export async function replay(recording: Recording, options: ReplayOptions): Promise<Replayed> {
  const { host, port, signal } = options;
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  const begun = performance.now();
  const pace = new Pace(options.speed);
  let records = 0;
  let bytes = 0;
  let problems = 0;
  let failure: Error | undefined;
  let heard = true;
  const unheard = () => {
    if (heard) options.onUnheard();
    heard = false;
  };
  try {
    await connect(socket, port, host);
    // The answer to a rejected datagram arrives with a later one, or between two.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') unheard();
      else failure = error;
    });
    for await (const batch of recording.batches(256)) {
      problems += batch.problems.length;
      for (const problem of batch.problems) options.onProblem(problem);
      for (let i = 0; i < batch.raw.count && !signal.aborted; i++) {
        if (!(await pace.due(batch.raw.time[i]!, signal))) break;
        const record = rawRecord(batch.raw, i);
        // A clock tick is not a datagram.
        if (record.length === 0) continue;
        await send(socket, record, unheard);
        if (failure) throw failure;
        records++;
        bytes += record.length;
      }
      options.onProgress({ records, recordedSeconds: pace.recordedSeconds });
      if (signal.aborted) break;
    }
  } finally {
    await new Promise<void>((resolve) => {
      socket.close(resolve);
    });
  }
  return { records, bytes, seconds: (performance.now() - begun) / 1000, latest_ms: pace.latest, problems };
}

/** Schedules records. */
class Pace {
  readonly #speed: number;
  #firstTime = NaN;
  #begun = 0;
  #newest = NaN;
  latest = 0;

  constructor(speed: number) {
    this.#speed = speed;
  }

  get recordedSeconds(): number {
    return Number.isNaN(this.#newest) ? 0 : (this.#newest - this.#firstTime) / 1e6;
  }

  /** Waits until a record of `time` (microseconds) is due. False if the signal aborted. */
  async due(time: number, signal: AbortSignal): Promise<boolean> {
    if (Number.isNaN(this.#firstTime)) {
      this.#firstTime = time;
      this.#begun = performance.now();
    }
    this.#newest = time;
    if (this.#speed === 0) return !signal.aborted;
    const due = this.#begun + (time - this.#firstTime) / 1000 / this.#speed;
    for (let wait = due - performance.now(); wait > 0; wait = due - performance.now()) {
      if (wait > 1) await wake(wait - 0.5, signal);
      else await new Promise<void>((resolve) => setImmediate(resolve));
      if (signal.aborted) return false;
    }
    this.latest = Math.max(this.latest, performance.now() - due);
    return true;
  }
}

async function wake(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.min(milliseconds, 1e9), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** @throws CommandError if the other machine cannot be found */
const connect = (socket: Socket, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const failed = ({ code, message }: NodeJS.ErrnoException) => {
      const why = code === 'ENOTFOUND' ? 'its name does not exist' : message;
      reject(new CommandError(`${host} cannot be reached: ${why}. Check --to`, EXIT.unavailable));
    };
    socket.once('error', failed);
    // Not as a callback: that is also called with the error.
    socket.once('connect', () => {
      socket.off('error', failed);
      resolve();
    });
    socket.connect(port, host);
  });

const send = (socket: Socket, bytes: Uint8Array, unheard: () => void): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.send(bytes, (error) => {
      // The port has no listener (yet): the datagram is lost, like one sent by radio.
      const refused = error && (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
      if (refused) unheard();
      if (error && !refused) reject(error);
      else resolve();
    });
  });
