import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** The machine of a measurement, without names that identify it. */
export interface Machine {
  readonly cores: number;
  /** Model of its processors, as the system names it; null if it does not. */
  readonly processor: string | null;
  /** Memory of the machine, in whole GB (1e9 bytes). */
  readonly memoryGb: number;
  readonly node: string;
  readonly platform: string;
  /** Average of the last minute: figures of elapsed time need a machine without other work. */
  readonly load: number;
}

export const machine = (): Machine => ({
  cores: availableParallelism(),
  processor: cpus()[0]?.model.trim() || null,
  memoryGb: Math.round(totalmem() / 1e9),
  node: process.versions.node,
  platform: `${process.platform} ${process.arch}`,
  load: Math.round(loadavg()[0]! * 10) / 10,
});

/** `2 cores (Intel(R) Xeon(R) Processor), 25 GB, Node 20.20.2, linux x64, load 0.4` */
export const machineText = ({ cores, processor, memoryGb, node, platform, load }: Machine): string =>
  `${cores} cores${processor === null ? '' : ` (${processor})`}, ${memoryGb} GB, Node ${node}, ${platform}, load ${load}`;
