import { causeText } from '../../pipeline/base/error-text.js';

/**
 * A model of a server that speaks the Open Inference Protocol 2 over HTTP: KServe, NVIDIA Triton, OpenVINO
 * Model Server, MLServer. Tensors travel as raw bytes if the server has the extension `binary_tensor_data`,
 * otherwise as JSON.
 *
 * Source: kserve/open-inference-protocol, `specification/protocol/inference_rest.md`; Triton's
 * `extension_binary_data.md`.
 */

/** Row-major 32-bit floats. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export interface KserveOptions {
  /** Address of the server, without a path: `http://gpu-1:8000`. */
  readonly url: string;
  /** Name of the model on the server. */
  readonly model: string;
  /** Time limit of one call, retries included, milliseconds. */
  readonly timeoutMs: number;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined;
}

/** Attempts of a call, and the pause before the second, which doubles, milliseconds. */
const ATTEMPTS = 3;
const PAUSE_MS = 100;
/** Largest answer, bytes. */
const MAX_ANSWER = 256 * 1024 * 1024;
/** Answers that another attempt can change: too many calls, or a server that starts or is behind a proxy. */
const RETRIABLE = new Set([429, 502, 503, 504]);
/** Header that tells the length of the JSON before the tensors. */
const JSON_LENGTH = 'inference-header-content-length';

interface WrittenTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly datatype: string;
  readonly data?: readonly unknown[];
  readonly parameters?: { readonly binary_data_size?: number };
}

/** A server that cannot be used. The message names server and model. */
export class KserveError extends Error {}

export class KserveModel {
  readonly #options: KserveOptions;
  readonly #address: string;
  readonly #isBinary: boolean;
  /** Version that the server answered with last; null before the first answer. */
  version: string | null = null;

  private constructor(options: KserveOptions, isBinary: boolean) {
    this.#options = options;
    this.#address = addressOf(options);
    this.#isBinary = isBinary;
  }

  /**
   * Asks the server for its extensions, and whether the model is ready.
   * @throws KserveError if it cannot be reached or lacks the model
   */
  static async open(options: KserveOptions): Promise<KserveModel> {
    const server = json(await call(options, `${rootOf(options)}/v2`), options) as { extensions?: unknown };
    const extensions = Array.isArray(server.extensions) ? server.extensions : [];
    await call(options, `${addressOf(options)}/ready`);
    return new KserveModel(options, extensions.includes('binary_tensor_data'));
  }

