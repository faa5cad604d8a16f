import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';
import { openService } from '../api/support.js';
import { person, poseFrame } from '../support/fake-topology.js';

/** A third party's project with csiflow's client installed. */
const project = mkdtempSync(join(tmpdir(), 'csiflow-installed-'));
afterAll(() => {
  rmSync(project, { recursive: true });
});

const example = /```ts\n(.*?)```/s.exec(readFileSync(packageFile('docs/client.md'), 'utf8'))![1]!;

/** As `npm run build` writes the declarations, and an older one that has to understand them. */
const [compiler, olderCompiler] = ['typescript-7', 'typescript'].map((name) =>
  packageFile(`node_modules/${name}/bin/tsc`),
) as [string, string];

/** Writes the declarations that `npm run build` writes, for the client alone. */
function declare(outDir: string): void {
  const config = join(project, 'declarations.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: packageFile('tsconfig.types.json'),
      compilerOptions: {
        ...{ outDir, rootDir: packageFolder, tsBuildInfoFile: join(project, 'declarations.info') },
        typeRoots: [packageFile('node_modules/@types')],
      },
      files: [packageFile('api/client/index.ts')],
    }),
  );
  execFileSync(process.execPath, [compiler, '-p', config]);
}

/** The client alone: any dependency on the rest of the package would be missing. */
beforeAll(() => {
  const home = join(project, 'node_modules/csiflow');
  for (const part of ['package.json', 'dist/api/client'])
    cpSync(packageFile(part), join(home, part), { recursive: true });
  declare(join(home, 'dist'));
  for (const name of [
    'openapi-fetch',
    'openapi-typescript-helpers',
    'ws',
    '@types/ws',
    '@types/node',
    'undici-types',
  ]) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(packageFile(`node_modules/${name}`), link);
  }
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
}, 120_000);

const OPTIONS = { strict: true, skipLibCheck: true, target: 'es2022', outDir: 'out', preserveSymlinks: true };

/** The compiler's errors: empty if there are none. */
async function compile(file: string, text: string, options: object): Promise<string> {
  writeFileSync(join(project, file), text);
  const config = `${file}.json`;
  writeFileSync(
    join(project, config),
    JSON.stringify({ compilerOptions: { ...OPTIONS, ...options }, files: [file] }),
  );
  const run = spawn(process.execPath, [olderCompiler, '-p', config], { cwd: project });
  let said = '';
  run.stdout.on('data', (data: Buffer) => (said += data.toString()));
  await once(run, 'close');
  return said;
}

test("the documentation's example compiles in Node.js, and works unchanged", async () => {
  const service = await openService();
  try {
    service.main.publish(poseFrame(7, [person(1, 2, 2)]));
    const text = example.replace('http://127.0.0.1:8000', service.server.address).replace('ada', 'viewer');
    const options = {
      module: 'nodenext',
      types: ['node'],
      noUnusedLocals: true,
      exactOptionalPropertyTypes: true,
    };
    expect(await compile('example.ts', text, options)).toBe('');
    const run = spawn(process.execPath, [join(project, 'out/example.js')], {
      env: { ...process.env, PASSWORD: 'pw' },
    });
    let printed = '';
    for (const stream of [run.stdout, run.stderr])
      stream.on('data', (data: Buffer) => (printed += data.toString()));
    try {
      await expect.poll(() => printed).toBe('1\n{ connected: true }\n');
      let next = 8;
      await expect
        .poll(() => (service.main.publish(poseFrame(next++, [person(1, 2, 2)])), printed), {
          timeout: 30_000,
          interval: 50,
        })
        .toMatch(/true }\n\d+\n/);
    } finally {
      run.kill();
    }
  } finally {
    await service.close();
  }
}, 120_000);

test('a page in a browser needs no types of Node.js', async () => {
  const text = `
    import { createClient } from 'csiflow/client';
    const client = createClient({ address: location.origin, form: 'a', credentials: { token: 't' }, WebSocket });
    const { data } = await client.rest.GET('/pose/latest');
    const track: string | undefined = data?.persons[0]?.tracking_info.track_id;
    client.live().subscribe('pose_updates', {}, ({ data }) => {
      const id: string | undefined = data.persons[0]?.tracking_info.track_id;
      // @ts-expect-error that is Form B's
      console.log(track, id, data.persons[0].person_id);
    });
  `;
  const options = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] };
  expect(await compile('page.ts', text, options)).toBe('');
}, 120_000);
