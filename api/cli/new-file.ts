import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { CommandError } from '../../pipeline/base/exit.js';
import { readNamedFile } from './named-file.js';
import { ask, RefusedInput, type RemoteOptions } from './remote.js';

/** Options of the commands that send a topology's new file to the csiflow that runs it. */
export interface NewFileOptions extends RemoteOptions {
  readonly plugin: readonly string[];
}

/** What the csiflow that runs a topology answers about its new file. */
interface Answered {
  readonly id: string;
  readonly data: unknown;
}

/**
 * Sends a topology's new file to the csiflow that runs it, which checks it.
 * @param more fields of the request beside the text
 * @throws CommandError with exit code 2, after printing the problems like `csiflow validate`, if the file is not valid
 */
export async function sendNewFile(
  file: string,
  options: NewFileOptions,
  step: 'plan' | 'apply',
  more: object = {},
): Promise<Answered> {
  const topology = readNamedFile(file);
  const id = idOf(topology) ?? (await checkedHere(file, options)).id;
  try {
    return { id, data: await ask(options, `/topologies/${id}/${step}`, { topology, ...more }) };
  } catch (error) {
    // The answer names the first problem only.
    if (error instanceof RefusedInput) await reportedHere(file, options, error.message);
    throw error;
  }
}

/** Undefined if the text is not YAML, or has no id. */
function idOf(text: string): string | undefined {
  try {
    const content: unknown = parse(text, { prettyErrors: false });
    if (typeof content !== 'object' || content === null || !('id' in content)) return undefined;
    return typeof content.id === 'string' ? content.id : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param answer of the csiflow that runs the topology. Plugins and environments of this machine may differ
 * @throws CommandError after printing the problems that are found here; with the answer unless it is among them
 */
async function reportedHere(file: string, options: NewFileOptions, answer: string): Promise<void> {
  try {
    await checkedHere(file, options);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { InvalidTopology } = await import('./topologies.js');
    const problems = error instanceof InvalidTopology ? error.problems : [];
    // Here, names of files begin with the topology's folder.
    const folder = join(dirname(file), '/');
    if (problems.some(({ message }) => answer.endsWith(message.replace(folder, '')))) throw error;
    throw new CommandError(`${error.message}; ${options.url} answered: ${answer}`, error.exitCode);
  }
}

async function checkedHere(file: string, { plugin }: NewFileOptions) {
  const [{ loadForCommand }, { registryWith }] = await Promise.all([
    import('./topologies.js'),
    import('../plugins.js'),
  ]);
  // The csiflow that runs it may have secrets that this machine lacks.
  const variables = { env: process.env, secrets: process.env['CSIFLOW_SECRETS'], standIn: 'unset' };
  return loadForCommand(file, variables, await registryWith(plugin));
}
