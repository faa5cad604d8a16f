import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';

const page = readFileSync(packageFile('docs/tutorial.md'), 'utf8');

/** The page's commands in order, and the file that it shows before some of them. */
const blocks = [...page.matchAll(/(?:<!-- ci: tutorial -->\n```bash\n|```yaml\n# (\S+)\n)(.*?)```/gs)].map(
  ([, file, text]) => ({ file, text: text! }),
);

// As the reader does it: one command after the other, in a folder of their own.
describe('the tutorial', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'csiflow-'));
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  const command = path.join(bin, 'csiflow');
  writeFileSync(
    command,
    `#!/bin/sh\nexec "${process.execPath}" "${packageFile('dist/api/cli/csiflow.js')}" "$@"\n`,
  );
  chmodSync(command, 0o755);
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const run = (text: string): string =>
    execFileSync('bash', ['-e', '-c', text], {
      cwd: folder,
      env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
      encoding: 'utf8',
    });

  test('has commands, and the topology that they use', () => {
    expect(blocks.filter(({ file }) => file === undefined).length).toBeGreaterThan(4);
    expect(blocks.map(({ file }) => file)).toContain('my-room/topology.yaml');
  });

  test('each command works, and people are found', () => {
    const output = blocks
      .map(({ file, text }) => {
        if (file === undefined) return run(text);
        writeFileSync(path.join(folder, file), `# ${file}\n${text}`);
        return '';
      })
      .join('');
    expect(output).toContain('1 of 1 valid: 0 errors, 0 warnings');
    expect(output).toContain('sender: node-1');
    expect(output).toMatch(/ok {3}from-walk\/topology\.yaml: the first recording is still read/);
    const answer = (sql: string): unknown => {
      const { rows } = JSON.parse(
        run(`csiflow query "${sql}" --from my-room/data/my-room.duckdb --json`),
      ) as {
        readonly rows: readonly (readonly unknown[])[];
      };
      return rows[0]![0];
    };
    expect(answer('SELECT count(*) FROM persons')).toBeGreaterThan(60);
    expect(answer("SELECT avg(value) FROM measures WHERE name = 'presence'")).toBeGreaterThan(0.8);
  }, 300_000);

  test('the picture of the page is that of its topology', () => {
    const drawn = readFileSync(path.join(folder, 'my-room/topology.svg'), 'utf8');
    expect(readFileSync(packageFile('docs/images/tutorial.svg'), 'utf8')).toBe(drawn);
  });
});
