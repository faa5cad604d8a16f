import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteSpeed } from '../../bench/speed/system/api.js';
import { Csiflow } from '../support/csiflow.js';
import { freePorts } from '../support/servers/server.js';

// `csiflow bench api --peer` with a program that counts datagrams and answers with the count.

const PEER = `
  import { createSocket } from 'node:dgram';
  import { createServer } from 'node:http';
  const [udp, http] = process.argv.slice(2).map(Number);
  let frames = 0;
  createSocket('udp4').on('message', () => frames++).bind(udp, '127.0.0.1');
  createServer(({ url }, response) => {
    const body = JSON.stringify({ frames });
    response.writeHead(url === '/none' ? 404 : 200, { 'Content-Length': body.length }).end(body);
  }).listen(http, '127.0.0.1');
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-peer-'));
  writeFileSync(join(folder, 'peer.mjs'), PEER);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the benchmark with an adapter of the peer; returns its exit code and all it printed. */
async function benchmark(paths: readonly string[] | null): Promise<readonly [number | null, string]> {
  const [udp, http] = await freePorts(2);
  const address = `http://127.0.0.1:${http!}`;
  const adapter = {
    name: 'small server',
    command: [process.execPath, join(folder, 'peer.mjs'), '{port}', String(http)],
    port: udp,
    counter: { url: `${address}/count`, pattern: '"frames":(\\d+)' },
    ...(paths ? { routes: paths.map((path) => address + path) } : {}),
  };
  const file = join(folder, `${http!}.yaml`);
  writeFileSync(file, JSON.stringify(adapter));
  const run = new Csiflow(['bench', 'api', '--peer', file, '--rounds', '1', '--seconds', '1', '--json']);
  return [await run.ended(), run.output];
}

describe('bench api --peer', () => {
  test('measures the routes of another program in the same rounds, and its first one again', async () => {
    const [code, output] = await benchmark(['/latest', '/latest?of=all']);
    expect(code, output).toBe(0);
    const { routes } = JSON.parse(output.slice(output.indexOf('{'))) as { routes: readonly RouteSpeed[] };
    expect(routes.map(({ route }) => route)).toEqual([
      'bare server of Node',
      '/livez',
      '/form-a/api/v1/pose/latest, JWT',
      '/form-b/api/v1/pose/latest, JWT',
      'small server, /latest',
      'small server, /latest?of=all',
      'small server, /latest, again',
      '/form-b/api/v1/pose/latest, JWT, again',
      'bare server of Node, again',
    ]);
    expect(routes[4]!.overPeer).toBe(1);
    expect(routes.every(({ overPeer, bytes }) => overPeer! > 0 && bytes > 0)).toBe(true);
  }, 120_000);

  test('names the address that does not answer with 200', async () => {
    const [code, output] = await benchmark(['/none']);
    expect(code).toBe(1);
    expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+\/none: it answered HTTP\/1\.1 404 Not Found/);
  }, 120_000);

  test('asks for routes where the adapter has none', async () => {
    const [code, output] = await benchmark(null);
    expect(code).toBe(2);
    expect(output).toContain('the adapter of small server has no routes: add the addresses to ask');
  }, 60_000);
});
