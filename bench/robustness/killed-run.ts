import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageFile } from '../../pipeline/base/paths.js';

/** How a csiflow process ended. */
export interface Ending {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: string;
}

/** Folder of all the topology's files, within the run's own. */
export const DATA = 'data';
export const STORE = join(DATA, 'history.duckdb');
export const LINES = join(DATA, 'lines.ndjson');
export const STATE = join(DATA, 'state');
/** The sink whose server is offline: its records wait in its outbox. */
export const WAITING = 'waiting';
export const TOPOLOGY_ID = 'attacked';

const TOPOLOGY = 'topology.yaml';
const SECONDS = 40;
/**
 * Playback speeds relative to the recording; slower if the run is to be killed before it ends, even on a busy
 * machine.
 */
const [SPEED, SLOWLY] = [20, 4];
/** Size of a lines file before rotation, bytes: the scene fills several. */
const ROTATE_BYTES = 16_384;
/** The run is stopped, and later another one killed, after this many bytes of lines. */
const [STOP_AT, KILL_AT] = [20_000, 45_000];
/** No start and no run takes this long, even on a busy machine. */
const HANGS_MS = 600_000;

const ENVIRONMENT = packageFile('topologies/environments/demo-flat.yaml');

const topologyText = (speed: number): string => `id: ${TOPOLOGY_ID}
environment: ${ENVIRONMENT}
sources:
  room: { type: file, path: scene.csi, speed: ${speed} }
operators:
  windows: { type: window, from: room, length_ms: 1000, hop_ms: 100, points: 50 }
  motion: { type: detect-motion, from: windows }
sinks:
  history: { type: duckdb, from: motion, path: ${STORE}, commit_interval_ms: 50 }
  lines: { type: file, from: motion, path: ${LINES}, rotate_bytes: ${ROTATE_BYTES} }
  ${WAITING}: { type: influxdb, from: motion, url: "http://127.0.0.1:9", database: none }
settings:
  state_folder: ${STATE}
  checkpoint_interval_ms: 100
`;

const sceneText = (): string => `id: scene
environment: ${ENVIRONMENT}
sources:
  room: { type: simulator, rate_hz: 50, seed: 7 }
operators:
  windows: { type: window, from: room }
  motion: { type: detect-motion, from: windows }
sinks:
  lines: { type: console, from: motion }
`;

/** A recording and a topology, before anything has run. */
export async function makeRun(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-damage-'));
  const scene = join(folder, 'scene.yaml');
  await writeFile(scene, sceneText());
  await setSpeed(folder, SPEED);
  const to = join(folder, 'scene.csi');
  const made = await csiflow(['simulate', scene, '--out', to, '--seconds', String(SECONDS)]);
  if (made.code !== 0) throw new Error(`the scene cannot be made: ${made.said}`);
  return folder;
}

/** The same recording and topology, with all stored files. */
export async function copyOf(run: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-damage-'));
  await cp(run, folder, { recursive: true });
  return folder;
}

export const remove = (run: string): Promise<void> => rm(run, { recursive: true });

/** Resets the run to its initial state. */
export const forget = (run: string): Promise<void> => rm(join(run, DATA), { recursive: true });

/** Restores all stored files from a copy. */
export async function putBack(run: string, copy: string): Promise<void> {
  await forget(run);
  await cp(join(copy, DATA), join(run, DATA), { recursive: true });
}

/** Runs to the end of the recording. */
export const finish = (run: string): Promise<Ending> => csiflow(runOf(run));

/** Stops it once gracefully, so that all stores hold data, and kills it later. */
export async function kill(run: string): Promise<void> {
  await setSpeed(run, SLOWLY);
  for (const [bytes, signal] of [
    [STOP_AT, 'SIGTERM'],
    [KILL_AT, 'SIGKILL'],
  ] as const) {
    const child = start(runOf(run));
    const ended = endingOf(child);
    // The killed run must have written to the database too: check for its WAL.
    const isThere = async () =>
      (await bytesOfLines(run)) >= bytes && (signal === 'SIGTERM' || existsSync(join(run, `${STORE}.wal`)));
    while (!(await isThere())) {
      if (child.exitCode !== null) throw new Error(`it ended before it was killed: ${(await ended).said}`);
      await sleep(5);
    }
    child.kill(signal);
    await ended;
  }
  await setSpeed(run, SPEED);
}

const setSpeed = (run: string, speed: number): Promise<void> =>
  writeFile(join(run, TOPOLOGY), topologyText(speed));

const runOf = (run: string): readonly string[] => [
  'run',
  join(run, TOPOLOGY),
  ...['--no-api', '--until-end', '--log', 'warn'],
];

/** All lines, in order. */
export async function linesOf(run: string): Promise<string> {
  const texts = await Promise.all((await filesOfLines(run)).map((file) => readFile(file, 'utf8')));
  return texts.join('');
}

async function filesOfLines(run: string): Promise<readonly string[]> {
  const names = (await readdir(join(run, DATA))).filter((name) => name.endsWith('.ndjson')).sort();
  return names.map((name) => join(run, DATA, name));
}

async function bytesOfLines(run: string): Promise<number> {
  try {
    const files = await Promise.all((await filesOfLines(run)).map((file) => stat(file)));
    return files.reduce((total, { size }) => total + size, 0);
  } catch (error) {
    // It has not created its folder yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Runs a csiflow command to its end. */
export const csiflow = (options: readonly string[]): Promise<Ending> => endingOf(start(options));

const start = (options: readonly string[]): ChildProcess =>
  spawn(process.execPath, [packageFile('dist/api/cli/csiflow.js'), ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });

async function endingOf(child: ChildProcess): Promise<Ending> {
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
  const hangs = setTimeout(() => {
    said += `\nit was ended after ${HANGS_MS / 1000} s`;
    child.kill('SIGKILL');
  }, HANGS_MS);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(hangs);
  return { code, signal, said };
}
