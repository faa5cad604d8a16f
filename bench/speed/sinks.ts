import { Value } from 'typebox/value';
import { withTemporaryFolder } from '../../pipeline/base/temporary-folders.js';
import { CommandError } from '../../pipeline/base/exit.js';
import { SECRET } from '../../pipeline/config/index.js';
import type { AnySink } from '../../pipeline/component/index.js';
import type { Data, Measure } from '../../pipeline/model/index.js';
import { openSink } from '../shared/context.js';
import { POSE_ENVIRONMENT, poseFrame, POSE_HOP_US } from '../shared/pose-frame.js';
import { spreadOf, type Spread } from '../shared/spread.js';

/** What a sink is measured with: a node's configuration without `type` and `from`. */
export interface SinkOrder {
  readonly component: AnySink;
  /** With defaults. */
  readonly config: object;
  /** As the user wrote it. */
  readonly written: object;
}

export interface SinkSpeed {
  readonly sink: string;
  /** See {@link withoutSecrets}. */
  readonly config: unknown;
  /** Written and flushed, over the rounds. */
  readonly recordsPerSecond: Spread;
  /** Processor time of csiflow's process for each record; a server's time is not in it. */
  readonly microseconds: Spread;
  /** Records per second measured again in each round, over the first. Median. */
  readonly control: number;
}

export interface SinkOptions {
  readonly rounds: number;
  /** Records of each measurement: half pose frames of two people, half measures. */
  readonly records: number;
  readonly progress: (line: string) => void;
}

const BATCH = 256;

/** Each sink alone: it writes batches of 256 records, and flushes at the end. */
export async function sinkSpeeds(
  orders: readonly SinkOrder[],
  { rounds, records, progress }: SinkOptions,
): Promise<readonly SinkSpeed[]> {
  const speeds: SinkSpeed[] = [];
  for (const order of orders) {
    const sink = order.component.name;
    progress(sink);
    // Each measurement writes later records: stores may treat repeated ones as the same.
    let from = 0;
    const once = () => measure(order, records, (from += records));
    await once();
    const pairs: (readonly [Measured, Measured])[] = [];
    for (let round = 0; round < rounds; round++) pairs.push([await once(), await once()]);
    speeds.push({
      sink,
      config: withoutSecrets(order.written),
      recordsPerSecond: spreadOf(pairs.map(([{ perSecond }]) => perSecond)),
      microseconds: spreadOf(pairs.map(([{ microseconds }]) => microseconds)),
      control: spreadOf(pairs.map(([first, again]) => again.perSecond / first.perSecond))[0],
    });
  }
  return speeds;
}

interface Measured {
  readonly perSecond: number;
  readonly microseconds: number;
}

/** @param from number of the first record */
async function measure({ component, config }: SinkOrder, count: number, from: number): Promise<Measured> {
  return withTemporaryFolder('csiflow-bench-sink-', async (folder) => {
    const sink = await openSink(component, config, folder);
    try {
      const batches = Array.from({ length: Math.ceil(count / BATCH) }, (_, index) =>
        Array.from({ length: Math.min(BATCH, count - index * BATCH) }, (_, record) =>
          recordOf(from + index * BATCH + record),
        ).filter(({ port }) => component.inputs.includes(port)),
      );
      const written = batches.reduce((sum, { length }) => sum + length, 0);
      if (written === 0) throw new CommandError(`${component.name} reads neither pose frames nor measures`);
      const [began, before] = [performance.now(), process.cpuUsage()];
      for (const [epoch, batch] of batches.entries()) {
        const [failure] = await sink.write(batch, epoch + 1);
        if (failure) throw new CommandError(`${component.name} rejects a record: ${failure.reason}`);
      }
      await sink.flush();
      const [ms, cpu] = [performance.now() - began, process.cpuUsage(before)];
      return { perSecond: written / (ms / 1000), microseconds: (cpu.user + cpu.system) / written };
    } finally {
      await sink.close();
    }
  });
}

const recordOf = (index: number): Data =>
  index % 2 === 0 ? poseFrame(index / 2) : measureOf((index - 1) / 2);

const measureOf = (index: number): Measure => ({
  port: 'measure',
  name: 'motion',
  environment: POSE_ENVIRONMENT,
  subject: null,
  time: poseFrame(index).time + POSE_HOP_US / 2,
  value: ((index * 7919) % 1000) / 1000,
  source: 'csiflow',
  provenance: { origin: 'simulated' },
});

/** What a user wrote, to be shown: without passwords, tokens and secrets, and of addresses the host only. */
export function withoutSecrets(written: object): unknown {
  const text = JSON.stringify(written, (key, value: unknown) => {
    if (/password|token|secret/i.test(key) && value !== null) return SECRET;
    return typeof value === 'string' && value.includes('://') ? hostOf(value) : value;
  });
  return JSON.parse(text);
}

function hostOf(address: string): string {
  if (!URL.canParse(address)) return SECRET;
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

/** A node's configuration with its defaults, or what is wrong with it. */
export function configOf({ config: schema, check }: AnySink, written: object): object | string {
  const config = Value.Default(schema, { ...written }) as object;
  const [fault] = Value.Errors(schema, config);
  if (fault) return `${fault.instancePath.slice(1).replaceAll('/', '.')} ${fault.message}`.trim();
  const [complaint] = check?.(config as never) ?? [];
  return complaint ? `${complaint.path.join('.')} ${complaint.message}`.trim() : config;
}
