/**
 * Writes files in the ONNX format: a graph of operators over 32-bit floats, as protocol buffers.
 *
 * Source: onnx/onnx, `onnx/onnx.proto` (field numbers) and `docs/Operators.md`; operator set 13.
 */

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];

const bytesField = (number: number, content: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
};
/** Negative numbers take ten bytes: two's complement of 64 bits. */
const intField = (number: number, value: number): Buffer => {
  const bytes = [...varint(number << 3)];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    if (rest <= 127n) return Buffer.from(bytes);
  }
};

const DATA = { float: 1, int64: 7 } as const;
const ATTRIBUTE = { int: 2, ints: 7 } as const;
const [OPSET, IR_VERSION] = [13, 8];

/** A dimension: a size, or the name of one that differs from call to call. */
export type Dimension = number | string;

/** Collects nodes and constants; values are known by the names that its methods return. */
export class OnnxGraph {
  readonly #nodes: Buffer[] = [];
  readonly #constants = new Map<string, Buffer>();
  readonly #inputs: Buffer[] = [];
  readonly #outputs: Buffer[] = [];
  #numbers = 0;

  input(name: string, shape: readonly Dimension[]): string {
    this.#inputs.push(valueInfo(name, shape));
    return name;
  }

  output(name: string, value: string, shape: readonly Dimension[]): void {
    this.#nodes.push(node('Identity', [value], name, {}));
    this.#outputs.push(valueInfo(name, shape));
  }

  floats(name: string, shape: readonly number[], data: Float32Array): string {
    return this.#constant(
      name,
      shape,
      DATA.float,
      Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    );
  }

  integers(values: readonly number[]): string {
    const data = Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer);
    return this.#constant(`integers-${values.join(',')}`, [values.length], DATA.int64, data);
  }

  /** The output of an operator. */
  add(kind: string, inputs: readonly string[], attributes: Attributes = {}): string {
    const output = `${kind}-${++this.#numbers}`;
    this.#nodes.push(node(kind, inputs, output, attributes));
    return output;
  }

  /** The file. @param facts key and value, for people */
  file(name: string, facts: Readonly<Record<string, string>>): Buffer {
    const graph = Buffer.concat([
      ...this.#nodes.map((one) => bytesField(1, one)),
      bytesField(2, name),
      ...[...this.#constants.values()].map((one) => bytesField(5, one)),
      ...this.#inputs.map((one) => bytesField(11, one)),
      ...this.#outputs.map((one) => bytesField(12, one)),
    ]);
    const metadata = Object.entries(facts).map(([key, value]) =>
      bytesField(14, Buffer.concat([bytesField(1, key), bytesField(2, value)])),
    );
    const operators = Buffer.concat([bytesField(1, ''), intField(2, OPSET)]);
    return Buffer.concat([
      intField(1, IR_VERSION),
      bytesField(2, 'csiflow'),
      bytesField(7, graph),
      bytesField(8, operators),
      ...metadata,
    ]);
  }

  #constant(name: string, shape: readonly number[], type: number, data: Buffer): string {
    const fields = [...shape.map((size) => intField(1, size)), intField(2, type)];
    this.#constants.set(name, Buffer.concat([...fields, bytesField(8, name), bytesField(9, data)]));
    return name;
  }
}

type Attributes = Readonly<Record<string, number | readonly number[]>>;

const node = (kind: string, inputs: readonly string[], output: string, attributes: Attributes): Buffer =>
  Buffer.concat([
    ...inputs.map((name) => bytesField(1, name)),
    bytesField(2, output),
    bytesField(3, output),
    bytesField(4, kind),
    ...Object.entries(attributes).map(([name, value]) => bytesField(5, attribute(name, value))),
  ]);

const attribute = (name: string, value: number | readonly number[]): Buffer =>
  Buffer.concat([
    bytesField(1, name),
    ...(typeof value === 'number'
      ? [intField(3, value), intField(20, ATTRIBUTE.int)]
      : [...value.map((one) => intField(8, one)), intField(20, ATTRIBUTE.ints)]),
  ]);

function valueInfo(name: string, shape: readonly Dimension[]): Buffer {
  const dimensions = shape.map((size) =>
    bytesField(1, typeof size === 'number' ? intField(1, size) : bytesField(2, size)),
  );
  const type = Buffer.concat([intField(1, DATA.float), bytesField(2, Buffer.concat(dimensions))]);
  return Buffer.concat([bytesField(1, name), bytesField(2, bytesField(1, type))]);
}
