import { availableParallelism, loadavg } from 'node:os';

/** The machine of a measurement, without names that identify it. */
export interface Machine {
  readonly cores: number;
  readonly node: string;
  readonly platform: string;
  /** Average of the last minute: figures of elapsed time need a machine without other work. */
  readonly load: number;
}

export const machine = (): Machine => ({
  cores: availableParallelism(),
  node: process.versions.node,
  platform: `${process.platform} ${process.arch}`,
  load: Math.round(loadavg()[0]! * 10) / 10,
});

/** `2 cores, Node 20.20.2, linux x64, load 0.4` */
export const machineText = ({ cores, node, platform, load }: Machine): string =>
  `${cores} cores, Node ${node}, ${platform}, load ${load}`;
