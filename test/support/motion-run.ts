import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../pipeline/base/paths.js';
import { csiflow, type Ended } from './csiflow.js';

/**
 * The topology `t.yaml` in a folder: some seconds of movement in the demo's flat, as fast as possible, for
 * sinks with `from: [motion]`.
 */
export function motionTopology(
  folder: string,
  { seconds = 3, sinks, settings = '{}' }: { seconds?: number; sinks: string; settings?: string },
): string {
  const file = join(folder, 't.yaml');
  writeFileSync(
    file,
    `id: motion
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
settings: ${settings}
sources:
  flat: { type: simulator, rate_hz: 50, seed: 7, duration_s: ${seconds}, speed: 0 }
operators:
  windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }
  motion: { type: detect-motion, from: windows }
sinks:
${sinks}
`,
  );
  return file;
}

/** Options with which a user plays a topology to its end. */
export const RUN_TO_END = ['run', '--no-api', '--until-end', '--log', 'error'];

export const runToEnd = (topology: string): Promise<Ended> => csiflow(...RUN_TO_END, topology);
