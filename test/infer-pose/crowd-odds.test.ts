import { expect, test } from 'vitest';
import { CROWD_ODDS, withCrowdOdds } from '../../bench/memory/crowd-odds.js';
import { CELLS } from '../../operators/infer-pose/inputs/geometry.js';
import { MEMORY, memoryNetwork, noMemory } from '../../operators/infer-pose/networks/memory-layers.js';
import { Memory } from '../../operators/infer-pose/memory/memory.js';
import { OUT } from '../../operators/infer-pose/networks/layers.js';
import { namedModel } from '../../operators/infer-pose/model/named-model.js';
import { readManifest, readMemory } from '../../operators/infer-pose/model/weights.js';

const folder = namedModel('general');
const manifest = readManifest(folder);
const shipped = readMemory(folder, manifest)!;
const recallOf = (weights: Float32Array) =>
  new Memory(memoryNetwork(weights)).step(
    noMemory(),
    {
      cells: new Float32Array(CELLS * MEMORY.cellReading),
      room: new Float32Array(MEMORY.roomReading),
      alone: new Float32Array(OUT.size),
    },
    { x: 4, y: 5 },
  ).recall;

test('the shipped memory makes three people and more half as likely, against two', () => {
  expect(manifest.memory!.crowdOdds).toBe(CROWD_ODDS);
  const [now, trained] = [recallOf(shipped), recallOf(withCrowdOdds(shipped, 1 / CROWD_ODDS))];
  const odds = ({ counts }: typeof now) => counts.map((count) => count / counts[2]!);
  const asTrained = odds(trained);
  odds(now).forEach((value, people) => {
    expect(value).toBeCloseTo(asTrained[people]! * (people > 2 ? CROWD_ODDS : 1), 6);
  });
  expect(now.cells).toEqual(trained.cells);
  expect(now.alone).toEqual(trained.alone);
});
