import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { components } from '../../api/components.js';
import { SOURCES } from '../../dist.config.mjs';
import { loadTopology } from '../../pipeline/config/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { csiflow } from '../support/csiflow.js';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

const compose = parse(readFileSync(packageFile('compose.yaml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const services = Object.entries(compose.services);

let folder: string;
beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'csiflow-operating-')), 'secrets');
  execFileSync(packageFile('docs/operating/compose/secrets.sh'), [folder]);
});
afterAll(() => {
  rmSync(join(folder, '..'), { recursive: true });
});

test('secrets.sh creates each secret of the compose file once, random and private', () => {
  const names = Object.keys(compose.secrets);
  expect(readdirSync(folder).sort()).toEqual([...names].sort());
  expect(Object.values(compose.secrets).map(({ file }) => file)).toEqual(
    names.map((name) => `./secrets/${name}`),
  );
  expect(statSync(folder).mode & 0o077).toBe(0);
  const read = () => names.map((name) => readFileSync(join(folder, name), 'utf8').trim());
  const made = read();
  expect(new Set(made).size).toBe(names.length);
  for (const secret of made) expect(secret).toMatch(/^[A-Za-z0-9_-]{32}$/);
  execFileSync(packageFile('docs/operating/compose/secrets.sh'), [folder]);
  expect(read()).toEqual(made);
});

test('the compose file names only existing files, volumes and secrets', () => {
  for (const [, { volumes = [], secrets = [] }] of services) {
    for (const volume of volumes) {
      const [source] = volume.split(':') as [string];
      if (source.startsWith('.')) expect(existsSync(packageFile(source)), source).toBe(true);
      else expect(compose.volumes).toHaveProperty(source);
    }
    for (const secret of secrets) expect(compose.secrets).toHaveProperty(secret);
  }
});

test.each(services)(
  '%s has no unneeded rights, a fixed version, and no port open to others',
  (name, service) => {
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toContain('no-new-privileges:true');
    expect(service.image).toMatch(/:v?\d+\.\d+/);
    if (!name.startsWith('kafka')) expect(service.read_only).toBe(true);
    for (const port of service.ports ?? [])
      if (port !== '5005:5005/udp') expect(port).toMatch(/^127\.0\.0\.1:/);
  },
);

test('the topology of the compose file is valid with its secrets, and its servers are services', () => {
  const file = packageFile('docs/operating/compose/site.yaml');
  const { topology, problems } = loadTopology(file, components, { env: {}, secrets: folder });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const text = readFileSync(file, 'utf8');
  for (const [, host] of text.matchAll(/(?:http:\/\/|mqtt:\/\/|\[')([a-z]+):\d+/g))
    expect(Object.keys(compose.services)).toContain(host);
  const read = topology!.nodes.flatMap(({ secrets }) => secrets).length;
  expect(read).toBe(compose.services['csiflow']!.secrets!.length);
});

test('InfluxDB is configured to keep what the topology asks for: its account may not set it', () => {
  const folder = packageFile('docs/operating/compose');
  const { sinks } = parse(readFileSync(join(folder, 'site.yaml'), 'utf8')) as {
    sinks: { history: { database: string; retention_days: number } };
  };
  const { database, retention_days: days } = sinks.history;
  expect(readFileSync(join(folder, 'influxdb/retention.iql'), 'utf8').trim()).toBe(
    `ALTER RETENTION POLICY "autogen" ON "${database}" DURATION ${24 * days}h SHARD DURATION 24h`,
  );
});

test('Prometheus reaches csiflow by an accepted host name', () => {
  const { scrape_configs: jobs } = parse(
    readFileSync(packageFile('topologies/grafana/prometheus.yaml'), 'utf8'),
  ) as { scrape_configs: { static_configs: { targets: string[] }[] }[] };
  const [host] = jobs[0]!.static_configs[0]!.targets[0]!.split(':');
  const { command } = compose.services['csiflow']!;
  expect(command!.slice(command!.indexOf('--allow-host'))).toEqual(['--allow-host', host]);
});

test('the image contains everything its files are copied from', () => {
  const docker = readFileSync(packageFile('Dockerfile'), 'utf8');
  const copied = [...docker.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) =>
    sources!.split(' '),
  );
  expect(copied.length).toBeGreaterThan(5);
  for (const source of copied) expect(existsSync(packageFile(source)), source).toBe(true);
  expect(docker).toContain('\nUSER node\n');
  expect(docker).toContain('HEALTHCHECK');
});

test('the image is built from everything that the build reads', () => {
  const build = readFileSync(packageFile('build.config.mjs'), 'utf8');
  const read = [...SOURCES, ...[...build.matchAll(/ from '\.\/([^']+)';$/gm)].map(([, module]) => module!)];
  expect(read).toEqual(expect.arrayContaining(['pipeline', 'dist.config.mjs']));
  const ignored = readFileSync(packageFile('.dockerignore'), 'utf8').split('\n');
  expect(ignored).toContain('*');
  expect(read.filter((path) => !ignored.includes(`!${path}`))).toEqual([]);
});

test('health: an unreachable service ends with 3', async () => {
  const { code, output } = await csiflow('health', '--url', 'http://127.0.0.1:1');
  expect(code).toBe(3);
  expect(output).toContain('no csiflow answers at http://127.0.0.1:1 (bad port)');
});
