import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../../pipeline/base/paths.js';
import type { Section } from './report.js';

/** Attack tests, run with counts of their own. */
export interface Suite {
  readonly title: string;
  readonly files: readonly string[];
  /** Variables that set the counts. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly duration?: number;
      /** Counts reported by the test. */
      readonly meta: { readonly kills?: number };
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs the tests; failures are the failed requirements. */
export async function runSuite({ title, files, environment }: Suite): Promise<Section> {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-attack-'));
  const output = join(folder, 'outcome.json');
  try {
    const vitest = packageFile('node_modules/vitest/vitest.mjs');
    const options = ['run', ...files, '--reporter=default', '--reporter=json', `--outputFile=${output}`];
    const child = spawn(process.execPath, [vitest, ...options], {
      cwd: packageFile('.'),
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    await once(child, 'exit');
    const { testResults } = JSON.parse(await readFile(output, 'utf8')) as Outcome;
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    const ran = tests.filter(({ status }) => status === 'passed' || status === 'failed');
    if (ran.length === 0) throw new Error(`no test ran of ${files.join(', ')}`);
    return {
      title,
      rows: ran.map(({ fullName, status, duration = 0, meta: { kills } }) => [
        fullName.trim(),
        `${status}, ${Math.round(duration / 1000)} s${kills === undefined ? '' : `, ${kills} kills`}`,
      ]),
      findings: ran.flatMap(({ fullName, status, failureMessages }) =>
        status === 'failed' ? [`${fullName.trim()}: ${firstLine(failureMessages[0] ?? '')}`] : [],
      ),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const firstLine = (message: string): string => message.split('\n')[0]!;
