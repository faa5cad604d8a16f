/** A minimal writer of ONNX files: just enough protocol buffers for one graph. */

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
const field = (number: number, content: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
};
const number = (of: number, value: number): Buffer => Buffer.from([...varint(of << 3), ...varint(value)]);
const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields);

const [FLOAT, INT, INTS] = [1, 2, 7];
const KEEPDIMS = message(field(1, 'keepdims'), number(3, 0), number(20, INT));

const node = (kind: string, inputs: readonly string[], output: string, ...attributes: Buffer[]): Buffer =>
  message(
    ...inputs.map((name) => field(1, name)),
    field(2, output),
    field(4, kind),
    ...attributes.map((one) => field(5, one)),
  );

const valueInfo = (name: string, shape: readonly number[]): Buffer => {
  const dimensions = shape.map((size) => field(1, number(1, size)));
  const type = message(number(1, FLOAT), field(2, message(...dimensions)));
  return message(field(1, name), field(2, field(1, type)));
};

/** A model whose output is the mean of its input times each of `weights`. */
export function meanPoolOnnx(input: string, shape: readonly number[], weights: readonly number[]): Buffer {
  const axes = shape.slice(1).map((_, axis) => number(8, axis + 1));
  const reduce = node(
    'ReduceMean',
    [input],
    'mean',
    KEEPDIMS,
    message(field(1, 'axes'), ...axes, number(20, INTS)),
  );
  const column = node('Reshape', ['mean', 'one'], 'column');
  const multiply = node('MatMul', ['column', 'weights'], 'scores');
  const floats = Buffer.from(Float32Array.from(weights).buffer);
  const initial = message(
    number(1, 1),
    number(1, weights.length),
    number(2, FLOAT),
    field(8, 'weights'),
    field(9, floats),
  );
  const ones = Buffer.from(BigInt64Array.of(1n, 1n).buffer);
  const target = message(number(1, 2), number(2, 7), field(8, 'one'), field(9, ones));
  const graph = message(
    ...[reduce, column, multiply].map((one) => field(1, one)),
    field(2, 'means'),
    ...[initial, target].map((one) => field(5, one)),
    field(11, valueInfo(input, shape)),
    field(12, valueInfo('scores', [1, weights.length])),
  );
  return message(number(1, 8), field(7, graph), field(8, message(field(1, ''), number(2, 13))));
}
