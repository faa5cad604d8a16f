import { onnxParts } from '../../../operators/infer-pose/backends/onnx.js';
import { partNames } from '../../../operators/infer-pose/backends/remote-parts.js';
import type { readModel } from '../../../operators/infer-pose/model/weights.js';

/** The models of an inference server by name, as `csiflow export-model` writes them. */
export function servedModels({
  weights,
  manifest,
}: ReturnType<typeof readModel>): Readonly<Record<string, Uint8Array>> {
  const [see, look] = partNames(manifest.sha256);
  const parts = onnxParts(weights, { name: manifest.name });
  return { [see]: parts.see, [look]: parts.look };
}
