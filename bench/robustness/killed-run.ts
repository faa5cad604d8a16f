import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageFile } from '../../pipeline/base/paths.js';

/** How a csiflow ended. */
export interface Ending {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: string;
}

/** Folder of all that the topology keeps, within the one of the run. */
export const DATA = 'data';
export const STORE = join(DATA, 'history.duckdb');
export const LINES = join(DATA, 'lines.ndjson');
export const STATE = join(DATA, 'state');
/** The sink whose server is away: what it is to get waits in its outbox. */
export const WAITING = 'waiting';
export const TOPOLOGY_ID = 'attacked';

const TOPOLOGY = 'topology.yaml';
const SECONDS = 40;
/** Times as fast as it was recorded; slower where the run is to be killed in its midst, on a busy machine too. */
const [SPEED, SLOWLY] = [20, 4];
/** Of event time in one file of lines, bytes: the scene gives several. */
const ROTATE_BYTES = 16_384;
/** Bytes of lines after which the run is stopped, and another one killed. */
const [STOP_AT, KILL_AT] = [20_000, 45_000];
/** No start and no run takes that long, on a busy machine either. */
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

/** The same recording and topology, with all that was kept. */
export async function copyOf(run: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-damage-'));
  await cp(run, folder, { recursive: true });
  return folder;
}

export const remove = (run: string): Promise<void> => rm(run, { recursive: true });

/** Nothing has run any more. */
export const forget = (run: string): Promise<void> => rm(join(run, DATA), { recursive: true });

/** All that is kept is as it was when it was copied. */
export async function putBack(run: string, copy: string): Promise<void> {
  await forget(run);
  await cp(join(copy, DATA), join(run, DATA), { recursive: true });
}

/** Runs to the end of the recording. */
export const finish = (run: string): Promise<Ending> => csiflow(runOf(run));

/** Stops it once on its own terms, so that all stores hold something, and kills it later on. */
export async function kill(run: string): Promise<void> {
  await setSpeed(run, SLOWLY);
  for (const [bytes, signal] of [
    [STOP_AT, 'SIGTERM'],
    [KILL_AT, 'SIGKILL'],
  ] as const) {
    const child = start(runOf(run));
    const ended = endingOf(child);
    // What is killed has written to the database, too: its log is there.
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
    // It has not made its folder yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Runs a command of csiflow to its end. */
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
