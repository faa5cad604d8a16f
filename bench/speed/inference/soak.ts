import * as tf from '@tensorflow/tfjs-core';
import { UNCALIBRATED } from '../../../operators/infer-pose/model/calibration.js';
import type { LoadedBackend } from '../../../operators/infer-pose/backends/backends.js';
import { namedModel } from '../../../operators/infer-pose/model/named-model.js';
import { requestOf } from '../../../operators/infer-pose/windows/request.js';
import { LinkTable } from '../../../pipeline/model/index.js';
import { seeded } from '../../../pipeline/base/random.js';
import { ROOMS, Rooms } from './rooms.js';
import { engineOf, type Server } from './run.js';

/** What is left of many windows: a tensor that is not released stays for ever. */

export interface SoakOptions {
  readonly weights: string;
  readonly backend: LoadedBackend['name'];
  /** The inference server, if the backend is `remote`. */
  readonly server?: Server | undefined;
  readonly links: number;
  readonly windows: number;
  /** Batches have one to this many windows. */
  readonly maxBatch: number;
  readonly progress: (line: string) => void;
}

export interface SoakPoint {
  readonly windows: number;
  readonly tensors: number;
  readonly tensorBytes: number;
  readonly residentBytes: number;
}

/** Readings of a run. */
const READINGS = 20;

/** Infers windows in batches of random sizes, and reads what the backend holds after each twentieth of them. */
export async function soak(options: SoakOptions): Promise<readonly SoakPoint[]> {
  const { weights, backend, server, windows, maxBatch, progress } = options;
  const rooms = new Rooms(options.links);
  const engine = await engineOf({ weights: namedModel(weights), backend, server });
  const table = new LinkTable(rooms.environments);
  const requests = Array.from({ length: ROOMS }, (_, room) =>
    requestOf(rooms.window(room), table, UNCALIBRATED)!,
  );
  const random = seeded(1);
  await engine.infer(requests.slice(0, 1));
  const points = [reading(0)];
  for (let done = 0; done < windows;) {
    const size = Math.min(windows - done, 1 + Math.floor(random() * maxBatch));
    await engine.infer(Array.from({ length: size }, (_, i) => requests[(done + i) % ROOMS]!));
    done += size;
    if (done * READINGS < points.length * windows) continue;
    points.push(reading(done));
    const { tensors, residentBytes } = points.at(-1)!;
    progress(`${done} windows: ${tensors} tensors, ${Math.round(residentBytes / 1e6)} MB resident`);
  }
  return points;
}

function reading(windows: number): SoakPoint {
  const { numTensors, numBytes } = tf.memory();
  return {
    windows,
    tensors: numTensors,
    tensorBytes: numBytes,
    residentBytes: process.memoryUsage.rss(),
  };
}
