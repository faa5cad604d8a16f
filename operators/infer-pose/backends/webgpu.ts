import { createRequire } from 'node:module';

/** A GPU of WebGPU in Node: the npm package `webgpu`, which is Dawn, the implementation of Chromium. */

/** The part of its API used here. */
interface WebGpuPackage {
  create(options: readonly string[]): {
    requestAdapter(options?: object): Promise<{ readonly info: AdapterInfo } | null>;
  };
  readonly globals: object;
}

interface AdapterInfo {
  readonly vendor: string;
  readonly architecture: string;
  readonly description: string;
}

export interface WebGpuAdapter {
  /** Name of the GPU, or of the software that stands in for one. */
  readonly device: string;
  readonly isSoftware: boolean;
  /** Version of the package. */
  readonly version: string;
}

const require = createRequire(import.meta.url);

/** Software that computes on the CPU what a GPU would: SwiftShader, and Mesa's llvmpipe. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render/i;

/** The adapter of this process, never released: Dawn ends the program if one is collected while its tensors are in use. */
let found: Promise<WebGpuAdapter> | undefined;

/**
 * Makes WebGPU available to this thread, as in a browser, and returns its adapter.
 *
 * @throws Error with what is missing and how to install it.
 */
export const webGpuAdapter = (): Promise<WebGpuAdapter> => (found ??= findAdapter());

async function findAdapter(): Promise<WebGpuAdapter> {
  const dawn = await loadPackage();
  const gpu = dawn.create([]);
  const adapter = await gpu.requestAdapter();
  if (!adapter)
    throw new Error(
      'WebGPU finds no GPU: install its Vulkan driver (Debian: mesa-vulkan-drivers and libvulkan1), or use the backend wasm.',
    );
  Object.assign(globalThis, dawn.globals);
  // Node 21 and later have a navigator, without a setter.
  const navigator = (globalThis as { navigator?: object }).navigator ?? {};
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
  Object.defineProperty(navigator, 'gpu', { value: gpu, configurable: true });
  const { vendor, architecture, description } = adapter.info;
  const name = description || `${vendor} ${architecture}`.trim() || 'GPU';
  const isSoftware = SOFTWARE.test(`${vendor} ${architecture} ${description}`);
  const { version } = require('webgpu/package.json') as { readonly version: string };
  return { device: isSoftware ? `CPU (${name})` : `GPU (${name})`, isSoftware, version };
}

async function loadPackage(): Promise<WebGpuPackage> {
  const name = 'webgpu';
  try {
    return (await import(name)) as WebGpuPackage;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      'webgpu is not installed: `npm install webgpu @tensorflow/tfjs-backend-webgpu`, or use the backend wasm.',
      { cause: error },
    );
  }
}
