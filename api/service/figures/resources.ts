/** Measured figures of the machine and the process; shares are 0 to 1, 0 for an absent device. */
export interface Resources {
  readonly cpu: number;
  readonly memory: number;
  readonly disk: number;
  readonly gpu: number;
  readonly gpuMemory: number;
  readonly gpuMemoryBytes: number;
  /** By this process on disks, per second. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** By the network's interfaces, since csiflow started. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** Sums over the nodes of the topology. */
export interface Traffic {
  readonly framesPerSecond: number;
  readonly posesPerSecond: number;
  readonly lossRate: number;
  readonly links: number;
  /** Mean RSSI as a share: -100 dBm is 0, -30 dBm is 1. */
  readonly signalStrength: number;
  /** Share of the signal's margin, in decibels, lost to noise. */
  readonly interference: number;
  readonly activeTracks: number;
  readonly trackQuality: number;
  /** Failed records as a share of the nodes' input, in the last minute. */
  readonly errorRate: number;
  /** Batches and records waiting in all nodes. */
  readonly queued: number;
  /** Fill level of the fullest queue of a source. */
  readonly bufferUsage: number;
  /** Persons in pose frames. */
  readonly detectionsPerMinute: number;
}
