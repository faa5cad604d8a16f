import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as ort from 'onnxruntime-web';

/** An inference server of the Open Inference Protocol 2 over HTTP that runs ONNX models, as Triton does. */

interface Written {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data?: readonly number[];
  readonly parameters?: { readonly binary_data_size?: number; readonly binary_data?: boolean };
}

const JSON_LENGTH = 'inference-header-content-length';

export class KserveServer {
  readonly #server: Server;
  readonly #models: ReadonlyMap<string, ort.InferenceSession>;
  readonly #isBinary: boolean;
  /** Calls of `/infer`, as `model` and the number of windows. */
  readonly calls: { readonly model: string; readonly windows: number; readonly isBinary: boolean }[] = [];
  /** Answers the next calls of `/infer` with these statuses instead. */
  readonly faults: number[] = [];

  private constructor(models: ReadonlyMap<string, ort.InferenceSession>, isBinary: boolean) {
    this.#models = models;
    this.#isBinary = isBinary;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        send(response, 500, { error: String(error) });
      });
    });
  }

  static async open(
    models: Readonly<Record<string, Uint8Array>>,
    { isBinary = true, port = 0 }: { readonly isBinary?: boolean; readonly port?: number } = {},
  ): Promise<KserveServer> {
    ort.env.wasm.numThreads = 1;
    const sessions = new Map<string, ort.InferenceSession>();
    for (const [name, model] of Object.entries(models))
      sessions.set(name, await ort.InferenceSession.create(model, { executionProviders: ['wasm'] }));
    const server = new KserveServer(sessions, isBinary);
    server.#server.listen(port, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const [, name, action] = /^\/v2\/models\/([^/]+)\/(ready|infer)$/.exec(path) ?? [];
    const body = await bytesOf(request);
    if (path === '/v2') {
      send(response, 200, { name: 'test', extensions: this.#isBinary ? ['binary_tensor_data'] : [] });
      return;
    }
    const model = name === undefined ? undefined : this.#models.get(name);
    if (!model) send(response, 404, { error: `unknown model ${name ?? path}` });
    else if (action === 'ready') response.writeHead(200).end();
    else await this.#infer(name!, model, { body, request, response });
  }

  async #infer(
    name: string,
    model: ort.InferenceSession,
    call: { readonly body: Buffer; readonly request: IncomingMessage; readonly response: ServerResponse },
  ): Promise<void> {
    const length = Number(call.request.headers[JSON_LENGTH] ?? call.body.length);
    const { inputs, outputs } = JSON.parse(call.body.subarray(0, length).toString()) as {
      readonly inputs: readonly Written[];
      readonly outputs: readonly Written[];
    };
    this.calls.push({ model: name, windows: inputs[0]!.shape[0]!, isBinary: length < call.body.length });
    const fault = this.faults.shift();
    if (fault !== undefined) {
      send(call.response, fault, { error: 'made to fail' });
      return;
    }
    let at = length;
    const feeds = inputs.map(({ name: input, shape, data, parameters }) => {
      const size = parameters?.binary_data_size ?? 0;
      const values = data ? Float32Array.from(data) : floats(call.body.subarray(at, at + size));
      at += size;
      return [input, new ort.Tensor('float32', values, [...shape])] as const;
    });
    const answers = await model.run(Object.fromEntries(feeds));
    const wanted = outputs.map(({ name: output }) => ({ output, tensor: answers[output]! }));
    const values = wanted.map(({ tensor }) => tensor.data as Float32Array);
    const binary = outputs.some(({ parameters }) => parameters?.binary_data);
    const written = wanted.map(({ output, tensor }, i) => ({
      ...{ name: output, shape: tensor.dims, datatype: 'FP32' },
      ...(binary
        ? { parameters: { binary_data_size: values[i]!.byteLength } }
        : { data: Array.from(values[i]!) }),
    }));
    const head = Buffer.from(JSON.stringify({ model_name: name, model_version: '1', outputs: written }));
    const tensors = values.map((one) => Buffer.from(one.buffer, one.byteOffset, one.byteLength));
    const headers = binary ? { [JSON_LENGTH]: String(head.length) } : {};
    call.response.writeHead(200, headers).end(binary ? Buffer.concat([head, ...tensors]) : head);
  }
}

const send = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

const floats = (bytes: Buffer): Float32Array =>
  new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
