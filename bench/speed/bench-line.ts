import { Type } from 'typebox';
import { withTemporaryFolder } from '../../pipeline/base/temporary-folders.js';
import { denoise } from '../../operators/denoise/denoise.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { window } from '../../operators/window/window.js';
import {
  defineSource,
  type Component,
  type Context,
  type Operator,
  type Source,
  type SourceOutput,
} from '../../pipeline/component/index.js';
import type { CheckedNode, CheckedTopology, Settings } from '../../pipeline/config/topology/topology.js';
import { allocateBlock, csiLayout, PORTS, type CsiBlock } from '../../pipeline/model/index.js';
import { environmentOf } from '../shared/context.js';

/** The line on which the runtime is measured: denoise, phase-sanitize, window; 64 subcarriers. */

export const BLOCK = 64;
const FIRST_US = 1_700_000_000_000_000;

export interface BenchNode {
  readonly id: string;
  readonly component: Component;
  readonly config: Readonly<Record<string, unknown>>;
}

const withDefaults = (id: string, component: Component): BenchNode => ({
  id,
  component,
  config: Object.fromEntries(
    Object.entries(component.config.properties as Record<string, { default?: unknown }>)
      .filter(([, schema]) => schema.default !== undefined)
      .map(([key, schema]) => [key, schema.default]),
  ),
});

export const STEPS: readonly BenchNode[] = [
  withDefaults('clean', denoise),
  withDefaults('phase', phaseSanitize),
  withDefaults('windows', window),
];

/** The line's operators for a loop without the runtime. */
export const createSteps = (context: Context): readonly Operator[] =>
  STEPS.map(({ component, config }) => component.create(config as never, context) as Operator);

/** A CSI source without settings, as the node `in`. */
export const sourceNode = (open: (output: SourceOutput) => Promise<void>): BenchNode => ({
  id: 'in',
  component: defineSource({
    name: 'blocks',
    summary: 'Blocks from memory.',
    config: Type.Object({}),
    examples: [],
    outputs: ['csi'],
    replayable: true,
    create: (): Source => ({ open: (_, output) => open(output) }),
  }),
  config: {},
});

/** Blocks of 64 frames of `links` links at 100 Hz each. */
export function csiBlocks(count: number, links: number): readonly CsiBlock[] {
  const subcarriers = Array.from({ length: 65 }, (_, index) => index - 32).filter((index) => index !== 0);
  const layout = csiLayout({
    rx: 1,
    tx: 1,
    subcarriers,
    bandwidthMhz: 20,
    centreMhz: 2437,
    training: 'lltf',
  });
  return Array.from({ length: count }, (_, number) => {
    const block = allocateBlock(layout, BLOCK);
    for (let index = 0; index < BLOCK; index++) {
      const frame = number * BLOCK + index;
      block.time[index] = FIRST_US + Math.floor((frame * 10_000) / links);
      block.link[index] = frame % links;
      block.sequence[index] = Math.floor(frame / links);
    }
    for (let index = 0; index < block.values.length; index++) {
      block.values[index] = 20 * Math.sin(index * 0.37 + number * 0.01) + 25;
    }
    return block;
  });
}

/** A topology of the given nodes, each behind the one before it. */
export function lineOf(
  nodes: readonly BenchNode[],
  links: number,
  settings: Pick<Settings, 'stateFolder' | 'checkpointIntervalMs'>,
): CheckedTopology {
  return {
    id: 'bench',
    file: null,
    folder: settings.stateFolder,
    environments: [environmentOf(links)],
    nodes: nodes.map((node, index): CheckedNode => ({
      ...node,
      inputs: index === 0 ? [] : [{ from: nodes[index - 1]!.id, ports: PORTS }],
      queue: index === 0 ? { capacity: 256, policy: 'block', maxAgeMs: null } : null,
      secrets: [],
      hash: node.id,
    })),
    settings: { journal: true, degradedAfterFailures: 100, stopAfterFailures: null, seed: 1, ...settings },
    hash: 'bench',
  };
}

/** Runs `work` with a folder that is removed afterwards. */
export const withFolder = <T>(work: (folder: string) => Promise<T>): Promise<T> =>
  withTemporaryFolder('csiflow-bench-', work);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
