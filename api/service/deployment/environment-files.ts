import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
  chmod,
  chown,
  copyFile,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { relative } from 'node:path';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { Environment } from '../../../pipeline/model/index.js';
import type { Plan, RunningTopology } from '../../../pipeline/runtime/status.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import { ApiError, conflict } from '../errors.js';
import type { Deployment } from './deployment.js';
import { changedParts, type ChangedPart } from './environment-changes.js';
import { environmentOf, type Sensing } from './environments.js';

type Parts = Pick<Deployment, Sensing>;

/** The file of an environment, as it is on disk now. */
export interface EnvironmentFile {
  readonly running: RunningTopology;
  readonly environment: Environment;
  /** Absolute. */
  readonly file: string;
  /** Relative to the topology's folder. */
  readonly name: string;
  readonly text: string;
  /** Hash of its bytes. */
  readonly hash: string;
}

/** A new text for a file. */
export interface EnvironmentText {
  readonly id: string;
  readonly text: string;
  /** Hash of the file that it was made from. */
  readonly base: string;
}

export interface EnvironmentPlan extends Plan {
  readonly environment: readonly ChangedPart[];
}

/** @throws ApiError 404 for an unknown environment, 409 for one without a readable file */
export async function environmentFile(deployment: Parts, id: string): Promise<EnvironmentFile> {
  const { environment, running } = environmentOf(deployment, id);
  const { environmentFiles = {}, folder } = running.topology;
  const file = Object.hasOwn(environmentFiles, environment.id) ? environmentFiles[environment.id] : undefined;
  if (file === undefined)
    throw conflict(`${environment.id} has no file: a program made it, so change that program`, running);
  const name = relative(folder, file);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw conflict(`${name} cannot be read: ${codeOf(error)}`, running);
  });
  return { running, environment, file, name, text: bytes.toString('utf8'), hash: hashOf(bytes) };
}

/**
 * What a new text would change, without changing anything.
 * @throws ApiError 404; 409 if the file has changed since; TextProblems, TopologyConflict
 */
export async function planEnvironment(
  deployment: Parts,
  { id, text, base }: EnvironmentText,
): Promise<EnvironmentPlan> {
  const found = await environmentFile(deployment, id);
  requireSame(found, base);
  const { next } = await checked(deployment, found, text);
  const now = found.running.topology;
  const plan = found.running.plan(next);
  const environment = changedParts(named(now, id)!, named(next, id)!);
  return { ...plan, hash: hashWith(text, plan), environment };
}

/** The environment that a text describes, checked with its topology. @throws like {@link planEnvironment} */
export async function environmentIn(deployment: Parts, id: string, text: string): Promise<Environment> {
  const { next } = await checked(deployment, await environmentFile(deployment, id), text);
  return named(next, id)!;
}

/**
 * Saves a text and lets its topology continue with it, from a checkpoint. The file keeps its former content
 * if the topology cannot be started with the new one.
 * @param planned hash of the plan
 * @throws like {@link planEnvironment}, and like `RunningTopology.apply`; ApiError 409 if the file cannot be
 * written
 */
export async function applyEnvironment(
  deployment: Parts,
  { id, text, base }: EnvironmentText,
  planned: string,
): Promise<EnvironmentFile> {
  const { running } = await environmentFile(deployment, id);
  await deployment.topologies.change(running.topology.id, async (apply) => {
    const found = await environmentFile(deployment, id);
    requireSame(found, base);
    const { next, topology } = await checked(deployment, found, text);
    const plan = running.plan(next);
    if (hashWith(text, plan) !== planned)
      throw conflict(`the plan ${planned} is stale: something has changed since; plan again`, running);
    // The check takes a while: somebody may have changed the file meanwhile.
    requireSame(await environmentFile(deployment, id), base);
    await save(found, text);
    // Only comments differ.
    if (next.hash === running.topology.hash) return;
    try {
      await apply(topology, plan.hash);
    } catch (error) {
      await putBack(found, text);
      throw error;
    }
  });
  return environmentFile(deployment, id);
}

/** Restores the former text, unless somebody has changed the file since it got the new one. */
async function putBack(found: EnvironmentFile, text: string): Promise<void> {
  const { file } = found;
  const there = await readFile(file, 'utf8').catch(() => null);
  // What apply reported matters more than a file that cannot be restored.
  if (there === text) await save(found, found.text).catch(() => undefined);
}

const named = ({ environments }: CheckedTopology, id: string): Environment | undefined =>
  environments.find((environment) => environment.id === id);

async function checked(
  { topologies }: Parts,
  { running, environment, file, name }: EnvironmentFile,
  text: string,
): Promise<{ readonly next: CheckedTopology; readonly topology: string }> {
  const { id } = running.topology;
  const topology = await topologies.text(id).catch((error: unknown) => {
    throw conflict(`the file of ${id} cannot be read: ${codeOf(error)}`, running);
  });
  if (topology === null) throw conflict(`${id} has no file: a program made it`, running);
  const next = await topologies.check(id, topology, { file, text });
  if (named(next, environment.id) && next.environmentFiles?.[environment.id] === file)
    return { next, topology };
  const message = `\`id\` must stay ${environment.id}: the stored results belong to this name`;
  throw new ApiError('VALIDATION_ERROR', message, {
    details: { fields: [{ field: `${name}:id`, message, received: null }] },
  });
}

/** @throws ApiError 409 */
function requireSame({ name, hash, running }: EnvironmentFile, base: string): void {
  if (hash === base) return;
  throw conflict(
    `${name} was changed since you read it: read it again, and make your changes in the new version`,
    running,
  );
}

/** Replaces it atomically, with the same owner and mode, behind symbolic links. @throws ApiError 409 */
async function save({ file, name, running }: EnvironmentFile, text: string): Promise<void> {
  try {
    const there = await realpath(file);
    // A file that its owner made read-only stays as it is, although its folder would allow a replacement.
    await access(there, constants.W_OK);
    const { mode, uid, gid } = await stat(there);
    const part = `${there}.part`;
    await writeFile(part, text, { flush: true });
    if (await belongsTo(part, { uid, gid })) {
      await chmod(part, mode & 0o777);
      await rename(part, there);
    } else {
      // Only root gives files away: written in place, it stays its owner's. The whole text is on the disk already.
      await copyFile(part, there);
      await rm(part);
    }
  } catch (error) {
    throw conflict(
      `${name} cannot be written (${codeOf(error)}): make it writable for csiflow, or change it on the host`,
      running,
    );
  }
}

/** False if this process may not give the file to that owner. */
async function belongsTo(
  file: string,
  owner: { readonly uid: number; readonly gid: number },
): Promise<boolean> {
  const { uid, gid } = await stat(file);
  if (uid === owner.uid && gid === owner.gid) return true;
  return chown(file, owner.uid, owner.gid).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'EPERM') return false;
      throw error;
    },
  );
}

/** A plan is one of its text: another one may differ in comments alone, which the plan's own hash does not show. */
const hashWith = (text: string, { hash }: Plan): string => hashOf(Buffer.from(`${hash}\n${text}`));

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 32);

/** Messages of the system name the host's folders. */
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? errorText(error);
