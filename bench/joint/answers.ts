import { CELLS } from '../../operators/infer-pose/inputs/geometry.js';
import { Memory, type Recall } from '../../operators/infer-pose/memory/memory.js';
import { readMemory, readModel } from '../../operators/infer-pose/model/weights.js';
import { namedModel } from '../../operators/infer-pose/model/named-model.js';
import { COUNTS, OUT } from '../../operators/infer-pose/networks/layers.js';
import { memoryNetwork, noMemory } from '../../operators/infer-pose/networks/memory-layers.js';
import { Network, weightTensors } from '../../operators/infer-pose/networks/network.js';
import { estimate } from '../../operators/infer-pose/sights/estimate.js';
import { answerRow, read } from '../../operators/infer-pose/sights/reading.js';
import { featuresOf } from '../../operators/infer-pose/windows/request.js';
import type { PlayedRoom } from '../memory/courses.js';
import type { ShapedArray } from './arrays-file.js';

/**
 * Answers of the shipped networks for each window, for check.py: of the window by itself, and of the memory, which
 * does not fade here, as in training.
 */
export function answersOf({ asked, environment: { size } }: PlayedRoom): Record<string, ShapedArray> {
  const { network, weights } = shippedNetworks();
  const memories = memoryNetwork(weights);
  const memory = new Memory(memories);
  let state = noMemory();
  const rows = asked.map(({ request }) => {
    const [seen] = estimate(network, [request], featuresOf([request]));
    const step = memory.step(state, read(memories, seen!.shown), size);
    ({ state } = step);
    return { seen: { ...seen!, alone: answerRow(seen!.alone) }, recalled: rowsOf(step.recall) };
  });
  const windows = rows.length;
  const stacked = (of: (row: (typeof rows)[number]) => ArrayLike<number>, size: number): ShapedArray => ({
    values: Float32Array.from(rows.flatMap((row) => Array.from(of(row)))),
    shape: [windows, size],
  });
  return {
    'alone.cells': stacked(({ seen }) => seen.cells, CELLS),
    'alone.counts': stacked(({ seen }) => seen.counts, COUNTS),
    'alone.answer': stacked(({ seen }) => seen.alone, OUT.size),
    'recall.cells': stacked(({ recalled }) => recalled.cells, CELLS),
    'recall.counts': stacked(({ recalled }) => recalled.counts, COUNTS),
    'recall.answer': stacked(({ recalled }) => recalled.alone, OUT.size),
  };
}

const rowsOf = ({ cells, counts, alone }: Recall) => ({ cells, counts, alone: answerRow(alone) });

let loaded: { readonly network: Network; readonly weights: Float32Array } | undefined;
function shippedNetworks() {
  const folder = namedModel('general');
  const { weights, manifest } = readModel(folder);
  loaded ??= { network: new Network(weightTensors(weights)), weights: readMemory(folder, manifest)! };
  return loaded;
}
