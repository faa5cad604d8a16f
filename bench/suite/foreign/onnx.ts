import { readFileSync } from 'node:fs';
import type { Runtime } from './model.js';

const PACKAGE = 'onnxruntime-web';
const VERSION = '1.30.0';

/** A model in ONNX format, run by onnxruntime-web on WASM: an optional peer dependency. */
export const onnx: Runtime = async (file, { name, output }) => {
  const ort = await loadRuntime();
  const session = await ort.InferenceSession.create(new Uint8Array(readFileSync(file)), {
    executionProviders: ['wasm'],
  });
  const wanted = output ?? session.outputNames[0]!;
  if (!session.outputNames.includes(wanted))
    throw new Error(`${name} has no output \`${wanted}\`; it has ${session.outputNames.join(', ')}`);
  return async (inputs) => {
    const missing = session.inputNames.filter((one) => !(one in inputs));
    if (missing.length > 0)
      throw new Error(
        `${name} requires the inputs ${missing.join(', ')}; the task has ${Object.keys(inputs).join(', ')}: name them with \`inputs\` in its manifest`,
      );
    const feeds = session.inputNames.map((one) => {
      const { shape, data } = inputs[one]!;
      return [one, new ort.Tensor('float32', data, [1, ...shape])] as const;
    });
    const answer = (await session.run(Object.fromEntries(feeds)))[wanted]!;
    return Array.from(answer.data as Float32Array);
  };
};

async function loadRuntime(): Promise<typeof import('onnxruntime-web')> {
  try {
    const ort = await import('onnxruntime-web');
    // One thread: more need cross-origin isolation headers, or workers that outlive the command.
    ort.env.wasm.numThreads = 1;
    return ort;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`models in ONNX need a package that is not installed: npm install ${PACKAGE}@${VERSION}`);
  }
}
