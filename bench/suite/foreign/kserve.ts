import { causeText } from '../../../pipeline/base/error-text.js';
import type { Runtime } from './model.js';

interface Output {
  readonly name?: unknown;
  readonly data?: unknown;
}

/** Time limit of one answer, milliseconds. */
const LIMIT_MS = 60_000;

/** A server that speaks the Open Inference Protocol 2 (KServe, Triton, MLServer, OpenVINO) over HTTP with JSON. */
export const kserve: Runtime = (url, { name, output }) => {
  const address = `${url.replace(/\/$/, '')}/infer`;
  return Promise.resolve(async (inputs) => {
    const body = {
      inputs: Object.entries(inputs).map(([input, { shape, data }]) => ({
        name: input,
        shape: [1, ...shape],
        datatype: 'FP32',
        data: Array.from(data),
      })),
      ...(output === undefined ? {} : { outputs: [{ name: output }] }),
    };
    const response = await post(address, JSON.stringify(body), name);
    const { outputs } = response as { readonly outputs?: readonly Output[] };
    const one = output === undefined ? outputs?.[0] : outputs?.find((candidate) => candidate.name === output);
    if (!Array.isArray(one?.data))
      throw new Error(
        `${name}: ${address} answers without \`outputs[].data\`${output === undefined ? '' : ` of ${output}`}`,
      );
    // JSON has no NaN: null means no answer.
    return (one.data as readonly unknown[]).map((value) => (typeof value === 'number' ? value : NaN));
  });
};

async function post(address: string, body: string, name: string): Promise<object> {
  let response: Response;
  try {
    response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(LIMIT_MS),
    });
  } catch (error) {
    throw new Error(`${name}: ${address} cannot be reached: ${causeText(error)}`, { cause: error });
  }
  const text = await response.text();
  if (!response.ok) throw new Error(`${name}: ${address} answers ${response.status}: ${text.slice(0, 200)}`);
  try {
    return JSON.parse(text) as object;
  } catch {
    throw new Error(`${name}: ${address} does not answer with JSON: ${text.slice(0, 200)}`);
  }
}
