import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { errorText } from '../../../pipeline/base/error-text.js';
import { endWithThis } from '../../shared/children.js';
import type { Adapter } from './adapter.js';
import { untilStill, type Program } from './program.js';
import { pause } from './service.js';

/** Text of its output that is searched for the counter. */
const OUTPUT_CHARACTERS = 65_536;
/** How long a program may take until its counter can be read. */
const START_MS = 30_000;
/** How long it may take to end when asked; then it is killed. */
const END_MS = 5_000;

/** Starts another program. @throws Error with the end of its output if its counter cannot be read */
export async function startPeer(adapter: Adapter, endMs = END_MS): Promise<Program> {
  const { name, counter, port } = adapter;
  const [file, ...args] = adapter.command.map((part) => part.replaceAll('{port}', String(port)));
  const child = endWithThis(() => spawn(file!, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`${name} could not be started: ${errorText(error)}`);
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      output = (output + text.toString()).slice(-OUTPUT_CHARACTERS);
    });
  const pattern = new RegExp(counter.pattern, 'gm');
  const processed = async (): Promise<number> => {
    const text = counter.url === undefined ? output : await (await fetch(counter.url)).text();
    const found = Array.from(text.matchAll(pattern), ([, number]) => Number(number));
    if (counter.url === undefined) return found.at(-1) ?? 0;
    if (found.length === 0) throw new Error(`${counter.url} holds nothing like ${counter.pattern}`);
    return found.reduce((sum, number) => sum + number, 0);
  };
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), endMs);
    await exit;
    clearTimeout(patience);
  };
  try {
    await Promise.race([ready(child, name, processed), failed]);
    if (!(await listens(port))) throw new Error(`${name} does not listen on UDP port ${port}`);
  } catch (error) {
    await end();
    throw new Error(`${errorText(error)}\n${output.slice(-2000)}`.trim(), { cause: error });
  }
  failed.catch(() => undefined);
  return { pid: child.pid!, port, processed, settled: () => untilStill(processed), end };
}

/** Its counter can be read. */
async function ready(child: ChildProcess, name: string, processed: () => Promise<number>): Promise<void> {
  const began = performance.now();
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}`);
    try {
      await processed();
      return;
    } catch (error) {
      if (performance.now() - began > START_MS)
        throw new Error(`the counter of ${name} could not be read: ${errorText(error)}`, { cause: error });
    }
    await pause(100);
  }
}

/** Whether some process listens on this UDP port, which may take longer than the counter. */
async function listens(port: number): Promise<boolean> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const line = new RegExp(`^\\s*\\d+: \\w+:${hex} `, 'm');
  const began = performance.now();
  while (performance.now() - began < START_MS) {
    for (const table of (await readdir('/proc/net')).filter((file) => /^udp6?$/.test(file)))
      if (line.test(await readFile(`/proc/net/${table}`, 'utf8'))) return true;
    await pause(100);
  }
  return false;
}
