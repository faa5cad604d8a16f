import type { Machine } from './machine.js';
import { chainSpeed } from './speed/operators.js';
import { checkpointPause } from './speed/checkpoint.js';
import { journalSpeed } from './speed/journal.js';
import { runtimeOverhead } from './speed/runtime-overhead.js';
import { clientsSpeed } from './speed/system/clients.js';
import { historySpeed } from './speed/system/history.js';
import { poseLatency } from './speed/system/latency.js';
import { memoryUse, type Memory } from './speed/system/memory.js';
import { restartAfterKill } from './speed/system/restart.js';
import { lossless, udpLine, type UdpStep } from './speed/system/udp-line.js';
import { mean } from '../operators/shared/mean.js';

/** A line of the table: the target, the result, and the same measurement as its own control. */
export interface Result {
  readonly what: string;
  readonly target: string;
  readonly reached: string;
  readonly control: string;
  readonly met: boolean;
  /** All measured figures. */
  readonly figures: unknown;
}

/** A result with when and where it was measured. */
export interface MeasuredResult extends Result {
  /** Day in UTC, like `2026-11-27`. */
  readonly date: string;
  /** The machine, with the load of the minute before. */
  readonly machine: Machine;
}

export interface LineOptions {
  /** Fewer rounds and shorter runs: a quick check, not a publishable figure. */
  readonly quick: boolean;
  readonly memorySeconds: number;
  /** Called with the current measurement. */
  readonly progress: (line: string) => void;
}

interface Measurement {
  readonly summary: string;
  readonly measure: (options: LineOptions) => Promise<readonly Result[]>;
}

/** Measurements of the line from a datagram to a stored result, by name. */
export const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  chain: { summary: 'decode, denoise, phase-sanitize and window on one core', measure: chain },
  runtime: { summary: 'the runtime over a plain loop', measure: runtime },
  journal: { summary: 'the journal', measure: journal },
  checkpoint: { summary: 'the pause of a checkpoint of 100 links', measure: checkpoint },
  udp: { summary: 'UDP through the chain with and without poses, and to a bare socket', measure: udp },
  restart: { summary: 'the start after a kill', measure: restart },
  latency: { summary: 'from a datagram to its pose on the WebSocket', measure: latency },
  clients: { summary: '200 WebSocket clients and 500 REST requests/s at 2,000 frames/s', measure: clients },
  history: { summary: 'pages of history over ten million stored persons, by REST', measure: history },
  memory: { summary: 'resident memory at 1,000 frames/s', measure: memory },
};

async function chain({ quick, progress }: LineOptions): Promise<Result[]> {
  const targets = { 64: 100_000, 256: 20_000 } as const;
  return ([64, 256] as const).map((bins) => {
    progress(`decode chain, ${bins} subcarriers`);
    const figures = chainSpeed(bins, quick ? 3 : 9);
    const { framesPerSecond, control } = figures;
    return {
      what: `decode, denoise, phase-sanitize, window on one core, ${bins} subcarriers`,
      target: `${thousands(targets[bins])} frames/s`,
      reached: `${thousands(framesPerSecond)} frames/s (${(1e6 / framesPerSecond).toFixed(1)} us each)`,
      control: control.toFixed(3),
      met: framesPerSecond >= targets[bins],
      figures,
    };
  });
}

async function runtime({ quick, progress }: LineOptions): Promise<Result[]> {
  progress('runtime and plain loop, in turn');
  const figures = await runtimeOverhead(quick ? 3 : 9);
  const { overhead, control, pairs } = figures;
  return [
    {
      what: 'runtime over a plain loop of the same steps, blocks of 64',
      target: 'at most 5 %',
      reached: `${percent(overhead)} (${pairs} pairs)`,
      control: percent(control),
      met: overhead <= 0.05,
      figures,
    },
  ];
}

async function journal({ quick, progress }: LineOptions): Promise<Result[]> {
  progress('journal');
  const [first, second] = await twice(() => journalSpeed(quick ? 2 : 5));
  const { recordsPerSecond: rate, threadMicrosecondsPerRecord: cost } = first;
  return [
    {
      what: 'journal, records of 148 bytes',
      target: '500,000 records/s, at most 0.5 us of the pump each',
      reached: `${thousands(rate)} records/s, ${cost.toFixed(2)} us`,
      control: (second.recordsPerSecond / rate).toFixed(2),
      met: rate >= 500_000 && cost <= 0.5,
      figures: [first, second],
    },
  ];
}

