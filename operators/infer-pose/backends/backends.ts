import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import util from 'node:util';
import * as tf from '@tensorflow/tfjs-core';
import { errorText } from '../../../pipeline/base/error-text.js';
import { webGpuAdapter } from './webgpu.js';

/** One small interface to the backends that compute tensors. */

const BACKENDS = ['tensorflow-gpu', 'tensorflow', 'webgpu', 'wasm'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** Description of one backend, for `csiflow list backends`. */
export interface BackendReport {
  readonly name: BackendName;
  readonly package: string;
  readonly available: boolean;
  /**
   * The device: `GPU`, `CPU`, `CPU (SIMD)`, or the name of WebGPU's; detected, never derived from the
   * package's name. Null if not available.
   */
  readonly device: string | null;
  /** Version of the library under the package; null if not available. */
  readonly version: string | null;
  /** What is missing and how to install it, or other remarks. */
  readonly note: string;
}

/** A backend that was loaded and selected for this thread. */
export interface LoadedBackend {
  readonly name: BackendName | 'remote';
  /** Name of the device; for `remote`, the address of the server. */
  readonly device: string;
  readonly version: string;
  /** Why this one was selected, for the log. */
  readonly reason: string;
}

const PACKAGES: Readonly<Record<BackendName, string>> = {
  'tensorflow-gpu': '@tensorflow/tfjs-node-gpu',
  tensorflow: '@tensorflow/tfjs-node',
  webgpu: '@tensorflow/tfjs-backend-webgpu',
  wasm: '@tensorflow/tfjs-backend-wasm',
};

const require = createRequire(import.meta.url);

/**
 * Loads a backend in this thread and selects it in tfjs. `auto` uses a GPU if there is one, otherwise WASM:
 * for one window at a time TensorFlow's CPU kernels are no faster, and they need ten times the memory.
 *
 * @throws Error with what is missing and how to install it.
 */
export async function loadBackend(wanted: BackendName | 'auto'): Promise<LoadedBackend> {
  if (wanted !== 'auto') return { ...(await load(wanted)), reason: 'configured' };
  const why = await tryGpu();
  if (typeof why !== 'string') return { ...why, reason: 'it has a GPU' };
  return { ...(await load('wasm')), reason: why };
}

/**
 * A native backend on a GPU, or why there is none. TensorFlow is loaded only if a GPU is possible: it takes
 * half a gigabyte.
 */
async function tryGpu(): Promise<Omit<LoadedBackend, 'reason'> | string> {
  const native = await tryNative();
  if (typeof native !== 'string') return native;
  const webgpu = await tryWebGpu();
  return typeof webgpu === 'string' ? `${native}; ${webgpu}` : webgpu;
}

/** Software adapters are slower than WebAssembly, so they do not count. */
async function tryWebGpu(): Promise<Omit<LoadedBackend, 'reason'> | string> {
  if (process.platform === 'linux' && ![...NVIDIA_DEVICES, RENDER_DEVICES].some(existsSync))
    return 'webgpu: no GPU is visible';
  if (!installed('webgpu')) return 'webgpu is not installed';
  try {
    const { isSoftware, device } = await webGpuAdapter();
    return isSoftware ? `webgpu finds only ${device}` : await load('webgpu');
  } catch (error) {
    return `webgpu: ${firstLine(error)}`;
  }
}

/** Created by the kernel for each GPU that it has a driver for; containers with an NVIDIA GPU often lack it. */
const RENDER_DEVICES = '/dev/dri';

async function tryNative(): Promise<Omit<LoadedBackend, 'reason'> | string> {
  if (process.platform === 'linux' && !NVIDIA_DEVICES.some(existsSync)) return 'no NVIDIA GPU is visible';
  const reasons: string[] = [];
  for (const name of ['tensorflow-gpu', 'tensorflow'] as const) {
    try {
      if (!installed(name)) throw new Error('it is not installed');
      const loaded = await load(name);
      if (loaded.device === 'GPU') return loaded;
      reasons.push(`${name} finds no GPU`);
    } catch (error) {
      reasons.push(`${name}: ${firstLine(error)}`);
    }
  }
  return reasons.join('; ');
}

/** Created by NVIDIA's driver, and by the driver in Windows Subsystem for Linux. */
const NVIDIA_DEVICES = ['/dev/nvidiactl', '/dev/dxg'];

/**
 * Lists available backends, and what is missing in the others. Loads every installed backend, so call it in a
 * separate thread or once.
 */
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
    ? 'No GPU was found, so it uses the CPU. A GPU requires NVIDIA’s driver and, in a checkout, `npm run setup:gpu`.'
    : 'Ready.';

async function load(name: BackendName): Promise<Omit<LoadedBackend, 'reason'>> {
  if (name === 'wasm') return loadWasm();
  return name === 'webgpu' ? loadWebGpu() : loadNative(name);
}

async function loadWebGpu(): Promise<Omit<LoadedBackend, 'reason'>> {
  const { device, version } = await webGpuAdapter();
  try {
    require(PACKAGES.webgpu);
  } catch (error) {
    throw new Error(missing('webgpu'), { cause: error });
  }
  if (!(await tf.setBackend('webgpu'))) throw new Error(`The WebGPU device ${device} did not start.`);
  await tf.ready();
  return { name: 'webgpu', device, version };
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
  if (!installed(name)) throw new Error(missing(name));
  restoreNodeUtil();
  quietTensorFlow();
  try {
    require(PACKAGES[name]);
  } catch (error) {
    throw new Error(
      `${PACKAGES[name]} lacks its native part. In a checkout, \`bash .ci/libtensorflow.sh cpu .\` builds it for ` +
        'the CPU, `npm run setup:gpu` for an NVIDIA GPU (3.4 GB).',
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

const missing = (name: BackendName): string =>
  `${PACKAGES[name]} is not installed: \`npm install ${PACKAGES[name]}\`, or use the backend wasm.`;

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

/** TensorFlow's C++ part reads these once, when it is loaded: they limit its log to errors. */
function quietTensorFlow(): void {
  process.env['TF_CPP_MIN_LOG_LEVEL'] ??= '2';
}

const firstLine = (error: unknown): string => errorText(error).split('\n', 1)[0]!;
