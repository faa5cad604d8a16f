import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';
import { projectFiles } from '../support/code-blocks.js';
import { Csiflow } from '../support/csiflow.js';

/**
 * A third party's project in which the package is installed like a user would: from the tarball, with scripts
 * enabled.
 */
const project = mkdtempSync(join(tmpdir(), 'csiflow-package-'));
let packed: readonly string[];

const npm = (cwd: string, ...words: string[]): string =>
  execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const examples = projectFiles();
/** Those for Node.js: they use its modules, its process, or Kafka's client, whose types need those of Node.js. */
const forNode = ({ text }: { text: string }): boolean => /'node:|process\.|'csiflow\/kafka'/.test(text);

/** Each is an error of its own line; where the types let it pass, the directive above it is the error. */
const MISTAKES = {
  file: 'mistakes.ts',
  text: `import { Type } from 'typebox';
import { defineOperator, defineSink, denoise, duckdb, NOTHING, simulator, topology, window } from 'csiflow';
// @ts-expect-error there is no component of this name
import { denoize } from 'csiflow';
import type { Environment } from 'csiflow';

declare const room: Environment;
const config = Type.Object({});
const definition = { name: 'own', summary: 'Own.', config, examples: [] } as const;

const made = topology('mistakes', { environment: room }).source('radio', simulator);
// @ts-expect-error a field that the component does not have
made.operator('a', denoise, 'radio', { methode: 'hampel' });
// @ts-expect-error a value that the field does not allow
made.operator('b', denoise, 'radio', { method: 'mean of all' });
// @ts-expect-error a text for a number
made.operator('c', window, 'radio', { length_ms: '2000' });
// @ts-expect-error a node that does not exist
made.operator('d', denoise, 'radios');
// @ts-expect-error frames for a sink of results
made.sink('e', duckdb, 'radio', { path: 'a.duckdb' });

defineOperator({
  ...definition,
  inputs: ['measure'],
  outputs: ['measure'],
  // @ts-expect-error it receives measures, which have no persons
  create: () => ({ process: ({ persons }) => (persons.length > 0 ? NOTHING : NOTHING) }),
});
defineOperator({
  ...definition,
  inputs: ['pose'],
  outputs: ['measure'],
  // @ts-expect-error it sends a pose frame on a port for measures
  create: () => ({ process: (frame) => ({ data: [frame] }) }),
});
defineSink({
  ...definition,
  inputs: ['event'],
  recovery: 'at-least-once',
  // @ts-expect-error a sink has to write
  create: () => ({ open: async () => undefined, close: async () => undefined }),
});
export const unknown = denoize;
`,
};

const ROOM =
  'id: room\nsize: { x: 5, y: 4, z: 2.5 }\nlinks: [{ id: a, transmitter: [0.1, 0.1, 1], receiver: [4.9, 3.9, 1], sender: node-1 }]\n';

beforeAll(() => {
  const [made] = JSON.parse(npm(packageFolder, 'pack', '--json', '--pack-destination', project)) as [
    { filename: string; files: { path: string }[] },
  ];
  packed = made.files.map(({ path }) => path);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  npm(project, 'install', '--ignore-scripts=false', join(project, made.filename));
}, 600_000);

afterAll(() => {
  rmSync(project, { recursive: true });
}, 300_000);

test('the package contains compiled files, types and data, and no sources, tests or maps', () => {
  expect(packed).toEqual(
    expect.arrayContaining([
      ...['dist/api/index.js', 'dist/api/index.d.ts', 'topologies/demo.yaml', 'LICENSE'],
      ...['nexmon-udp.yaml', 'environments/one-link.yaml', 'recordings/walk.npz'].map(
        (name) => `topologies/${name}`,
      ),
      ...['dist/api/web/page/index.html', 'dist/api/web/page/swagger-ui-bundle.js'],
      ...['operators/infer-pose/weights/general/weights.bin'],
      ...['operators/infer-pose/weights/general-5-ghz/memory.bin'],
      ...['falls.json', 'falls-several.json', 'falls-several-slow.json', 'falls-warning.json'].map(
        (name) => `operators/detect-falls/weights/${name}`,
      ),
    ]),
  );
  expect(
    packed.filter((path) => /^(test|\.ci)\/|\.(map|tsbuildinfo)$|(?<!\.d)\.ts$|^dist\/test/.test(path)),
  ).toEqual([]);
});

