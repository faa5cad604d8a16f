// dist/ is shared: a run of the tests imports from it, and starts processes from it, while another run, or a command,
// compiles. So files that are up to date are left alone, others are replaced whole, and a compilation that would
// change something waits for the tests that use dist/ (docs/decisions/0141-test-runs-share-dist.md).
import {
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { tryLock, waitForLock } from 'fs-native-extensions';

/** Folders whose TypeScript is compiled to dist/. */
export const SOURCES = ['pipeline', 'operators', 'sinks', 'api', 'topologies', 'bench', 'docs/site'];

/** What compiles them. */
const COMPILER = [
  'build.config.mjs',
  'bundle.config.mjs',
  'dist.config.mjs',
  'package.json',
  'package-lock.json',
];
/** Everything that the contents of dist/ depend on. */
export const INPUTS = [...SOURCES, ...COMPILER];

/** Set in the processes of a test run: one that waited for its own run would wait forever. */
const IN_A_RUN = 'CSIFLOW_USES_DIST';

export const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Writes a file unless it has these contents; who reads it meanwhile gets the old or the new ones, whole. */
export function update(file, contents) {
  if (isCurrent(file, contents)) return;
  mkdirSync(dirname(file), { recursive: true });
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, contents);
  renameSync(beside, file);
}

/**
 * Makes a folder contain what `compile` returns, and nothing else except what `kept` selects of the other files.
 * It compiles under the lock, so that an older compilation cannot replace a newer one. While others use the folder
 * (`useDist`), it compiles without, and waits for them if that changes something; then it compiles again.
 */
export async function updateDist({ dist, lock, compile, kept, onWait }) {
  const changes = async () => changesOf(dist, await compile(), kept);
  const held = open(lock);
  try {
    if (!tryLock(held)) {
      if ((await changes()).length === 0) return;
      if (process.env[IN_A_RUN]) throw new Error('sources have changed since this test run compiled them');
      onWait();
      await waitForLock(held);
    }
    apply(await changes());
  } finally {
    closeSync(held);
  }
}

/**
 * Builds dist/, and keeps it as it is until the returned function is called. Builds again if one of the sources
 * (folders and files) has changed before dist/ was locked.
 */
export async function buildAndUse({ sources, lock, build }) {
  for (;;) {
    const before = stateOf(sources);
    await build();
    const end = await useDist(lock);
    if (stateOf(sources) === before) return end;
    end();
  }
}

/** Keeps dist/ as it is for this process and those that it starts, until the returned function is called. */
export async function useDist(lock) {
  const held = open(lock);
  await waitForLock(held, { shared: true });
  process.env[IN_A_RUN] = '1';
  return () => {
    delete process.env[IN_A_RUN];
    closeSync(held);
  };
}

/** Says on stderr what a process that compiles waits for. */
export const sayWait = () => {
  console.error(
    'csiflow: sources have changed, and tests or another compilation use dist/: waiting for their end',
  );
};

function open(lock) {
  mkdirSync(dirname(lock), { recursive: true });
  return openSync(lock, 'a+');
}

/** Changes when one of these files, or a file of these folders, is written, added or removed. */
export function stateOf(paths, list = filesBelow) {
  const files = paths.flatMap((path) => (statSync(path).isFile() ? [path] : list(path))).sort();
  return files
    .map((file) => {
      // It may have been removed since it was listed.
      const found = statSync(file, { throwIfNoEntry: false });
      return found ? `${file} ${found.mtimeMs} ${found.size}` : file;
    })
    .join('\n');
}

function changesOf(dist, outputs, kept) {
  const others = (existsSync(dist) ? filesBelow(dist) : []).filter((file) => !outputs.has(file));
  const remaining = new Set(kept(others));
  return [
    ...[...outputs]
      .filter(([file, contents]) => !isCurrent(file, contents))
      .map(([file, contents]) => () => {
        update(file, contents);
      }),
    ...others
      .filter((file) => !remaining.has(file))
      .map((file) => () => {
        rmSync(file, { force: true });
      }),
  ];
}

function apply(changes) {
  for (const change of changes) change();
}

const isCurrent = (file, contents) => existsSync(file) && readFileSync(file).equals(Buffer.from(contents));
