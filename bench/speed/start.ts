import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';
import { median } from './bench-line.js';
import { processorSeconds } from './processor-time.js';

/** Starts of the demo. Times in milliseconds. */
export interface StartSpeed {
  /** `this version`, the same again as its control, or another folder. */
  readonly version: string;
  /** From the start of the process until `/readyz` answers 200: median, shortest and longest. */
  readonly ready: readonly [number, number, number];
  /** Processor time of all threads until then, and of the main thread. */
  readonly cpu: readonly [number, number, number];
  readonly mainThread: readonly [number, number, number];
  /** Median of its times over those of this version in the same round: `ready`, and processor time. */
  readonly overThis: readonly [ready: number, cpu: number];
}

interface Start {
  readonly ready: number;
  readonly cpu: number;
  readonly mainThread: number;
}

export interface StartOptions {
  readonly rounds: number;
  /** Folder of another checkout that is compiled; null: none. */
  readonly against: string | null;
  readonly progress: (line: string) => void;
}

/** Starts this version, the same again, and another one in turn; the first round warms up the disk. */
export async function startSpeed({
  rounds,
  against,
  progress,
}: StartOptions): Promise<readonly StartSpeed[]> {
  const versions = [
    { version: 'this version', folder: packageFolder },
    { version: 'this version, again', folder: packageFolder },
    ...(against === null ? [] : [{ version: against, folder: against }]),
  ];
  const starts = versions.map((): Start[] => []);
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`);
    for (const [index, { folder }] of versions.entries()) {
      const start = await startOnce(folder);
      if (round > 0) starts[index]!.push(start);
    }
  }
  return versions.map(({ version }, index) => summary(version, starts[index]!, starts[0]!));
}

function summary(version: string, starts: readonly Start[], own: readonly Start[]): StartSpeed {
  const spread = (part: keyof Start): [number, number, number] => {
    const values = starts.map((start) => start[part]);
    return [median(values), Math.min(...values), Math.max(...values)];
  };
  const over = (part: keyof Start): number =>
    median(starts.map((start, round) => start[part] / own[round]![part]));
  return {
    version,
    ready: spread('ready'),
    cpu: spread('cpu'),
    mainThread: spread('mainThread'),
    overThis: [over('ready'), over('cpu')],
  };
}

/** A first start: the state folder is empty. */
async function startOnce(folder: string): Promise<Start> {
  const data = await mkdtemp(join(tmpdir(), 'csiflow-bench-'));
  const port = await freePort();
  const begun = performance.now();
  const words = ['run', packageFile('topologies/demo.yaml'), '--port', String(port)];
  const child = spawn(process.execPath, [join(folder, 'dist/api/cli/csiflow.js'), ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, CSIFLOW_DATA: data },
  });
  const exit = once(child, 'exit');
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`${folder}: csiflow ended with code ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const ready = performance.now() - begun;
    const [all, main] = [
      await processorSeconds(child.pid!),
      await processorSeconds(`${child.pid}/task/${child.pid}`),
    ];
    return { ready, cpu: all * 1000, mainThread: main * 1000 };
  } finally {
    child.kill('SIGINT');
    await exit;
    await rm(data, { recursive: true });
  }
}

/** False while nothing listens. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    request({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume().once('end', () => {
        resolve(response.statusCode === 200);
      });
    })
      .once('error', () => {
        resolve(false);
      })
      .end();
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
