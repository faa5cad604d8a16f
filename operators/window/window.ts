import { Type, type Static } from 'typebox';
import {
  defineOperator,
  NOTHING,
  type Complaint,
  type Context,
  type Output,
} from '../../pipeline/component/index.js';
import type { Window } from '../../pipeline/model/index.js';
import { EnvironmentGrid, type EnvironmentGridState, type WindowGrid } from './environment-grid.js';
import { FrameQueue, type WaitingState } from './frame-queue.js';
import { LinkHealth } from './link-health.js';

interface State {
  readonly grids: readonly EnvironmentGridState[];
  readonly waiting: readonly WaitingState[];
}

const TRAINING_FIELD = Type.Union([
  Type.Literal('lltf'),
  Type.Literal('ht-ltf'),
  Type.Literal('stbc-ht-ltf'),
  Type.Literal('vht-ltf'),
  Type.Literal('he-ltf'),
]);

const CONFIG = Type.Object(
  {
    length_ms: Type.Number({
      minimum: 20,
      maximum: 60_000,
      default: 2000,
      description: 'Length of a window, milliseconds.',
    }),
    hop_ms: Type.Number({
      minimum: 1,
      maximum: 60_000,
      default: 200,
      description: 'Distance between the starts of two windows, milliseconds; a whole number of grid steps.',
    }),
    points: Type.Integer({
      minimum: 2,
      maximum: 10_000,
      default: 100,
      description: 'Number of grid points in a window; a grid step is `length_ms / points`.',
    }),
    training: Type.Array(TRAINING_FIELD, {
      minItems: 1,
      uniqueItems: true,
      default: ['lltf', 'ht-ltf', 'vht-ltf', 'he-ltf'],
      description: 'Training fields to use: for each link, the first of these that it sends.',
    }),
    idle_ms: Type.Number({
      minimum: 10,
      maximum: 60_000,
      default: 500,
      description:
        'A link that is behind the newest frame of its environment by more than this is not waited for, milliseconds.',
    }),
    max_gap_periods: Type.Number({
      minimum: 1,
      maximum: 100,
      default: 3,
      description: 'Longest hole to interpolate, in usual periods of the link; at most `idle_ms`.',
    }),
  },
  { additionalProperties: false },
);

type Config = Static<typeof CONFIG>;

