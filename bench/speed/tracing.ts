import { existsSync, readFileSync } from 'node:fs';
import { SpanQueue } from '../../pipeline/telemetry/traces/span-queue.js';
import { csiBlocks, median } from './bench-line.js';
import { throughRuntime } from './runtime-overhead.js';

/**
 * Cost of following frames: `node dist/bench/speed/tracing.js`. The same blocks go through the runtime untraced,
 * traced at two shares, and untraced again, which is the control. What counts is the time that the main thread was
 * on a processor (of Linux; elsewhere the clock's): other load of the machine is left out. The spans are thrown
 * away where an exporter would send them.
 */
interface TracingCost {
  /** Share of frames followed; of each batch at most one. */
  readonly ratio: number;
  /** Median over the pairs of the traced time over the untraced, less one. */
  readonly overhead: number;
  /** The same of the untraced run over itself. */
  readonly control: number;
  readonly spans: number;
  readonly pairs: number;
}

const LINKS = 20;

export async function tracingCost(ratio: number, pairs = 9, blocks = 1000): Promise<TracingCost> {
  const input = csiBlocks(blocks, LINKS);
  await throughRuntime(input);
  const ratios: number[] = [];
  const controls: number[] = [];
  let spans = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const first = await spent(() => throughRuntime(input));
    const queue = new SpanQueue({
      ratio,
      send: () => Promise.resolve(),
      onResult: (_, count) => {
        spans += count;
      },
    });
    const traced = await spent(() => throughRuntime(input, queue));
    await queue.close(1000);
    const second = await spent(() => throughRuntime(input));
    ratios.push(traced / ((first + second) / 2));
    controls.push(second / first);
  }
  return {
    ratio,
    overhead: median(ratios) - 1,
    control: median(controls) - 1,
    spans: Math.round(spans / pairs),
    pairs,
  };
}

/** Nanoseconds that the main thread was on a processor while `work` ran. */
async function spent(work: () => Promise<unknown>): Promise<number> {
  const before = onProcessor();
  await work();
  return onProcessor() - before;
}

/** The first number of the kernel's statistics of a thread. */
const STATISTICS = '/proc/self/schedstat';

const onProcessor = (): number =>
  existsSync(STATISTICS) ? Number(readFileSync(STATISTICS, 'utf8').split(' ')[0]) : performance.now() * 1e6;

if (process.argv[1]?.endsWith('tracing.js'))
  for (const ratio of [0.001, 1]) process.stdout.write(`${JSON.stringify(await tracingCost(ratio))}\n`);