  /**
   * The named outputs for these inputs.
   * @throws KserveError with server, model and reason
   */
  async infer(
    inputs: Readonly<Record<string, Tensor>>,
    outputs: readonly string[],
  ): Promise<Record<string, Tensor>> {
    const { body, headers } = this.#isBinary ? binaryBody(inputs, outputs) : jsonBody(inputs, outputs);
    const answer = await call(this.#options, `${this.#address}/infer`, { body, headers });
    const { json: said, tensors } = parted(answer, this.#options);
    const { outputs: written, model_version } = said as {
      readonly outputs?: readonly WrittenTensor[];
      readonly model_version?: unknown;
    };
    if (typeof model_version === 'string') this.version = model_version;
    const read = readTensors(written ?? [], tensors, this.#options);
    for (const name of outputs)
      if (!(name in read)) throw this.#fault(`answers without the output \`${name}\``);
    return read;
  }

  #fault(reason: string): KserveError {
    return fault(this.#options, reason);
  }
}

const rootOf = ({ url }: KserveOptions): string => url.replace(/\/+$/, '');
const addressOf = (options: KserveOptions): string =>
  `${rootOf(options)}/v2/models/${encodeURIComponent(options.model)}`;

const fault = ({ url, model }: KserveOptions, reason: string, cause?: unknown): KserveError =>
  new KserveError(`the inference server ${url}, model ${model}: ${reason}`, { cause });

const describe = (name: string, { shape }: Tensor) => ({ name, shape, datatype: 'FP32' });

function jsonBody(inputs: Readonly<Record<string, Tensor>>, outputs: readonly string[]) {
  const written = Object.entries(inputs).map(([name, tensor]) => ({
    ...describe(name, tensor),
    data: Array.from(tensor.data),
  }));
  const body = JSON.stringify({ inputs: written, outputs: outputs.map((name) => ({ name })) });
  return { body: Buffer.from(body), headers: { 'content-type': 'application/json' } };
}

function binaryBody(inputs: Readonly<Record<string, Tensor>>, outputs: readonly string[]) {
  const written = Object.entries(inputs).map(([name, tensor]) => ({
    ...describe(name, tensor),
    parameters: { binary_data_size: tensor.data.byteLength },
  }));
  const wanted = outputs.map((name) => ({ name, parameters: { binary_data: true } }));
  const head = Buffer.from(JSON.stringify({ inputs: written, outputs: wanted }));
  const parts = Object.values(inputs).map(({ data }) =>
    Buffer.from(data.buffer, data.byteOffset, data.byteLength),
  );
  return {
    body: Buffer.concat([head, ...parts]),
    headers: { 'content-type': 'application/octet-stream', [JSON_LENGTH]: String(head.length) },
  };
}

interface Answer {
  readonly bytes: Buffer;
  readonly jsonLength: number | null;
}

/** An answer's JSON, and the raw tensors behind it. */
function parted({ bytes, jsonLength }: Answer, options: KserveOptions) {
  const length = jsonLength ?? bytes.length;
  return {
    json: json({ bytes: bytes.subarray(0, length), jsonLength }, options),
    tensors: bytes.subarray(length),
  };
}

function json({ bytes }: Answer, options: KserveOptions): object {
  try {
    const value = JSON.parse(bytes.toString()) as unknown;
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    throw fault(options, `does not answer with JSON: ${start(bytes)}`, error);
  }
  throw fault(options, `does not answer with a JSON object: ${start(bytes)}`);
}

const start = (bytes: Buffer): string => bytes.subarray(0, 200).toString();

function readTensors(
  written: readonly WrittenTensor[],
  bytes: Buffer,
  options: KserveOptions,
): Record<string, Tensor> {
  const read: Record<string, Tensor> = {};
  let at = 0;
  for (const { name, shape, datatype, data, parameters } of written) {
    if (datatype !== 'FP32') throw fault(options, `answers \`${name}\` as ${datatype}, not as FP32`);
    const size = shape.reduce((product, one) => product * one, 1);
    const length = parameters?.binary_data_size;
    const values =
      length === undefined
        ? Float32Array.from((data ?? []).flat(Infinity) as number[])
        : floats(bytes.subarray(at, at + length));
    at += length ?? 0;
    if (values.length !== size)
      throw fault(
        options,
        `answers \`${name}\` with ${values.length} numbers for the shape ${shape.join(' x ')}`,
      );
    if (!values.every(Number.isFinite))
      throw fault(options, `answers \`${name}\` with numbers that are not finite`);
    read[name] = { shape, data: values };
  }
  return read;
}

/** A copy, because the bytes may not be aligned. */
const floats = (bytes: Buffer): Float32Array =>
  new Float32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength - (bytes.byteLength % 4)),
  );

/** A GET, or a POST if there is a body; some failures are tried again. */
async function call(
  options: KserveOptions,
  address: string,
  post?: { readonly body: Buffer<ArrayBuffer>; readonly headers: Readonly<Record<string, string>> },
): Promise<Answer> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  for (let attempt = 1; ; attempt++) {
    const result = await tryOnce(options, address, deadline, post);
    if (!(result instanceof KserveError)) return result.answer;
    if (!(result.cause instanceof Retriable) || attempt === ATTEMPTS || deadline.aborted) throw result;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (attempt - 1)));
  }
}

/** Marks failures that another attempt can change. */
class Retriable extends Error {}

async function tryOnce(
  options: KserveOptions,
  address: string,
  signal: AbortSignal,
  post:
    { readonly body: Buffer<ArrayBuffer>; readonly headers: Readonly<Record<string, string>> } | undefined,
): Promise<{ readonly answer: Answer } | KserveError> {
  const authorization = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  try {
    const response = await fetch(address, {
      method: post ? 'POST' : 'GET',
      headers: { ...authorization, ...post?.headers },
      ...(post && { body: post.body }),
      ...{ signal, redirect: 'error' },
    });
    const bytes = await bounded(response);
    const jsonLength = response.headers.get(JSON_LENGTH);
    if (response.ok)
      return { answer: { bytes, jsonLength: jsonLength === null ? null : Number(jsonLength) } };
    const cause = RETRIABLE.has(response.status) ? new Retriable() : undefined;
    return fault(options, `answers ${response.status}: ${start(bytes)}`, cause);
  } catch (error) {
    if (signal.aborted) return fault(options, `does not answer within ${options.timeoutMs} ms`);
    return fault(options, `cannot be reached: ${causeText(error)}`, new Retriable());
  }
}

/** @throws Error if it exceeds MAX_ANSWER */
async function bounded(response: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.byteLength;
    if (length > MAX_ANSWER) throw new Error(`its answer exceeds ${MAX_ANSWER} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