async function checkpoint({ quick, progress }: LineOptions): Promise<Result[]> {
  progress('checkpoints of 100 links');
  const [first, second] = await twice(() => checkpointPause(100, quick ? 5 : 15));
  return [
    {
      what: 'checkpoint of 100 links: the pump stands still for',
      target: 'at most 10 ms',
      reached: `${first.medianMs.toFixed(1)} ms (longest of ${first.checkpoints}: ${first.longestMs.toFixed(1)} ms)`,
      control: (second.medianMs / first.medianMs).toFixed(2),
      met: first.medianMs <= 10,
      figures: [first, second],
    },
  ];
}

const [ONE, FOUR] = [
  { links: 1, subcarriers: 64 },
  { links: 4, subcarriers: 128 },
] as const;
const UDP_ROWS = [
  { chain: 'poses', ...ONE, rates: [40_000, 60_000, 80_000, 100_000] },
  { chain: 'poses', ...FOUR, rates: [25_000, 35_000, 50_000] },
  { chain: 'motion', ...ONE, rates: [60_000, 80_000, 100_000, 125_000] },
] as const;
const OPERATORS = {
  poses: 'detect-motion, infer-pose, track-persons, detect-falls',
  motion: 'detect-motion',
} as const;
const QUICK_RATE = 5_000;

/** The last rate of each row is its target. A bare socket of Node receives the same datagrams in the same run. */
async function udp({ quick, progress }: LineOptions): Promise<Result[]> {
  const seconds = quick ? 3 : 5;
  const ratesOf = (rates: readonly number[]) => (quick ? [QUICK_RATE] : rates);
  const bare = await udpLine(
    { chain: 'bare', ...ONE, rates: ratesOf([125_000, 250_000]) },
    seconds,
    progress,
  );
  const ofBare = Math.max(...bare.map(({ received, sent, reached }) => (reached * received) / sent));
  const results: Result[] = [];
  for (const row of UDP_ROWS) {
    const steps = await udpLine({ ...row, rates: ratesOf(row.rates) }, seconds, progress);
    const [target, best] = [row.rates.at(-1)!, lossless(steps)];
    const last = steps.slice(-2);
    results.push({
      what: `UDP without loss, ${row.links} x ${row.subcarriers} subcarriers: socket, journal, decode, denoise, phase-sanitize, window, ${OPERATORS[row.chain]}, duckdb`,
      target: `${thousands(target)} datagrams/s`,
      reached: `${thousands(best)} datagrams/s, ${(best / ofBare).toFixed(2)} of what a bare socket received; ${atRate(last)} (bare socket: ${atRate(bare.slice(-2))})`,
      control: last.map(({ received, sent }) => (received / sent).toFixed(3)).join(' / '),
      met: best >= 0.99 * target,
      figures: [...steps, ...bare],
    });
  }
  return results;
}

/** What two runs at one rate lost and needed. */
function atRate(steps: readonly UdpStep[]): string {
  const both = (show: (step: UdpStep) => string) => steps.map(show).join(' and ');
  return `at ${both(({ reached }) => thousands(reached))}/s it lost ${both(({ lost, sent }) => percent(lost / sent))}, dropped ${both(({ dropped }) => thousands(dropped))} windows and took ${both(({ microseconds }) => microseconds.toFixed(1))} us of processor time each`;
}

async function restart({ quick, progress }: LineOptions): Promise<Result[]> {
  const figures = await restartAfterKill(quick ? 20_000 : 50_000, progress);
  const [loaded, idle] = [figures.slice(0, 2), figures.slice(2)];
  const allowed = ({ backlog }: { readonly backlog: number }) => 1.5 + backlog / 50_000;
  return [
    {
      what: 'start after a kill under full load, until all of the journal is processed',
      target: '1.5 s and the backlog at 50,000 frames/s',
      reached: loaded
        .map((run) => `${run.seconds.toFixed(2)} s with ${thousands(run.backlog)} frames`)
        .join(', '),
      control: `idle: ${idle.map(({ seconds }) => `${seconds.toFixed(2)} s`).join(', ')}`,
      met: loaded.every((run) => run.seconds <= allowed(run)),
      figures,
    },
  ];
}

/** Milliseconds, by the number of rooms. */
const LATENCY_TARGETS = [
  { rooms: 1, target: { p50: 3, p99: 10 } },
  { rooms: 5, target: { p50: 5, p99: 15 } },
];

