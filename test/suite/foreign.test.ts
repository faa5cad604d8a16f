import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { CONTRACTS } from '../../bench/suite/contracts.js';
import { panelOf } from '../../bench/suite/foreign/panel.js';
import type { Manifest } from '../../bench/suite/foreign/manifest.js';
import type { Inputs } from '../../bench/suite/task.js';
import { madeFolder } from './made-data.js';
import { meanPoolOnnx } from './onnx-model.js';

/**
 * Each model answers with the mean of its input, then twice that mean: the right answer is known without it.
 */

const folder = madeFolder();
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const manifest = (more: Partial<Manifest>): Manifest => ({
  name: 'other',
  licence: 'MIT',
  task: 'falls',
  runtime: 'onnx',
  trained_on: [],
  folder,
  ...more,
});

const { shape } = CONTRACTS.falls.inputs['csi']!;
const size = shape.reduce((product, one) => product * one, 1);
const inputs = (value: number): Inputs => ({ csi: { shape, data: new Float32Array(size).fill(value) } });
const ask = (of: Manifest, value = 0.5, fold = 'p1') => panelOf([of]).ask('falls', fold, () => inputs(value));

const TFJS = {
  format: 'layers-model',
  modelTopology: {
    class_name: 'Sequential',
    config: {
      name: 'means',
      layers: [
        {
          class_name: 'Reshape',
          config: { name: 'flat', target_shape: [size, 1], batch_input_shape: [null, ...shape] },
        },
        { class_name: 'GlobalAveragePooling1D', config: { name: 'mean' } },
        { class_name: 'Dense', config: { name: 'two', units: 2, activation: 'linear', use_bias: false } },
      ],
    },
  },
  weightsManifest: [
    { paths: ['weights.bin'], weights: [{ name: 'two/kernel', shape: [1, 2], dtype: 'float32' }] },
  ],
};

function writeTfjs(name: string, model: object = TFJS): string {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'model.json'), JSON.stringify(model));
  writeFileSync(join(folder, name, 'weights.bin'), Buffer.from(Float32Array.of(1, 2).buffer));
  return name;
}

it('runs a layers model of TensorFlow.js', async () => {
  const { other } = await ask(manifest({ runtime: 'tfjs', path: writeTfjs('means') }));
  expect(other![0]).toBeCloseTo(0.5, 4);
  expect(other![1]).toBeCloseTo(1, 4);
});

it('reports what to do with a graph model', async () => {
  const path = writeTfjs('graph', { ...TFJS, format: 'graph-model' });
  await expect(ask(manifest({ runtime: 'tfjs', path }))).rejects.toThrow(
    /model\.json is a graph model.*ONNX/,
  );
});

it('runs a model in ONNX, and one for each fold', async () => {
  writeFileSync(join(folder, 'without-p1.onnx'), meanPoolOnnx('csi', [1, ...shape], [1, 2]));
  writeFileSync(join(folder, 'without-p2.onnx'), meanPoolOnnx('csi', [1, ...shape], [3, 4]));
  const of = manifest({ path: 'without-{fold}.onnx' });
  const [first, second] = [await ask(of), await ask(of, 0.5, 'p2')];
  expect(first['other']!.map((value) => Math.round(100 * value))).toEqual([50, 100]);
  expect(second['other']!.map((value) => Math.round(100 * value))).toEqual([150, 200]);
});

it('puts classes in the order of the task', async () => {
  writeFileSync(join(folder, 'm.onnx'), meanPoolOnnx('csi', [1, ...shape], [1, 2]));
  const { other } = await ask(manifest({ path: 'm.onnx', classes: ['fall', 'other'] }));
  expect(other![0]).toBeCloseTo(1, 4);
});

it('names the inputs of a model that has others', async () => {
  writeFileSync(join(folder, 'x.onnx'), meanPoolOnnx('signal', [1, ...shape], [1, 2]));
  await expect(ask(manifest({ path: 'x.onnx' }))).rejects.toThrow(
    /requires the inputs signal; the task has csi/,
  );
  const { other } = await ask(manifest({ path: 'x.onnx', inputs: { csi: 'signal' } }));
  expect(other![1]).toBeCloseTo(1, 4);
});

it('rejects an answer of another length', async () => {
  writeFileSync(join(folder, 'three.onnx'), meanPoolOnnx('csi', [1, ...shape], [1, 2, 3]));
  await expect(ask(manifest({ path: 'three.onnx' }))).rejects.toThrow(
    /answers with 3 numbers; the task falls requires 2/,
  );
});

interface Request {
  readonly inputs: readonly {
    readonly name: string;
    readonly shape: readonly number[];
    readonly data: readonly number[];
  }[];
}

/** A server of one model that responds with `answer`. */
async function serve(answer: (body: Request) => { status: number; text: string }): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const path = request.url === '/v2/models/means/infer';
      const { status, text } = path
        ? answer(JSON.parse(Buffer.concat(parts).toString()) as Request)
        : { status: 404, text: 'no such model' };
      response.writeHead(status).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/models/means`;
}

const means = ({ inputs: [first] }: Request): { status: number; text: string } => {
  const mean = first!.data.reduce((sum, value) => sum + value, 0) / first!.data.length;
  return {
    status: 200,
    text: JSON.stringify({ outputs: [{ name: 'probs', shape: [1, 2], data: [mean, 2 * mean] }] }),
  };
};

it('calls a server by the Open Inference Protocol', async () => {
  let seen: readonly number[] = [];
  const url = await serve((body) => {
    seen = body.inputs[0]!.shape;
    return means(body);
  });
  expect(await ask(manifest({ runtime: 'kserve', url }))).toEqual({ other: [0.5, 1] });
  expect(seen).toEqual([1, ...shape]);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

it.skipIf(!hasPython)('asks the Python server of docs/suite.md', async () => {
  const page = readFileSync('docs/suite.md', 'utf8');
  const model = /^```python\n([^]*?)^```/m.exec(page)![1]!;
  // On any free port, which it prints.
  const program = `import http.server
class Server(http.server.HTTPServer):
    def __init__(self, address, handler):
        super().__init__((address[0], 0), handler)
        print(self.server_port, flush=True)
http.server.HTTPServer = Server
${model}`;
  const python = spawn('python3', ['-c', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [port] = (await once(python.stdout, 'data')) as [Buffer];
    const url = `http://127.0.0.1:${port.toString().trim()}/v2/models/means`;
    expect(await ask(manifest({ runtime: 'kserve', url }))).toEqual({ other: [1, 0] });
  } finally {
    python.kill();
  }
});

it('treats null as no answer', async () => {
  const url = await serve(() => ({ status: 200, text: '{"outputs":[{"data":[null,null]}]}' }));
  expect(await ask(manifest({ runtime: 'kserve', url }))).toEqual({ other: null });
});

it('reports how a server failed', async () => {
  const refusing = await serve(() => ({ status: 500, text: 'out of memory' }));
  await expect(ask(manifest({ runtime: 'kserve', url: refusing }))).rejects.toThrow(
    /means\/infer answers 500: out of memory/,
  );
  const page = await serve(() => ({ status: 200, text: '<html>' }));
  await expect(ask(manifest({ runtime: 'kserve', url: page }))).rejects.toThrow(/answer with JSON: <html>/);
  const gone = 'http://127.0.0.1:9/v2/models/means';
  await expect(ask(manifest({ runtime: 'kserve', url: gone }))).rejects.toThrow(/:9\/.*cannot be reached/);
});
