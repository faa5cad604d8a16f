import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { newTemporaryFolder, removeTemporaryFolder } from '../../pipeline/base/temporary-folders.js';
import { SharedWork } from '../../bench/accuracy/chain/shared-work.js';

/** Characters of a helper's last messages that its failure quotes. */
const LAST_WORDS = 2000;

/** The work of this process and of those that help it. */
export interface Shared {
  readonly work: SharedWork | undefined;
  readonly helps: boolean;
  /** Ends the helpers, and removes what they left. */
  readonly end: () => Promise<void>;
}

/**
 * @param jobs processes
 * @param share folder of another process, which this one helps
 * @param failed is called with the reason when a helper ends before its work is done
 */
export function shareWork(jobs: number, share: string | undefined, failed: (why: string) => void): Shared {
  if (share !== undefined) return helping(share);
  if (jobs === 1) return { work: undefined, helps: false, end: () => Promise.resolve() };
  const folder = newTemporaryFolder('csiflow-evaluate-');
  const ended = new AbortController();
  const helpers = Array.from({ length: jobs - 1 }, () => startHelper(folder, ended.signal, failed));
  return {
    work: new SharedWork(folder, false),
    helps: false,
    end: async () => {
      ended.abort();
      await Promise.all(helpers.map(killed));
      removeTemporaryFolder(folder);
    },
  };
}

/**
 * Ends this process, a helper, with the one that it helps. Call it before anything else: a main process that ended
 * earlier is noticed by the missing connection. The connection keeps no helper alive that has failed.
 */
export function endWithMain(): void {
  if (!process.connected) process.exit();
  process.once('disconnect', () => process.exit());
  process.channel?.unref();
}

const helping = (folder: string): Shared => ({
  work: new SharedWork(folder, true),
  helps: true,
  end: () => {
    process.disconnect();
    return Promise.resolve();
  },
});

/** The same command in another process, quietly; its temporary files are in the folder, which outlives it. */
function startHelper(folder: string, ended: AbortSignal, failed: (why: string) => void): ChildProcess {
  const [, program, ...options] = process.argv;
  const helper = fork(program!, [...options, '--share', folder], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, TMPDIR: folder },
  });
  let words = '';
  helper.stderr!.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-LAST_WORDS);
  });
  helper.once('close', (code, signal) => {
    if (code !== 0 && !ended.aborted) failed(whyEnded(code, signal, words));
  });
  return helper;
}

const whyEnded = (code: number | null, signal: string | null, words: string): string =>
  signal === 'SIGKILL'
    ? 'a process of --jobs was killed (SIGKILL), perhaps for lack of memory: use fewer --jobs'
    : `a process of --jobs ended with ${code ?? signal}: ${words.trim()}`;

/** Resolves when the process has ended. */
async function killed(helper: ChildProcess): Promise<void> {
  if (helper.exitCode !== null || helper.signalCode !== null) return;
  const exit = once(helper, 'exit');
  helper.kill('SIGKILL');
  await exit;
}
