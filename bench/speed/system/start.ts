import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { newTemporaryFolder, removeTemporaryFolder } from '../../../pipeline/base/temporary-folders.js';
import { packageFolder } from '../../../pipeline/base/paths.js';
import { median } from '../bench-line.js';
import { inTurn } from '../in-turn.js';
import { processorSeconds } from '../processor-time.js';
import { endWithThis } from '../../shared/children.js';
import { pause, tokenOf } from './service.js';

/** Starts of the demo. Times in milliseconds. */
export interface StartSpeed {
  /** `this version`, the same again as its control, or another folder. */
  readonly version: string;
  /** From the start of the process until `/readyz` answers 200: median, shortest and longest. */
  readonly ready: readonly [number, number, number];
  /** Processor time of all threads until then, and of the main thread. */
  readonly cpu: readonly [number, number, number];
  readonly mainThread: readonly [number, number, number];
  /** From the start of the process until `GET /pose/latest` answers with a pose frame, asked every 50 ms. */
  readonly pose: readonly [number, number, number];
  /** Processor time of all threads until then. */
  readonly poseCpu: readonly [number, number, number];
  /** Medians of its times over those of this version in the same round. */
  readonly overThis: readonly [ready: number, cpu: number, pose: number, poseCpu: number];
  /** The same of each round. */
  readonly overThisInRounds: readonly [
    ready: readonly number[],
    cpu: readonly number[],
    pose: readonly number[],
    poseCpu: readonly number[],
  ];
}

interface Start {
  readonly ready: number;
  readonly cpu: number;
  readonly mainThread: number;
  readonly pose: number;
  readonly poseCpu: number;
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
    for (const [index, { folder }] of inTurn(versions, round)) {
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
  const over = (part: keyof Start): readonly number[] =>
    starts.map((start, round) => start[part] / own[round]![part]);
  const [ready, cpu, pose, poseCpu] = [over('ready'), over('cpu'), over('pose'), over('poseCpu')];
  return {
    version,
    ready: spread('ready'),
    cpu: spread('cpu'),
    mainThread: spread('mainThread'),
    pose: spread('pose'),
    poseCpu: spread('poseCpu'),
    overThis: [median(ready), median(cpu), median(pose), median(poseCpu)],
    overThisInRounds: [ready, cpu, pose, poseCpu],
  };
}

/**
 * A first start of the demo of the version in `folder`: the state folder is empty. An earlier version may not know all
 * fields of this one's demo.
 */
export async function startOnce(folder: string): Promise<Start> {
  const data = newTemporaryFolder('csiflow-bench-');
  const port = await freePort();
  const begun = performance.now();
  const words = ['run', join(folder, 'topologies/demo.yaml'), '--port', String(port)];
  const child = endWithThis(() =>
    spawn(process.execPath, [join(folder, 'dist/api/cli/csiflow.js'), ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, CSIFLOW_DATA: data },
    }),
  );
  const exit = once(child, 'exit');
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  const api = `http://127.0.0.1:${port}`;
  const until = async (reached: () => Promise<boolean>, everyMs: number): Promise<number> => {
    while (!(await reached())) {
      if (child.exitCode !== null) throw new Error(`${folder}: csiflow ended with code ${child.exitCode}`);
      await pause(everyMs);
    }
    return performance.now() - begun;
  };
  const processorMs = async (task: number | string) => (await processorSeconds(task)) * 1000;
  try {
    const ready = await until(() => isReady(port), 10);
    const [cpu, mainThread] = [
      await processorMs(child.pid!),
      await processorMs(`${child.pid}/task/${child.pid}`),
    ];
    await until(() => Promise.resolve(PASSWORD.test(output)), 10);
    const token = await tokenOf(api, PASSWORD.exec(output)![1]!);
    const pose = await until(() => hasPose(api, token), 50);
    return { ready, cpu, mainThread, pose, poseCpu: await processorMs(child.pid!) };
  } finally {
    child.kill('SIGINT');
    await exit;
    removeTemporaryFolder(data);
  }
}

/** Printed by the first start. */
const PASSWORD = /admin \/ (\S+)/;

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

/** False while there is none. @throws Error for an answer that says anything else */
async function hasPose(api: string, token: string): Promise<boolean> {
  const response = await fetch(`${api}/form-b/api/v1/pose/latest`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const body = await response.text();
  if (response.ok) return true;
  if (response.status === 404) return false;
  throw new Error(`GET /pose/latest answers ${response.status}: ${body}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