export const window = defineOperator({
  name: 'window',
  summary: 'Resamples all links of an environment to one grid and cuts it into windows.',
  description: `
Use it before operators that evaluate a stretch of time: pose networks, motion, falls. Put \`phase-sanitize\` before it, so
that neighbouring frames agree in phase.

The points of the grid lie on multiples of its step since 1970, and the windows of the topology's first environment on
multiples of \`hop_ms\`, so they do not depend on when a run began. The windows of the second environment start half a hop
later, those of further ones at other quarters and eighths of a hop, so that they do not all wait for one network at the
same moment. Each frame is resampled once: between two frames of a link the amplitude is linear in time, and the phase takes the shorter way round.
If the hole between two frames is longer than \`max_gap_periods\` of the link's usual periods, the last frame is held and
the points are marked as gaps.

Frames are processed in order of event time, once it has passed them. A window closes when each link that is not idle has a frame at its end or later. A link is idle when it is \`idle_ms\` behind
the newest frame of its environment. Frames for a closed window, or older than their link's newest
one, are dropped and counted as \`late\`; those with invalid values as \`not_finite\`; those of a second layout
of a link that still sends the first as \`other_layout\`. Windows without any frame are omitted and not numbered.

**Link quality.** Each link carries its signal-to-noise ratio and its fault, if any. Both are assessed every 64 frames from
the original frames, before resampling. Twelve neighbouring subcarriers span less than 4 MHz, over which the channel of
a room, regardless of people walking in it, has few degrees of freedom: the part of a subcarrier that the other eleven do not predict is noise. A
link is faulty if its frames are only \`noise\` (below -4 dB), if more than half of them repeat the previous one, up to a common
factor (\`frozen\`), or are zeros (\`silent\`), or if its level changes by more than 6 dB from frame to frame (\`unsteady\`). \`infer-pose\`, \`detect-motion\`,
\`detect-falls\` and \`estimate-vitals\` ignore such a link; the node is degraded during that time and names it, and its details list
all links. A link that was heard is also \`silent\` once no frame of it has arrived for five seconds; after a silence of all
links, each has five seconds again. A link that this node has never heard is not named. \`denoise\` alters quick changes: while somebody walks past a link of 40 dB, the estimate drops to 35.

Stopping the topology leaves windows open; the end of the input closes the complete ones.
`,
  inputs: ['csi'],
  outputs: ['window'],
  frameField: 'hop_ms',
  stateVersion: 2,
  module: import.meta.url,
  config: CONFIG,
  examples: [
    { title: 'Windows of one second, ten a second', config: { length_ms: 1000, hop_ms: 100, points: 50 } },
    { title: 'Longer context for a pose network', config: { length_ms: 2000, hop_ms: 200, points: 100 } },
  ],
  check: ({ length_ms, hop_ms, points }): Complaint[] => {
    const step = (length_ms * 1000) / points;
    if (!Number.isInteger(step))
      return [
        {
          path: ['points'],
          message: `length_ms / points is ${step / 1000} ms: the grid step must be a whole number of microseconds`,
        },
      ];
    if (!Number.isInteger((hop_ms * 1000) / step)) {
      const near = Math.max(1, Math.round((hop_ms * 1000) / step)) * (step / 1000);
      return [
        {
          path: ['hop_ms'],
          message: `must be a whole number of grid steps of ${step / 1000} ms (length_ms / points), for example ${near}`,
        },
      ];
    }
    return hop_ms > length_ms
      ? [
          {
            path: ['hop_ms'],
            message: `must be at most length_ms (${length_ms}): frames between windows would be lost`,
          },
        ]
      : [];
  },
  create: (config, context) => {
    const grids = gridsOf(config, context);
    const gridLinks = linksOf(grids, context);
    const queue = new FrameQueue();
    const health = new LinkHealth(context);

    const take = (time: number, closed: Window[]): void => {
      const refused: Record<string, number> = {};
      queue.drain(time, (block, i) => {
        const { grid, index } = gridLinks[block.link[i]!]!;
        const refusal = grid.add(index, block, i, closed);
        if (refusal) refused[refusal] = (refused[refusal] ?? 0) + 1;
      });
      for (const reason in refused) context.metrics.dropped(reason, refused[reason]!);
    };

    return {
      process: (block): Output<Window> => {
        queue.add(block);
        return NOTHING;
      },
      watermark: (time) => {
        const closed: Window[] = [];
        take(time, closed);
        for (const grid of grids.values())
          if (time === Infinity) grid.finish(closed);
          else grid.advance(time, closed);
        for (const window of closed) health.see(window);
        for (const [environment, { allSilent }] of grids) health.seeSilent(environment, allSilent);
        return { data: closed };
      },
      holdWatermark: (time) => {
        if (time === Infinity) return time;
        let held = time;
        for (const grid of grids.values()) held = Math.min(held, grid.closedUntil ?? time);
        return held;
      },
      due: () => {
        let due = Infinity;
        for (const grid of grids.values()) due = Math.min(due, grid.nextEnd ?? Infinity);
        return due;
      },
      reanchor: () => {
        const closed: Window[] = [];
        // Waiting frames belong to the time before the jump: otherwise they would start the next grid.
        take(Infinity, closed);
        for (const grid of grids.values()) grid.beginAnew(closed);
        return { data: closed };
      },
      describe: () => health.describe(),
      snapshot: (): State => ({
        grids: Array.from(grids.values(), (grid) => grid.snapshot()),
        waiting: queue.snapshot(context.links),
      }),
      restore: ({ grids: saved, waiting }: State) => {
        for (const grid of saved) grids.get(grid.environment)?.restore(grid);
        queue.restore(waiting, context.links);
      },
    };
  },
});

/** By environment. */
function gridsOf(config: Config, { environments, provenance }: Context): Map<string, EnvironmentGrid> {
  const grid = gridOf(config);
  return new Map(
    environments.map((one, number) => [one.id, new EnvironmentGrid(one, number, grid, provenance)]),
  );
}

/** By link number: its environment's grid and its index there. */
const linksOf = (grids: ReadonlyMap<string, EnvironmentGrid>, { links }: Context) =>
  Array.from(links, ({ link, environment }) => ({
    grid: grids.get(environment.id)!,
    index: environment.links.indexOf(link),
  }));

function gridOf({ length_ms, hop_ms, points, idle_ms, max_gap_periods, training }: Config): WindowGrid {
  const step = (length_ms * 1000) / points;
  const idle = idle_ms * 1000;
  return {
    step,
    points,
    hop: Math.round((hop_ms * 1000) / step),
    capacity: points + Math.ceil(idle / step) + 2,
    idle,
    maxGap: idle,
    maxGapPeriods: max_gap_periods,
    training,
  };
}
