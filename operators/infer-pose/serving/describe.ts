import type { ServedModel } from './served-model.js';

type Details = Readonly<Record<string, unknown>>;

/**
 * The models of a node, for status pages: figures of all together, and the one at 5 GHz by itself.
 * @param high null: it has not started
 */
export function describeModels(usual: ServedModel, high: ServedModel | null): Details {
  const described = describeModel(usual);
  if (!high) return described;
  const other = describeModel(high);
  const sum = (name: string) => numberOf(described, name) + numberOf(other, name);
  const spent = (of: Details) => numberOf(of, 'inference_ms') * numberOf(of, 'batches');
  const batches = sum('batches');
  return {
    ...described,
    fallback: described['fallback'] ?? other['fallback'],
    ...{ batches, windows: sum('windows'), restarts: sum('restarts') },
    inference_ms: batches === 0 ? 0 : Math.round((1000 * (spent(described) + spent(other))) / batches) / 1000,
    at_5_ghz: other,
  };
}

function describeModel({ manifest, inference }: ServedModel): Details {
  const { name, version, trainedOn, accuracy, memory } = manifest;
  const model = { name, version, trained_on: trainedOn, accuracy, memory: memory?.sha256 ?? null };
  return { ...inference.describe(), model };
}

const numberOf = (details: Details, name: string): number => Number(details[name] ?? 0);
