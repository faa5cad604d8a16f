import { fork } from 'node:child_process';
import { once } from 'node:events';
import { compiledModule } from '../../../pipeline/base/paths.js';
import { processorSeconds } from '../processor-time.js';
import { endWithThis } from '../../shared/children.js';
import { pause, receivedFrames, runOn, sendFrom, type Service } from './service.js';
import type { SiteOptions } from './site.js';

/** A running program that receives ADR-018 datagrams. */
export interface Program {
  readonly pid: number;
  readonly port: number;
  readonly processed: () => Promise<number>;
  /** Windows and other records dropped behind its input, so that results are missing. Absent: nobody counts them. */
  readonly dropped?: () => Promise<number>;
  /** Resolves once nothing more is processed. */
  readonly settled: () => Promise<void>;
  readonly end: () => Promise<void>;
}

export interface Load {
  readonly links: number;
  /** Subcarriers of a datagram. */
  readonly subcarriers: number;
  /** Datagrams per second, over all links. */
  readonly rate: number;
  readonly seconds: number;
}

export interface Driven {
  readonly sent: number;
  /** How long sending took. */
  readonly seconds: number;
  readonly processed: number;
  /** See {@link Program.dropped}; null if nobody counts them. */
  readonly dropped: number | null;
  /** Processor time of all threads, seconds. */
  readonly used: number;
}

/** Sends datagrams to a program, after some that warm it up, and ends it. */
export async function drive(program: Program, { links, subcarriers, rate, seconds }: Load): Promise<Driven> {
  try {
    // These fields alone: the order goes to another thread, which functions of the caller's options cannot.
    const order = { links, subcarriers, rate, seconds, port: program.port, times: false };
    await sendFrom({ ...order, rate: Math.min(rate, WARM_UP_RATE), seconds: WARM_UP_S });
    await program.settled();
    const [before, dropped] = [await program.processed(), await program.dropped?.()];
    const used = await processorSeconds(program.pid);
    const { sent, seconds: took } = await sendFrom(order);
    await program.settled();
    return {
      sent,
      seconds: took,
      processed: (await program.processed()) - before,
      dropped: dropped === undefined ? null : (await program.dropped!()) - dropped,
      used: (await processorSeconds(program.pid)) - used,
    };
  } finally {
    await program.end();
  }
}

const [WARM_UP_RATE, WARM_UP_S] = [2_000, 3];

/** Starts csiflow on a site of its own. */
export async function csiflowOn(options: SiteOptions): Promise<Program> {
  const { site, service, end } = await runOn(options);
  const processed = () => receivedFrames(service);
  return {
    pid: service.pid,
    port: site.udpPort,
    processed,
    dropped: () => droppedBehind(service),
    settled: () => untilStill(processed),
    end,
  };
}

/** Records dropped behind the source. A window that repeats the one before it is none: its room has fallen silent. */
export async function droppedBehind(service: Pick<Service, 'metrics'>): Promise<number> {
  const name = 'csiflow_dropped_total';
  const [all, ofSource, repeated] = await service.metrics([
    [name, ''],
    [name, 'node="routers"'],
    [name, 'reason="repeated"'],
  ]);
  return all! - ofSource! - repeated!;
}

/** Starts a process that counts datagrams and does nothing else. */
export async function bareSocket(): Promise<Program> {
  const child = endWithThis(() => fork(compiledModule(import.meta.url, './bare-socket.js')));
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the bare socket ended early, with ${String(code)}`);
  });
  const message = async () => ((await Promise.race([once(child, 'message'), ended])) as [number])[0];
  const processed = () => {
    child.send('count');
    return message();
  };
  const port = await message();
  ended.catch(() => undefined);
  const end = async () => {
    const exit = once(child, 'exit');
    child.disconnect();
    await exit;
  };
  return { pid: child.pid!, port, processed, settled: () => untilStill(processed), end };
}

/** Waits until the counter has been constant for a second. */
export async function untilStill(processed: () => Promise<number>): Promise<void> {
  for (let last = -1, now = await processed(); now !== last; now = await processed()) {
    last = now;
    await pause(1000);
  }
}
