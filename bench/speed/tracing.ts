import { existsSync, readFileSync } from 'node:fs';
import { SpanQueue } from '../../pipeline/telemetry/traces/span-queue.js';
import { csiBlocks, median } from './bench-line.js';
import { throughRuntime } from './runtime-overhead.js';

/**
 * Cost of tracing frames: `node dist/bench/speed/tracing.js`. The same blocks go through the runtime
 * untraced, traced with two sampling ratios, and untraced again, which is the control. Measures the time that
 * the main thread spent on a processor (on Linux; elsewhere wall-clock time), which excludes other load on
 * the machine. Spans are discarded where an exporter would send them.
 */
interface TracingCost {
  /** Share of frames traced; at most one per batch. */
  readonly ratio: number;
  /** Median over the pairs of the traced time over the untraced, less one. */
  readonly overhead: number;
  /** The same for the untraced run over itself. */
  readonly control: number;
  readonly spans: number;
  readonly pairs: number;
}

const LINKS = 20;

async function tracingCost(ratio: number, pairs = 9, blocks = 1000): Promise<TracingCost> {
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

/** Nanoseconds that the main thread spent on a processor while `work` ran. */
async function spent(work: () => Promise<unknown>): Promise<number> {
  const before = onProcessor();
  await work();
  return onProcessor() - before;
}

/** The first number of the kernel's statistics for a thread. */
const STATISTICS = '/proc/self/schedstat';

const onProcessor = (): number =>
  existsSync(STATISTICS) ? Number(readFileSync(STATISTICS, 'utf8').split(' ')[0]) : performance.now() * 1e6;

if (process.argv[1]?.endsWith('tracing.js'))
  for (const ratio of [0.001, 1]) process.stdout.write(`${JSON.stringify(await tracingCost(ratio))}\n`);
