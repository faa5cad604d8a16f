import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newTemporaryFolder, removeTemporaryFolder } from '../../../pipeline/base/temporary-folders.js';
import { processorSeconds } from '../processor-time.js';
import { callFrom, CONNECTIONS, firstPose } from './api.js';
import { busyTime, timeByMiddleware, type CpuProfile } from './middleware-times.js';
import { sendFrom, Service, settled } from './service.js';
import { makeSite } from './site.js';

/**
 * Prints the processor time of each Koa middleware for a call of the latest pose with a token, in Markdown:
 * samples of csiflow's main thread (`node --cpu-prof`), scaled to its processor time. No frames arrive
 * meanwhile.
 *
 *     node dist/bench/speed/system/middlewares.js [SECONDS]
 */

const PATH = '/form-b/api/v1/pose/latest';
/** Frames per second and seconds until there is a pose. */
const [RATE, LEAD_S] = [1_000, 5];

async function main(seconds: number): Promise<void> {
  const facts = `${availableParallelism()} cores, Node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)}`;
  const profiles = newTemporaryFolder('csiflow-bench-');
  const site = await makeSite({ rooms: 1, chain: 'poses', unlimited: true });
  const service = new Service(site, undefined, ['--cpu-prof', '--cpu-prof-dir', profiles]);
  try {
    const password = await service.password();
    await service.running();
    const token = await service.login(password);
    const order = { port: site.udpPort, links: site.links, rate: RATE, seconds: LEAD_S, times: false };
    await Promise.all([sendFrom(order), firstPose(service.address + PATH, token)]);
    await settled(service);
    const { calls } = await callFrom({
      port: site.apiPort,
      path: PATH,
      headers: [`Authorization: Bearer ${token}`],
      connections: CONNECTIONS,
      seconds,
    });
    const used = await processorSeconds(`${service.pid}/task/${service.pid}`);
    await service.end();
    print(await mainProfile(profiles, service.pid), calls, used, facts);
  } finally {
    await service.end();
    site.remove();
    removeTemporaryFolder(profiles);
  }
}

/** Worker threads write profiles of their own; thread 0 is the main one. */
async function mainProfile(folder: string, pid: number): Promise<CpuProfile> {
  const name = (await readdir(folder)).find((file) => file.includes(`.${pid}.0.`));
  if (name === undefined) throw new Error(`Node wrote no profile of process ${pid} to ${folder}`);
  return JSON.parse(await readFile(join(folder, name), 'utf8')) as CpuProfile;
}

/** @param used processor time of the main thread, seconds */
function print(profile: CpuProfile, calls: number, used: number, facts: string): void {
  const scale = (used * 1e6) / busyTime(profile) / calls;
  const times = timeByMiddleware(profile, linesOfFiles());
  const all = times.reduce((sum, { us }) => sum + us, 0);
  const rows = [...times, { part: 'all of these', us: all }].map(
    ({ part, us }) => `| ${part} | ${(us * scale).toFixed(1)} |`,
  );
  process.stdout.write(
    `${facts}; ${calls} calls\n\n| middleware | processor time of a call, us |\n|---|---|\n${rows.join('\n')}\n`,
  );
}

/** The text of a line of a compiled file. */
function linesOfFiles(): (url: string, lineNumber: number) => string {
  const files = new Map<string, readonly string[]>();
  return (url, lineNumber) => {
    const lines = files.get(url) ?? readFileSync(fileURLToPath(url), 'utf8').split('\n');
    files.set(url, lines);
    return lines[lineNumber] ?? '';
  };
}

await main(Number(process.argv[2] ?? 10));
