import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageFile, packageFolder, packageVersion } from '../../pipeline/base/paths.js';
import type { CheckedTopology } from '../../pipeline/config/index.js';

/** The code and the topology behind a table. */
export interface Provenance {
  readonly version: string;
  /** The commit of the checkout, with `-dirty` if its code has changes; absent in an installed package. */
  readonly commit?: string;
  /** Digest of the topology and its weights; absent in older tables. */
  readonly digest?: string;
}

export function provenanceOf(topology: CheckedTopology): Provenance {
  const commit = commitOf(packageFolder);
  return { version: packageVersion(), ...(commit !== undefined && { commit }), digest: digestOf(topology) };
}

/** `csiflow 0.5.0, commit 1a2b3c4d, topology 5e6f7a8b` */
export const provenanceText = ({ version, commit, digest }: Provenance): string =>
  [
    `csiflow ${version}`,
    ...(commit === undefined ? [] : [`commit ${commit}`]),
    ...(digest === undefined ? [] : [`topology ${digest}`]),
  ].join(', ');

/**
 * The commit of a checkout: `1a2b3c4d`, or `1a2b3c4d-dirty` if files outside `docs/`, where reports are written,
 * differ from it. Undefined if the folder is no checkout itself, or there is no git.
 */
export function commitOf(folder: string): string | undefined {
  if (!existsSync(join(folder, '.git'))) return undefined;
  const git = (...words: readonly string[]) => spawnSync('git', words, { cwd: folder, encoding: 'utf8' });
  const head = git('rev-parse', '--short=8', 'HEAD');
  const changes = git('status', '--porcelain', '--', ':/', ':(top,exclude)docs');
  if (head.status !== 0 || changes.status !== 0) return undefined;
  return `${head.stdout.trim()}${changes.stdout === '' ? '' : '-dirty'}`;
}

/** The first digits of a SHA-256 of a topology, the weights that it names, and the shipped ones. */
export function digestOf({ hash, folder, nodes }: CheckedTopology): string {
  const named = nodes.flatMap(({ config: { weights } }) =>
    typeof weights === 'string' ? [resolve(folder, weights)].filter((path) => existsSync(path)) : [],
  );
  const digest = createHash('sha256').update(hash);
  for (const path of [...SHIPPED.map(packageFile), ...named].flatMap(filesAt))
    digest.update(readFileSync(path));
  return digest.digest('hex').slice(0, 8);
}

const SHIPPED = ['operators/detect-falls/weights', 'operators/infer-pose/weights'];

/** A file, or all files of a folder. */
const filesAt = (path: string): readonly string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .sort()
        .flatMap((name) => filesAt(join(path, name)))
    : [path];
