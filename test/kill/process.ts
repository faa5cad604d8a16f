import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packageFolder } from '../../pipeline/base/paths.js';

/** Input of a process of child.ts. */
export interface ChildInput {
  readonly folder: string;
  readonly source: Kind;
  readonly port?: number;
  readonly path?: string;
  /** Configuration of the source if it is a broker's. */
  readonly from?: Readonly<Record<string, unknown>>;
  /** Event time of the last record of an endless source, which marks its end. */
  readonly until?: number;
  /** Playback speed relative to the recording; 0 for as fast as possible. */
  readonly speed?: number;
  readonly blockRecords: number;
  /** Reads to the end and then waits, as a live source does. */
  readonly hold?: boolean;
  /** Includes the pose network itself. */
  readonly network?: boolean;
  readonly sinks?: ChildSinks;
  /** `settings.threads`. */
  readonly threads?: number;
}

/** Sources that are killed; `follow` is `file` with a file that grows. */
export const KINDS = ['file', 'simulator', 'udp', 'kafka', 'mqtt', 'follow'] as const;
export type Kind = (typeof KINDS)[number];

/** Sinks besides the store and the file, which are always there. */
export interface ChildSinks {
  readonly webhook?: string;
  /** Configurations of the sinks. */
  readonly mqtt?: Readonly<Record<string, unknown>>;
  readonly influxdb?: Readonly<Record<string, unknown>>;
  readonly kafka?: Readonly<Record<string, unknown>>;
}

export interface Started {
  readonly process: ChildProcess;
  readonly running: Promise<void>;
  /** Resolves when the source has read all its input. */
  readonly read: Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

const builtAs = (name: string): string =>
  join(packageFolder, `node_modules/.cache/csiflow-kill/${name}-${process.pid}.mjs`);
const child = builtAs('child');
const folders: string[] = [];
const built: string[] = [];
const running = new Set<ChildProcess>();

export const buildChild = () => buildProcess('child');

/** Bundles a script of this folder into one file. @returns its path */
export async function buildProcess(name: string): Promise<string> {
  const outfile = builtAs(name);
  built.push(outfile);
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    outfile,
    // It is started a thousand times: one small file loads in half the time.
    bundle: true,
    minify: true,
    external: [
      '@duckdb/*',
      'lmdb',
      'pino',
      'kafkajs',
      'mqtt',
      '@tensorflow/*',
      'lz4-napi',
      '@bokuweb/*',
      '@node-rs/*',
    ],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  return outfile;
}

/** Ends all processes and removes all files created here. */
export function cleanUp(): void {
  for (const started of running) started.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  for (const file of built.splice(0)) rmSync(file, { force: true });
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-kill-'));
  folders.push(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** @param killAt `point:count` at which it kills itself @param script built script instead of child.ts */
export function start(input: object, killAt?: string, script = child): Started {
  const started = spawn(process.execPath, [script, JSON.stringify(input)], {
    env: { ...process.env, ...(killAt === undefined ? {} : { CSIFLOW_KILL_AT: killAt }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(started);
  let text = '';
  started.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const said = (word: string): Promise<void> =>
    new Promise((resolve) => {
      started.stdout.on('data', () => {
        if (text.includes(word)) resolve();
      });
    });
  return {
    process: started,
    running: said('running\n'),
    read: said('read\n'),
    ended: new Promise((resolve) => {
      started.on('exit', (code, signal) => {
        running.delete(started);
        resolve({ code, signal });
      });
    }),
  };
}
