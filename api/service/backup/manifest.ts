import { createHash } from 'node:crypto';
import { chmodSync, createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, win32 } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { checkLayout } from '../../../pipeline/state/index.js';
import { codedError } from '../../../pipeline/base/error-text.js';

/** Incremented with each change that an earlier csiflow could not restore. */
export const LAYOUT = 1;
export const MANIFEST = 'manifest.json';

const ManifestSchema = Type.Object({
  version: Type.Integer(),
  /** Version of csiflow that created it. */
  by: Type.String(),
  topology: Type.String(),
  created_at: Type.String(),
  files: Type.Array(Type.Object({ path: Type.String(), bytes: Type.Integer(), sha256: Type.String() })),
});
export type Manifest = Static<typeof ManifestSchema>;

/** @throws Error if a file is missing, changed, or has another layout. */
export async function checkedManifest(folder: string): Promise<Manifest> {
  const manifest = readManifest(folder);
  for (const { path, bytes, sha256 } of manifest.files) {
    const file = join(folder, path);
    const same = existsSync(file) && statSync(file).size === bytes && (await digest(file)) === sha256;
    if (!same)
      throw codedError('backup.damaged', `${file} differs from the backed-up file: use another backup`);
  }
  return manifest;
}

function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw codedError('backup.damaged', `${folder} is not a backup: ${file} cannot be read`, error);
  }
  if (typeof content === 'object' && content !== null && 'version' in content)
    checkLayout(file, content.version, LAYOUT);
  if (Value.Check(ManifestSchema, content) && content.files.every(({ path }) => isInside(path)))
    return content;
  throw codedError('backup.damaged', `${file} is damaged: use another backup`);
}

/** A path of a manifest must not lead outside its folder, on any system. */
const isInside = (path: string): boolean =>
  win32.parse(path).root === '' && !path.split(/[/\\]/).includes('..');

/** Lists all files below a folder; makes them readable only for their owner. */
export async function describeFiles(folder: string): Promise<Manifest['files']> {
  const files: Manifest['files'] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    chmodSync(file, 0o600);
    files.push({ path: relative(folder, file), bytes: statSync(file).size, sha256: await digest(file) });
  }
  return files;
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
