import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import util from 'node:util';
import * as tf from '@tensorflow/tfjs-core';
import { errorText } from '../../pipeline/base/error-text.js';

/** Where tensors are computed, by one small interface. */

export const BACKENDS = ['tensorflow-gpu', 'tensorflow', 'wasm'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** What one backend says of itself, for `csiflow list backends`. */
export interface BackendReport {
  readonly name: BackendName;
  readonly package: string;
  readonly available: boolean;
  /** What computes: `GPU`, `CPU` or `CPU (SIMD)`; never told from the package's name. Null where not available. */
  readonly device: string | null;
  /** Version of the library under the package, null where not available. */
  readonly version: string | null;
  /** What is missing and how to get it, or what is worth knowing. */
  readonly note: string;
}

/** A backend that was loaded and chosen for this thread. */
export interface LoadedBackend {
  readonly name: BackendName;
  readonly device: string;
  readonly version: string;
  /** Why this one, for the log. */
  readonly reason: string;
}

const PACKAGES: Readonly<Record<BackendName, string>> = {
  'tensorflow-gpu': '@tensorflow/tfjs-node-gpu',
  tensorflow: '@tensorflow/tfjs-node',
  wasm: '@tensorflow/tfjs-backend-wasm',
};

const require = createRequire(import.meta.url);

/**
 * Loads a backend in this thread and makes it tfjs's. `auto` takes a GPU where there is one, else WASM: on
 * one window at a time TensorFlow's CPU kernels are no faster, and they need ten times the memory.
 *
 * @throws Error that says what is missing and how to get it.
 */
export async function loadBackend(wanted: BackendName | 'auto'): Promise<LoadedBackend> {
  if (wanted !== 'auto') return { ...(await load(wanted)), reason: 'configured' };
  const why = await tryGpu();
  if (typeof why !== 'string') return { ...why, reason: 'it has a GPU' };
  return { ...(await load('wasm')), reason: why };
}

/** A native backend on a GPU, or why there is none. TensorFlow is loaded only where a GPU may be: it takes half a gigabyte. */
async function tryGpu(): Promise<Omit<LoadedBackend, 'reason'> | string> {
  if (process.platform === 'linux' && !GPU_DEVICES.some(existsSync)) return 'no GPU of NVIDIA is visible';
  const reasons: string[] = [];
  for (const name of ['tensorflow-gpu', 'tensorflow'] as const) {
    try {
      if (!installed(name)) throw new Error('it is not installed');
      const loaded = await load(name);
      if (loaded.device === 'GPU') return loaded;
      reasons.push(`${name} sees no GPU`);
    } catch (error) {
      reasons.push(`${name}: ${firstLine(error)}`);
    }
  }
  return reasons.join('; ');
}

/** Made by NVIDIA's driver, and by that of Windows' subsystem for Linux. */
const GPU_DEVICES = ['/dev/nvidiactl', '/dev/dxg'];

/** What is there, what is missing, how to get it. Loads every backend that is installed, so ask in a thread of its own or once. */
export async function describeBackends(): Promise<BackendReport[]> {
  const reports: BackendReport[] = [];
  for (const name of BACKENDS) {
    const base = { name, package: PACKAGES[name] };
    try {
      const { device, version } = await load(name);
      reports.push({ ...base, available: true, device, version, note: note(name, device) });
    } catch (error) {
      reports.push({ ...base, available: false, device: null, version: null, note: firstLine(error) });
    }
  }
  return reports;
}

const note = (name: BackendName, device: string): string =>
  name === 'tensorflow-gpu' && device !== 'GPU'
    ? 'No GPU was found, so it computes on the CPU. A GPU needs NVIDIA’s driver and `.ci/libtensorflow.sh cuda`.'
    : 'Ready.';

async function load(name: BackendName): Promise<Omit<LoadedBackend, 'reason'>> {
  return name === 'wasm' ? loadWasm() : loadNative(name);
}

interface WasmPackage {
  setWasmPaths(folder: string): void;
  version_wasm: string;
}

async function loadWasm(): Promise<Omit<LoadedBackend, 'reason'>> {
  const wasm = require(PACKAGES.wasm) as WasmPackage;
  if (tf.getBackend() !== 'wasm') wasm.setWasmPaths(`${dirname(require.resolve(PACKAGES.wasm))}/`);
  if (!(await tf.setBackend('wasm')))
    throw new Error('The WASM module of @tensorflow/tfjs-backend-wasm did not start.');
  await tf.ready();
  const simd = await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT');
  return { name: 'wasm', device: simd ? 'CPU (SIMD)' : 'CPU', version: wasm.version_wasm };
}

interface NativeBackend {
  readonly isUsingGpuDevice: boolean;
  readonly binding: { readonly TF_Version: string };
}

async function loadNative(name: 'tensorflow' | 'tensorflow-gpu'): Promise<Omit<LoadedBackend, 'reason'>> {
  if (!installed(name)) {
    throw new Error(
      `${PACKAGES[name]} is not installed: \`npm install ${PACKAGES[name]}\`, or use the backend wasm.`,
    );
  }
  restoreNodeUtil();
  quietTensorFlow();
  try {
    require(PACKAGES[name]);
  } catch (error) {
    throw new Error(
      `${PACKAGES[name]} lacks its native part: \`npm run setup:gpu\` makes it for the CPU, ` +
        '`.ci/libtensorflow.sh cuda` for a GPU of NVIDIA.',
      { cause: error },
    );
  }
  await tf.setBackend('tensorflow');
  const backend = tf.backend() as unknown as NativeBackend;
  return {
    name,
    device: backend.isUsingGpuDevice ? 'GPU' : 'CPU',
    version: backend.binding.TF_Version,
  };
}

function installed(name: BackendName): boolean {
  try {
    require.resolve(`${PACKAGES[name]}/package.json`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return false;
    throw error;
  }
}

/** tfjs-node 4.22 calls two functions of node:util that Node 23 removed. */
export function restoreNodeUtil(target: object = util): void {
  const old = target as Record<string, unknown>;
  old['isNullOrUndefined'] ??= (value: unknown) => value === null || value === undefined;
  old['isArray'] ??= Array.isArray;
}

/** TensorFlow's C++ part reads these once, when it is loaded: errors only in its log. */
function quietTensorFlow(): void {
  process.env['TF_CPP_MIN_LOG_LEVEL'] ??= '2';
}

const firstLine = (error: unknown): string => errorText(error).split('\n', 1)[0]!;