test('all declarations are reached from its exports', () => {
  const { exports } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types: string }>>;
  };
  const program = ts.createProgram({
    rootNames: Object.values(exports).map(({ types }) => packageFile(types)),
    options: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  });
  const reached = new Set(program.getSourceFiles().map(({ fileName }) => fileName));
  const declarations = packed.filter((path) => path.endsWith('.d.ts'));
  expect(declarations.length).toBeGreaterThan(100);
  expect(declarations.filter((path) => !reached.has(packageFile(path)))).toEqual([]);
});

test('its pages show all of its pictures', () => {
  const pages = packed.filter((path) => path.endsWith('.md'));
  const text = pages.map((path) => readFileSync(packageFile(path), 'utf8')).join('');
  const pictures = packed.filter((path) => path.startsWith('docs/images/'));
  expect(pictures.filter((path) => !text.includes(posix.basename(path)))).toEqual([]);
});

test('nothing that is installed reports the installation', () => {
  expect(existsSync(join(project, 'node_modules/@scarf'))).toBe(false);
});

test('an installation takes at most 350 MB on disk, without the native package', () => {
  const kibibytes = Number(
    execFileSync('du', ['-sk', join(project, 'node_modules')], { encoding: 'utf8' }).split('\t')[0],
  );
  expect(kibibytes * 1024).toBeLessThan(350e6);
  expect(existsSync(join(project, 'node_modules/@opentelemetry/sdk-trace-base'))).toBe(false);
  expect(existsSync(join(project, 'node_modules/@tensorflow/tfjs-node-gpu'))).toBe(false);
});

/** Compiles files of the project to out/, strictly, and all declarations that they use. Returns the files read. */
function compile(files: readonly { file: string }[], types: readonly string[]): readonly string[] {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ target: 'es2023', module: 'nodenext', outDir: 'out' },
    ...{ types, typeRoots: [packageFile('node_modules/@types')] },
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: files.map(({ file }) => file) }),
  );
  const compiler = packageFile('node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '--listFiles'], {
    cwd: project,
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new Error(
      stdout
        .split('\n')
        .filter((line) => !line.startsWith('/'))
        .join('\n'),
    );
  return stdout.split('\n');
}

test('the examples of the docs compile strictly without the types of Node.js, and mistakes do not', () => {
  for (const { file, text } of examples) writeFileSync(join(project, file), text);
  writeFileSync(join(project, MISTAKES.file), MISTAKES.text);
  const used = compile([...examples.filter((example) => !forNode(example)), MISTAKES], []);
  expect(used.filter((path) => path.includes('@types/node'))).toEqual([]);
}, 300_000);

