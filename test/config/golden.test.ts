import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CODES, loadTopology, type Problem } from '../../pipeline/config/index.js';
import { testComponents } from '../support/components.js';

const FOLDER = 'test/config/golden';
const SECRET = 'hunter2-canary';
const env = { PORT: '5006', PORT_TEXT: 'high', CSIFLOW_SECRET_STORE: SECRET };

const load = (file: string) => loadTopology(join(FOLDER, file), testComponents, { env });
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
const isGood = (file: string) => file.startsWith('good');

const line = ({ file, line, column, severity, code, message, suggestion }: Problem): string =>
  `${file}:${line}:${column} ${severity} ${code}\n  ${message}\n${suggestion === null ? '' : `  -> ${suggestion}\n`}`;

describe('bad files give exactly the expected problems', () => {
  test.each(files.filter((file) => !isGood(file)))('%s', async (file) => {
    const { problems } = load(file);
    const text = problems.map(line).join('').replaceAll(`${FOLDER}/`, '');
    expect(text).not.toContain(SECRET);
    await expect(text).toMatchFileSnapshot(`golden/${file.replace('.yaml', '.txt')}`);
  });
});

describe('good files have none', () => {
  test.each(files.filter(isGood))('%s', (file) => {
    const { topology, problems } = load(file);
    expect(problems).toEqual([]);
    expect(topology).toBeDefined();
  });
});

test('merge keys, variables and secrets are resolved into the configuration', () => {
  const anchors = load('good-anchors.yaml').topology;
  expect(anchors?.nodes.find((node) => node.id === 'wide')?.config['length_ms']).toBe(2000);
  const nodes = new Map(load('good-variables.yaml').topology?.nodes.map((node) => [node.id, node]));
  expect(nodes.get('routers')?.config).toEqual({ port: 5006, host: '127.0.0.1', buffer_bytes: 65536 });
  expect(nodes.get('windows')?.config).toMatchObject({ keep: false, limit: null });
  expect(nodes.get('history')?.config).toEqual({ path: '${literal}/data.db', password: SECRET });
  expect(nodes.get('history')?.secrets).toEqual([['password']]);
});

test('nearly every code has a golden file', () => {
  const shown = new Set(files.flatMap((file) => load(file).problems.map((problem) => problem.code)));
  const rest = Object.keys(CODES).filter((code) => !shown.has(code));
  // Codes with tests of their own: file size and encoding, number of problems, faults of components, privacy, several
  // topologies, expressions and routes, measurements of radios, and network input.
  expect(rest.filter((code) => !/^config\.(privacy|together)\./.test(code)).sort()).toEqual([
    'config.check.too_slow',
    'config.claim.taken',
    'config.command.not_allowed',
    'config.component.check',
    'config.environment.secret',
    'config.expression',
    'config.file.encoding',
    'config.file.outside',
    'config.file.too_large',
    'config.from.route',
    'config.graph.too_large',
    'config.measurement.amplitude',
    'config.measurement.level',
    'config.problems.more',
    'config.script.not_allowed',
    'config.variable.not_allowed',
  ]);
});
