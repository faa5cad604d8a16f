import { resolve } from 'node:path';
import { CONTRACTS, type Contract } from '../contracts.js';
import { TASKS } from '../tasks/suite.js';
import type { Answer, Entrant, Inputs, Panel } from '../task.js';
import { kserve } from './kserve.js';
import type { Manifest } from './manifest.js';
import type { Model, Runtime } from './model.js';
import { onnx } from './onnx.js';
import { tfjs } from './tfjs.js';

const RUNTIMES: Readonly<Record<Manifest['runtime'], Runtime>> = { tfjs, onnx, kserve };

/** The row of a model; says what it was trained on if it is judged on the same data. */
export function rowOf(manifest: Manifest): Entrant {
  const { name, task, trained_on: trained } = manifest;
  const seen = !hasFolds(manifest) && TASKS[task].needs.some((folder) => trained.includes(folder));
  return { task, row: seen ? `${name} (trained on these recordings)` : name };
}

const addressOf = ({ path, url, folder }: Manifest): string => url ?? resolve(folder, path!);
const hasFolds = (manifest: Manifest): boolean => addressOf(manifest).includes('{fold}');

/** Runs models by their manifests; loads each once, or once per fold. */
export function panelOf(manifests: readonly Manifest[]): Panel {
  const loaded = new Map<string, Promise<Model>>();
  const modelOf = (manifest: Manifest, fold: string): Promise<Model> => {
    const address = addressOf(manifest).replace('{fold}', encodeURIComponent(fold));
    const known = loaded.get(address) ?? RUNTIMES[manifest.runtime](address, manifest);
    loaded.set(address, known);
    return known;
  };
  return {
    answers: (task) => manifests.some((manifest) => manifest.task === task),
    ask: async (task, fold, inputs) => {
      const asked = manifests.filter((manifest) => manifest.task === task);
      if (asked.length === 0) return {};
      const given = await inputs();
      const answers: Record<string, Answer> = {};
      for (const manifest of asked) {
        const model = await modelOf(manifest, fold);
        answers[rowOf(manifest).row] = checked(manifest, await model(renamed(given, manifest)));
      }
      return answers;
    },
  };
}

const renamed = (inputs: Inputs, { inputs: names = {} }: Manifest): Inputs =>
  Object.fromEntries(Object.entries(inputs).map(([name, tensor]) => [names[name] ?? name, tensor]));

/**
 * The answer in the task's order. All `NaN`: the model gives no answer. @throws Error if its length is wrong
 */
function checked({ name, task, classes }: Manifest, output: readonly number[]): Answer {
  const { outputs }: Contract = CONTRACTS[task];
  if (output.length !== outputs.length)
    throw new Error(
      `${name} answers with ${output.length} numbers; the task ${task} requires ${outputs.length}`,
    );
  if (output.every(Number.isNaN)) return null;
  if (!output.every(Number.isFinite))
    throw new Error(
      `${name} answers with ${output.join(', ').slice(0, 100)}: these must be numbers, or all NaN for no answer`,
    );
  return classes ? outputs.map((one) => output[classes.indexOf(one)]!) : output;
}
