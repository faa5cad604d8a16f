import { createRequire } from 'node:module';
import { errorText } from '../../../pipeline/base/error-text.js';
import { loadBackend, type BackendName, type LoadedBackend } from '../backends/backends.js';

/** TensorFlow trains ten times faster than WebAssembly, also without a GPU; WebAssembly is the fallback. */
export async function loadTrainingBackend(
  wanted: BackendName | 'fastest' = 'fastest',
): Promise<LoadedBackend> {
  // tfjs-core alone has no gradients: tfjs-layers registers them.
  createRequire(import.meta.url)('@tensorflow/tfjs-layers');
  if (wanted !== 'fastest') return loadBackend(wanted);
  try {
    return { ...(await loadBackend('tensorflow-gpu')), reason: 'fastest' };
  } catch (error) {
    const reason = errorText(error);
    return { ...(await loadBackend('wasm')), reason };
  }
}
