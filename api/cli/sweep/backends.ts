import type { LoadedBackend } from '../../../operators/infer-pose/backends/backends.js';
import type { Server } from '../../../bench/speed/inference/run.js';

/** What `csiflow bench inference` measures. */
export interface Chosen {
  readonly backends: readonly LoadedBackend['name'][];
  readonly server: Server | undefined;
}

/**
 * The named backends, or all that are available; `remote` is if `url` names its server.
 * @throws CommandError for one that cannot be used, with what is missing
 */
export async function chosenBackends(wanted: readonly string[] | undefined, url?: string): Promise<Chosen> {
  const [{ describeBackends }, { CommandError, EXIT }] = await Promise.all([
    import('../../../operators/infer-pose/backends/backends.js'),
    import('../../../pipeline/base/exit.js'),
  ]);
  const remote = {
    name: 'remote',
    available: url !== undefined,
    note: 'It requires --url, the address of the inference server.',
  } as const;
  const known = [...(await describeBackends()), remote];
  const names = wanted ?? known.filter(({ available }) => available).map(({ name }) => name);
  const backends = names.map((name) => {
    const backend = known.find((one) => one.name === name);
    if (!backend)
      throw new CommandError(
        `--backends: there is no backend \`${name}\`; there are ${known.map((one) => one.name).join(', ')}`,
        EXIT.invalid,
      );
    if (!backend.available)
      throw new CommandError(
        `--backends: ${name} cannot be used. ${backend.note}`,
        backend === remote ? EXIT.invalid : EXIT.unavailable,
      );
    return backend.name;
  });
  if (url === undefined) return { backends, server: undefined };
  if (!backends.includes('remote'))
    throw new CommandError('--url: only the backend `remote` uses it; add it to --backends', EXIT.invalid);
  return { backends, server: { url, token: process.env['CSIFLOW_INFERENCE_TOKEN'] } };
}

/** Runs it. @throws CommandError if the inference server cannot be reached or lacks the model */
export async function reaching<T>(work: () => Promise<T>): Promise<T> {
  const [{ KserveError }, { CommandError, EXIT }] = await Promise.all([
    import('../../../operators/shared/kserve.js'),
    import('../../../pipeline/base/exit.js'),
  ]);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KserveError)) throw error;
    throw new CommandError(
      `${error.message}. \`csiflow export-model\` writes the models for the server.`,
      EXIT.unavailable,
    );
  }
}
