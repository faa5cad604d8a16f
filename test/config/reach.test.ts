import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { NetworkReach, OwnersReach, parseTopology, type LoadResult } from '../../pipeline/config/index.js';
import { plainSchema } from '../../pipeline/config/schema/schema-errors.js';

const ENVIRONMENT = `
id: ward
size: { x: 5, y: 4, z: 2.6 }
links: [{ id: a, transmitter: [0, 0, 1], receiver: [5, 4, 1], sender: node-1 }]
`;
const CANARY = 'root-canary-7f3a91';

let host: string;
let folder: string;
beforeAll(() => {
  host = mkdtempSync(join(tmpdir(), 'csiflow-reach-'));
  folder = join(host, 'topologies');
  mkdirSync(folder);
  writeFileSync(join(folder, 'ward.yaml'), ENVIRONMENT);
  writeFileSync(join(host, 'ward.yaml'), ENVIRONMENT);
  writeFileSync(join(host, 'passwd'), `${CANARY}: x\n`);
  symlinkSync(join(host, 'passwd'), join(folder, 'link.yaml'));
  symlinkSync(host, join(folder, 'out'));
  symlinkSync(join(host, 'not-there'), join(folder, 'dangling'));
});
afterAll(() => {
  rmSync(host, { recursive: true });
});

const env = { PATH: `/usr/bin:/${CANARY}`, PORT: '5005', SHORT: 'q7', TYPE: 'udq' };

function check(
  text: string,
  variables: readonly string[] = [],
  files: readonly string[] = [],
  PATH = env.PATH,
): LoadResult {
  const reach = new NetworkReach({ folder, files: new Set(files), variables: new Set(variables) });
  const source = { text, shown: 'sent.yaml', file: null, folder };
  return parseTopology(source, components, { env: { ...env, PATH }, reach });
}

const topology = (
  over: { environment?: string; source?: string; sink?: string; more?: string } = {},
): string => `
id: sent
environment: ${over.environment ?? 'ward.yaml'}
sources: { in: { type: udp, ${over.source ?? 'port: 5005'} } }
operators: { windows: { type: window, from: in, length_ms: 2000, hop_ms: 200, points: 100 }, motion: { type: detect-motion, from: windows } }
sinks: { out: { ${over.sink ?? 'type: duckdb, path: data/sent.duckdb'}, from: motion } }
${over.more ?? ''}
`;

const codes = ({ problems }: LoadResult): readonly string[] =>
  problems.filter(({ severity }) => severity === 'error').map(({ code }) => code);

test('accepts a topology that names files in its own folder', () => {
  expect(codes(check(topology()))).toEqual([]);
});

describe('rejects a file elsewhere, without revealing its content', () => {
  test.each([
    ['an environment', { environment: '/etc/passwd' }],
    ['an environment above', { environment: '../passwd' }],
    ['an environment by a link', { environment: 'link.yaml' }],
    ['an environment below a link', { environment: 'out/ward.yaml' }],
    ['a store', { sink: 'type: duckdb, path: ../other.duckdb' }],
    ['a store below a link', { sink: 'type: duckdb, path: out/other.duckdb' }],
    ['a store behind a link to nowhere', { sink: 'type: duckdb, path: dangling' }],
    ['files of results', { sink: "type: file, path: '/var/log/{date}.ndjson'" }],
    ['a certificate', { sink: 'type: mqtt, url: mqtts://broker, ca: /etc/ssl/certs/ca.pem' }],
    ['a state folder', { more: 'settings: { state_folder: ../other.state }' }],
    [
      'a capture of a test',
      { more: 'tests: [{ name: a, input: { in: ../passwd }, expect: [{ from: in, count: 0 }] }]' },
    ],
  ])('%s', (_what, over) => {
    const result = check(topology(over));
    expect(codes(result)).toEqual(['config.file.outside']);
    expect(JSON.stringify(result.problems)).not.toContain(CANARY);
  });

  test('nor whether it exists', () => {
    const reported = (environment: string) =>
      check(topology({ environment })).problems.map(({ message }) => message);
    expect(reported('../passwd').join()).toBe(reported('../nobody').join().replaceAll('nobody', 'passwd'));
  });
});

test("names in the owner's files may be used over the network too", () => {
  const owners = new OwnersReach();
  const text = topology({
    environment: '../ward.yaml',
    source: 'port: "${PORT}"',
    sink: 'type: duckdb, path: ../a.duckdb',
  });
  const source = { text, shown: 'given.yaml', file: null, folder };
  expect(codes(parseTopology(source, components, { env, reach: owners }))).toEqual([]);
  expect(codes(check(text, [...owners.variables], [...owners.files]))).toEqual([]);
  expect(codes(check(text))).toEqual([
    'config.file.outside',
    'config.variable.not_allowed',
    'config.file.outside',
  ]);
});

