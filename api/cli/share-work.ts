import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SharedWork } from '../../bench/accuracy/chain/shared-work.js';

/** Characters of a helper's last messages that its failure quotes. */
const LAST_WORDS = 2000;

/** The work of this process, of those that help it, and how it ends. */
export interface Shared {
  readonly work: SharedWork | undefined;
  readonly helps: boolean;
  /** Ends the helpers, and removes what they left. */
  readonly end: () => void;
}

/** @param jobs processes @param share folder of another process, which this one helps */
export function shareWork(jobs: number, share: string | undefined): Shared {
  if (share !== undefined) return helping(share);
  if (jobs === 1) return { work: undefined, helps: false, end: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-evaluate-'));
  const failed = new AbortController();
  const helpers = Array.from({ length: jobs - 1 }, () => startHelper(folder, failed));
  return {
    work: new SharedWork(folder, false, failed.signal),
    helps: false,
    end: () => {
      for (const helper of helpers) helper.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A helper ends with the process that it helps. */
function helping(folder: string): Shared {
  const abandoned = new AbortController();
  process.once('disconnect', () => process.exit());
  return {
    work: new SharedWork(folder, true, abandoned.signal),
    helps: true,
    end: () => {
      process.disconnect();
    },
  };
}

/** The same command in another process, quietly. */
function startHelper(folder: string, failed: AbortController): ChildProcess {
  const [, program, ...options] = process.argv;
  const helper = fork(program!, [...options, '--share', folder], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let words = '';
  helper.stderr!.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-LAST_WORDS);
  });
  helper.once('exit', (code, signal) => {
    if (code === 0) return;
    failed.abort(new Error(`a process of --jobs ended with ${code ?? signal}: ${words.trim()}`));
  });
  return helper;
}