test('a custom operator, sink and source pass the kits, with the runner of Node.js', () => {
  const tests = examples.filter(forNode);
  expect(tests.map(({ file }) => file)).toEqual([
    ...[
      'lying.test.ts',
      'bell.test.ts',
      'line-listener.ts',
      'acme.ts',
      'thermometer.test.ts',
      'acme.test.ts',
    ],
    ...['reader.ts', 'run-tests.ts'],
  ]);
  compile(tests, ['node']);
  const files = ['lying', 'bell', 'thermometer', 'acme'].map((name) => `out/${name}.test.js`);
  const printed = execFileSync(process.execPath, ['--test', '--test-reporter=tap', ...files], {
    cwd: project,
    encoding: 'utf8',
  });
  // Complete kits, not empty lists.
  expect(Number(/^# pass (\d+)$/m.exec(printed)?.[1])).toBeGreaterThan(25);
}, 300_000);

test('a program runs the tests of a topology', () => {
  const text = [
    'id: my-topology',
    'environment: room.yaml',
    'sources: { radio: { type: simulator } }',
    'operators: { windows: { type: window, from: radio }, motion: { type: detect-motion, from: windows } }',
    'sinks: { shown: { type: console, from: motion } }',
    'tests:',
    '  - name: somebody moves',
    '    input: { radio: { type: simulator, duration_s: 5 } }',
    '    expect: [{ from: motion, contains: { name: motion } }]',
  ].join('\n');
  writeFileSync(join(project, 'my-topology.yaml'), text);
  writeFileSync(join(project, 'room.yaml'), ROOM);
  const printed = execFileSync(process.execPath, ['out/run-tests.js'], { cwd: project, encoding: 'utf8' });
  expect(printed).toMatch(/^ok {3}my-topology\.yaml: somebody moves/);
}, 120_000);

test('the topology in TypeScript runs to the end of its input, and stores its results', () => {
  const printed = execFileSync(process.execPath, ['out/ward.js'], { cwd: project, encoding: 'utf8' });
  expect(printed).toContain('pose');
  expect(existsSync(join(project, 'data/ward.duckdb'))).toBe(true);
}, 120_000);

test('a custom source, operator and sink run from the installed command', async () => {
  mkdirSync(join(project, 'own'), { recursive: true });
  writeFileSync(
    join(project, 'own/own.yaml'),
    [
      'id: own',
      'environment: room.yaml',
      'sources: { warm: { type: thermometer, celsius: [20.5, 20.6] }, radio: { type: simulator, duration_s: 6, speed: 0 } }',
      'operators:',
      '  windows: { type: window, from: radio }',
      '  poses: { type: infer-pose, from: windows, backend: wasm }',
      '  lying: { type: pass-lying, from: poses }',
      '  zones: { type: watch-zones, from: poses }',
      'sinks: { ring: { type: bell, from: zones }, seen: { type: console, from: [warm, lying], format: json } }',
    ].join('\n'),
  );
  writeFileSync(join(project, 'own/room.yaml'), ROOM);
  const plugins = ['lying', 'bell', 'thermometer'].map((name) => `out/${name}.js`);
  const run = installed(
    'run',
    'own/own.yaml',
    '--no-api',
    '--until-end',
    '--log',
    'warn',
    '--plugin',
    ...plugins,
  );
  expect(await run.ended(), run.output).toBe(0);
  expect(run.output).toContain('"name":"temperature_celsius"');
}, 120_000);

test('the demo starts, and keeps its data in the current folder', async () => {
  const before = readdirSync(join(project, 'node_modules/csiflow'));
  const demo = installed('demo', '--port', '0');
  try {
    await demo.printed(/live page/);
  } finally {
    expect(await demo.interrupt()).toBe(0);
  }
  expect(readdirSync(join(project, 'data'))).toContain('demo.duckdb');
  expect(readdirSync(join(project, 'node_modules/csiflow'))).toEqual(before);
}, 120_000);

test('training on falls requires recordings to be named', async () => {
  const run = installed('train', 'falls');
  expect(await run.ended()).toBe(2);
  expect(run.output).toContain('--data');
});

test.each(['memory', 'confirmation'])(
  'what `train %s` makes of a shipped model is written below the current folder',
  async (network) => {
    const run = installed('train', network);
    try {
      await run.printed(/the extended model will be in /);
      expect(run.output).toContain(join(project, 'operators/infer-pose/weights/general'));
    } finally {
      await run.kill();
    }
  },
  60_000,
);

const installed = (...words: string[]): Csiflow =>
  new Csiflow(words, {
    cwd: project,
    program: join(project, 'node_modules/csiflow/dist/api/cli/csiflow.js'),
  });