describe('a command', () => {
  const started = topology().replace('type: udp, port: 5005', 'type: serial, command: [cat, csi.log]');

  test('that the owner did not name is rejected', () => {
    expect(codes(check(started))).toEqual(['config.command.not_allowed']);
  });

  test("that the owner's files name may be used, word by word", () => {
    const owners = new OwnersReach();
    const source = { text: started, shown: 'given.yaml', file: null, folder };
    expect(codes(parseTopology(source, components, { env, reach: owners }))).toEqual([]);
    const again = (text: string, from = folder) => {
      const reach = new NetworkReach({
        files: owners.files,
        variables: owners.variables,
        commands: owners.commands,
        folder: from,
      });
      return codes(parseTopology({ ...source, text, folder: from }, components, { env, reach }));
    };
    expect(again(started)).toEqual([]);
    expect(again(started.replace('csi.log', '/etc/passwd'))).toEqual(['config.command.not_allowed']);
    expect(again(started.replace('[cat,', '[cat, -n,'))).toEqual(['config.command.not_allowed']);
    // Another folder may contain another program of the same name.
    expect(again(started, host)).toContain('config.command.not_allowed');
  });
});

describe('a script', () => {
  const node = 'doors: { type: script, from: motion, file: step.ts }';
  const scripted = topology().replace('} }\nsinks', `}, ${node} }\nsinks`);
  const source = () => ({ text: scripted, shown: 'given.yaml', file: null, folder });

  test('that the owner did not name is rejected, whether it exists or not', () => {
    expect(codes(check(scripted))).toEqual(['config.script.not_allowed']);
  });

  test("that the owner's files name may be run", () => {
    const owners = new OwnersReach();
    parseTopology(source(), components, { env, reach: owners });
    const reach = new NetworkReach({
      ...{ folder, files: owners.files, variables: owners.variables, scripts: owners.scripts },
    });
    writeFileSync(join(folder, 'step.ts'), 'export default (record: object) => record;\n');
    const found = codes(parseTopology(source(), components, { env, reach }));
    rmSync(join(folder, 'step.ts'));
    expect(found).toEqual([]);
  });

  test.each(['step.ts', 'step.mjs', 'node_modules/some/package.json'])(
    'cannot be replaced by a sink: %s',
    (path) => {
      expect(codes(check(topology({ sink: `type: file, path: ${path}` })))).toEqual(['config.file.outside']);
    },
  );
});

test('every field that looks like a path is marked as one', () => {
  const named = /^(path|file|folder|truth|calibration|weights|ca|cert|certificate|key)$/;
  const unmarked = components.list().flatMap(({ name, config }) => {
    const all = (schema: object): [string, object][] =>
      Object.entries(schema).flatMap(([key, part]: [string, unknown]) =>
        typeof part === 'object' && part !== null ? [[key, part], ...all(part)] : [],
      );
    return all(plainSchema(config))
      .filter(
        ([key, part]) => named.test(key) && 'type' in part && part.type === 'string' && !('filePath' in part),
      )
      .map(([key]) => `${name}.${key}`);
  });
  expect(unmarked).toEqual([]);
});

describe('a variable', () => {
  test('that the owner did not list is rejected, set or not', () => {
    const reported = (name: string) => check(topology({ environment: `"\${${name}}"` })).problems;
    expect(reported('PATH').map(({ code }) => code)).toEqual(['config.variable.not_allowed']);
    expect(JSON.stringify(reported('PATH'))).toBe(
      JSON.stringify(reported('HOME')).replaceAll('HOME', 'PATH'),
    );
    expect(codes(check(topology({ source: 'port: "${PORT:-5005}"' })))).toEqual([
      'config.variable.not_allowed',
    ]);
  });

  test('that is listed is substituted', () => {
    expect(check(topology({ source: 'port: "${PORT}"' }), ['PORT']).topology?.nodes[0]?.config).toMatchObject(
      { port: 5005 },
    );
  });

  test.each([
    ['of an environment', { environment: '"${PATH}"' }],
    ['of a number', { source: 'port: "${PATH}"' }],
    ['within a text', { sink: 'type: mqtt, url: "mqtt://${PATH} "' }],
    ['of a type', { sink: 'type: "${PATH}"' }],
    ['of a setting', { more: 'settings: { seed: "${PATH}" }' }],
    ['of a type, truncated', { sink: 'type: "${SHORT}"' }],
    ['of an id', { more: 'settings: { domain: "${SHORT}" }' }],
  ])('is never quoted: %s', (_what, over) => {
    const result = check(topology(over), ['PATH', 'SHORT']);
    expect(codes(result)).not.toEqual([]);
    const shown = JSON.stringify(result.problems);
    expect(shown).not.toContain(CANARY);
    expect(shown).not.toContain('q7');
    expect(shown).toContain('${');
  });

  test("does not change the errors about a sender's own text, whatever its value", () => {
    const guess = topology({
      sink: 'type: duckdb, path: "data/${PATH}.duckdb"',
      more: 'settings: { state_folder: /usr/bin/guess }',
    });
    const reported = (value: string) => check(guess, ['PATH'], [], value).problems;
    expect(reported('/usr/bin/secret')).toEqual(reported('/elsewhere/entirely'));
    expect(reported('/usr/bin/secret')[0]!.message).toContain('`/usr/bin/guess` is outside');
  });
});
