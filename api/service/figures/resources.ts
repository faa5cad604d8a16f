/** Figures of the machine and the process, each as it was measured; shares are 0 to 1, 0 for a device that is not there. */
export interface Resources {
  readonly cpu: number;
  readonly memory: number;
  readonly disk: number;
  readonly gpu: number;
  readonly gpuMemory: number;
  readonly gpuMemoryBytes: number;
  /** Of this process on disks, a second. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Of the network's interfaces, since csiflow started. */
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
  /** Part of the signal's margin, in decibels, that is under noise. */
  readonly interference: number;
  readonly activeTracks: number;
  readonly trackQuality: number;
  /** Records that failed, of those that nodes took in, in the last minute. */
  readonly errorRate: number;
  /** Batches and records that wait in all nodes. */
  readonly queued: number;
  /** How full the fullest queue of a source is. */
  readonly bufferUsage: number;
  /** Persons in pose frames. */
  readonly detectionsPerMinute: number;
}