async function latency({ quick, progress }: LineOptions): Promise<Result[]> {
  const results: Result[] = [];
  for (const { rooms, target } of LATENCY_TARGETS) {
    progress(`from datagrams to poses, 1,000 frames/s of ${4 * rooms} links`);
    const [first, second] = await twice(() => poseLatency(quick ? 8 : 30, rooms));
    const { p50, p99, network, poses } = first;
    results.push({
      what: `from the datagram that closes a window to its pose on the WebSocket, besides the network; ${
        rooms === 1 ? 'one room' : `${rooms} rooms, waiting for each other's turn at the network included`
      }`,
      target: `median ${target.p50} ms, p99 ${target.p99} ms`,
      reached: `median ${ms(p50)}, p99 ${ms(p99)} (${poses} poses; the network: ${ms(network.p50)}, ${ms(network.p99)})`,
      control: `median ${ms(second.p50)}, p99 ${ms(second.p99)}`,
      met: p50 <= target.p50 && p99 <= target.p99,
      figures: [first, second],
    });
  }
  return results;
}

async function clients({ quick, progress }: LineOptions): Promise<Result[]> {
  progress('200 WebSocket clients, 500 REST requests/s');
  const [first, second] = await twice(() => clientsSpeed(quick ? 10 : 60));
  const shown = ({ p50, p99, errors }: typeof first) => `p50 ${ms(p50)}, p99 ${ms(p99)}, ${errors} errors`;
  const { requests, webSockets, updates, frames, load, cores, coresAlone } = first;
  const sum = ({ user, system }: { readonly user: number; readonly system: number }) =>
    (user + system).toFixed(2);
  return [
    {
      what: '500 REST requests/s over keep-alive and 200 WebSocket clients with 20 filters, at 2,000 frames/s through the network, tracking, falls and duckdb; the clients share the cores',
      target: 'no error, p99 stated',
      reached: `${shown(first)} of ${thousands(requests)}; ${webSockets.opened - webSockets.closed} WebSockets to the end, ${thousands(updates)} updates; ${thousands(frames.received)} of ${thousands(frames.sent)} frames; csiflow used ${sum(cores.csiflow)} cores, ${coresAlone.toFixed(2)} before the clients came, and they ${sum(cores.clients)} (load ${load.toFixed(1)})`,
      control: `${shown(second)} (load ${second.load.toFixed(1)})`,
      met: [first, second].every((run) => run.errors === 0 && run.webSockets.closed === 0),
      figures: [first, second],
    },
  ];
}

/** Milliseconds, p99 of each page. */
const PAGE_TARGET = 50;

async function history({ quick, progress }: LineOptions): Promise<Result[]> {
  const figures = await historySpeed(quick ? 1_000_000 : 10_000_000, progress);
  const { atRest, whileWriting, persons, load } = figures;
  const slowest = (pages: typeof atRest) => Math.max(...pages.map(({ p99 }) => p99));
  const shown = (pages: typeof atRest) =>
    pages.map(({ page, p50, p99 }) => `${page}: ${ms(p50)} (p99 ${ms(p99)})`).join('; ');
  return [
    {
      what: `pages of 100 of the history of ${thousands(persons)} stored persons, by REST, 200 calls of each`,
      target: `p99 of each ${PAGE_TARGET} ms`,
      reached: `${shown(atRest)} (load ${load.toFixed(1)})`,
      control: `while frames arrive: ${shown(whileWriting)}`,
      met: slowest(atRest) <= PAGE_TARGET && slowest(whileWriting) <= PAGE_TARGET,
      figures,
    },
  ];
}

const MEMORY_TARGET_MB = 250;
/** A shorter run says nothing about the slope, so its target is the memory alone. */
const SLOPE_SECONDS = 600;

async function memory({ quick, memorySeconds, progress }: LineOptions): Promise<Result[]> {
  const seconds = quick ? Math.min(30, memorySeconds) : memorySeconds;
  progress(`memory, ${seconds} s`);
  return [memoryResult(await memoryUse({ seconds, rooms: 5, frames: 1_000, progress }), seconds)];
}

/** @param seconds how long memory was watched */
export function memoryResult(figures: Memory, seconds: number): Result {
  const { samples, highest, slope, error, sent, lost } = figures;
  const half = samples.length >> 1;
  const isLong = seconds >= SLOPE_SECONDS;
  return {
    what: 'memory at 1,000 frames/s of 5 rooms with WASM',
    target: `${MEMORY_TARGET_MB} MB, ${isLong ? 'slope 0 within noise' : 'slope not judged below ten minutes'}`,
    reached: `${highest} MB at most over ${seconds} s, ${slope.toFixed(1)} ± ${error.toFixed(1)} MB a minute in the second half; ${lost} of ${sent} frames lost`,
    control: `second half over first: ${(mean(samples.slice(half)) / mean(samples.slice(0, half))).toFixed(3)}`,
    met: highest <= MEMORY_TARGET_MB && (!isLong || slope <= 2 * error),
    figures,
  };
}

/** The second measurement is the control of the first. */
const twice = async <T>(measure: () => Promise<T>): Promise<readonly [T, T]> => [
  await measure(),
  await measure(),
];

const thousands = (value: number): string => Math.round(value).toLocaleString('en-US');
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
