import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { packageFile } from '../pipeline/base/paths.js';
import { MEASUREMENTS, type LineOptions, type MeasuredResult } from './line.js';
import { machine } from './machine.js';
import { endWithThis } from './shared/children.js';

/**
 * Runs one measurement by its name in this process; or all of them, each in a process of its own, so that the
 * compiled code and the garbage of one do not affect the next.
 */
export async function measureLine(
  only: string | undefined,
  options: LineOptions,
): Promise<readonly MeasuredResult[]> {
  if (only !== undefined) {
    const { measure } = measurementNamed(only);
    const measured = { date: new Date().toISOString().slice(0, 10), machine: machine() };
    return (await measure(options)).map((result) => ({ ...result, ...measured }));
  }
  const results: MeasuredResult[] = [];
  for (const name of Object.keys(MEASUREMENTS)) results.push(...(await inProcess(name, options)));
  return results;
}

function measurementNamed(name: string) {
  const measurement = MEASUREMENTS[name];
  if (measurement) return measurement;
  const names = Object.entries(MEASUREMENTS).map(([known, { summary }]) => `  ${known}: ${summary}`);
  throw new Error(`there is no measurement '${name}'; there are:\n${names.join('\n')}`);
}

async function inProcess(
  name: string,
  { quick, memorySeconds }: LineOptions,
): Promise<readonly MeasuredResult[]> {
  const arguments_ = [
    'bench',
    'line',
    '--only',
    name,
    '--json',
    '--memory-minutes',
    String(memorySeconds / 60),
  ];
  const command = [packageFile('dist/api/cli/csiflow.js'), ...arguments_, ...(quick ? ['--quick'] : [])];
  const child = endWithThis(
    () => spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] }),
    'SIGTERM',
  );
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the measurement of ${name} ended with code ${code ?? 'none'}`);
  return (JSON.parse(Buffer.concat(output).toString()) as { results: MeasuredResult[] }).results;
}
