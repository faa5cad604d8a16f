/** Schemas of the messages in a recording, all in Protocol Buffers: Rerun supports no other encoding of them. */
const SCHEMAS = [
  'foxglove.SceneUpdate',
  'foxglove.PosesInFrame',
  'foxglove.PointCloud',
  'foxglove.RawImage',
  'foxglove.Log',
  'csiflow.Amplitude',
] as const;
export type SchemaName = (typeof SCHEMAS)[number];

/** Encodes messages of one schema, and describes them. */
export interface MessageSchema {
  /** A FileDescriptorSet of everything that the schema needs. */
  readonly descriptor: Uint8Array;
  encode(message: object): Uint8Array;
}

export type Schemas = Readonly<Record<SchemaName, MessageSchema>>;

/** One file per type, as protoc names them: readers know them by name. */
const TIMES = `syntax = "proto3"; package google.protobuf;
message Timestamp { int64 seconds = 1; int32 nanos = 2; }
message Duration { int64 seconds = 1; int32 nanos = 2; }`;

const OWN = `syntax = "proto3"; package csiflow;
// One frame of a link.
message Amplitude {
  google.protobuf.Timestamp timestamp = 1;
  string link = 2;
  // 20 log10 of the mean amplitude.
  double mean_db = 3;
  // dBm; NaN where the receiver does not say.
  double rssi = 4;
  uint32 rx = 5;
  uint32 tx = 6;
  // Relative to the centre of the channel.
  repeated sint32 subcarriers = 7;
  // [rx, tx, subcarrier].
  repeated float amplitude = 8;
}`;

let loading: Promise<Schemas> | undefined;

/** Built once per process: it takes a tenth of a second. */
export const loadSchemas = (): Promise<Schemas> => (loading ??= makeSchemas());

async function makeSchemas(): Promise<Schemas> {
  const [{ default: protobuf }, { default: extension }, { default: foxglove }] = await Promise.all([
    import('protobufjs'),
    import('protobufjs/ext/descriptor.js'),
    import('@foxglove/schemas/internal.js'),
  ]);
  const { foxgloveMessageSchemas, foxgloveEnumSchemas, generateProto } = foxglove;
  const textOf = (name: string): { readonly text: string; readonly nested: readonly string[] } => {
    if (name === 'csiflow.Amplitude') return { text: OWN, nested: [] };
    const schema = foxgloveMessageSchemas[name.slice(FOXGLOVE.length) as keyof typeof foxgloveMessageSchemas];
    const enums = Object.values(foxgloveEnumSchemas).filter(
      ({ parentSchemaName }) => parentSchemaName === schema.name,
    );
    const nested = schema.fields.flatMap(({ type }) =>
      type.type === 'nested' && !type.schema.protoEquivalent ? [`${FOXGLOVE}${type.schema.name}`] : [],
    );
    return { text: generateProto(schema, enums), nested };
  };
  const make = (name: SchemaName): MessageSchema => {
    const root = new protobuf.Root();
    const wanted = new Set<string>([name]);
    protobuf.parse(TIMES, root, { keepCase: true });
    // Grows as nested types are found.
    for (const each of wanted) {
      const { text, nested } = textOf(each);
      protobuf.parse(text, root, { keepCase: true });
      for (const inner of nested) wanted.add(inner);
    }
    root.resolveAll();
    const type = root.lookupType(name);
    const set = linked(root.toDescriptor('proto3') as unknown as ProtoFiles);
    return {
      descriptor: extension.FileDescriptorSet.encode(set).finish(),
      encode: (message) => type.encode(message).finish(),
    };
  };
  return Object.fromEntries(SCHEMAS.map((name) => [name, make(name)])) as Schemas;
}

const FOXGLOVE = 'foxglove.';

/** The parts of a descriptor's files that are changed here. */
interface ProtoFiles {
  readonly file: readonly {
    readonly name: string;
    readonly package: string;
    readonly messageType: readonly { readonly name: string }[];
  }[];
}

/** Readers link the files of a descriptor by names and imports, which the library omits. */
function linked({ file: files }: ProtoFiles): object {
  const isTimes = (file: ProtoFiles['file'][number]) => file.package === 'google.protobuf';
  const times = files.filter(isTimes).flatMap((file) =>
    file.messageType.map((message) => ({
      ...file,
      name: `google/protobuf/${message.name.toLowerCase()}.proto`,
      messageType: [message],
    })),
  );
  const imports = times.map(({ name }) => name);
  const own = files.filter((file) => !isTimes(file)).map((file) => ({ ...file, dependency: imports }));
  return { file: [...times, ...own] };
}
