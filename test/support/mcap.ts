import { McapIndexedReader, McapStreamReader, type McapTypes } from '@mcap/core';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadZstd } from '../../pipeline/base/zstd.js';
import protobuf from 'protobufjs';
// Adds `fromDescriptor` to the library.
import 'protobufjs/ext/descriptor.js';

/** A message of a recording, decoded by the schema in the file. */
export interface ReadMessage {
  readonly topic: string;
  readonly schema: string | null;
  /** Microseconds. */
  readonly time: number;
  readonly content: Record<string, unknown>;
}

async function handlers(): Promise<McapTypes.DecompressHandlers> {
  const { decompress } = await loadZstd();
  return { zstd: (bytes) => decompress(bytes) };
}

/** All complete messages of a file that may be truncated. */
export async function readMcap(bytes: Uint8Array): Promise<readonly ReadMessage[]> {
  const reader = new McapStreamReader({ decompressHandlers: await handlers() });
  reader.append(bytes);
  const schemas = new Map<number, McapTypes.Schema>();
  const channels = new Map<number, McapTypes.Channel>();
  const found: ReadMessage[] = [];
  for (let record; (record = reader.nextRecord());) {
    if (record.type === 'Schema') schemas.set(record.id, { ...record, data: record.data.slice() });
    if (record.type === 'Channel') channels.set(record.id, record);
    if (record.type === 'Message') found.push(decoded(record, channels.get(record.channelId)!, schemas));
  }
  return found;
}

/** All messages of a complete file, by its index; in order of time. */
export async function readIndexed(bytes: Uint8Array): Promise<readonly ReadMessage[]> {
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(bytes.length),
      read: async (offset, size) => bytes.slice(Number(offset), Number(offset + size)),
    },
    decompressHandlers: await handlers(),
  });
  const found: ReadMessage[] = [];
  for await (const message of reader.readMessages())
    found.push(decoded(message, reader.channelsById.get(message.channelId)!, reader.schemasById));
  return found;
}

/** Messages of all recordings of a folder. */
export async function recordingsIn(folder: string): Promise<readonly ReadMessage[]> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.mcap'));
  const files = await Promise.all(names.sort().map((name) => readMcap(readFileSync(join(folder, name)))));
  return files.flat();
}

function decoded(
  { logTime, data }: McapTypes.Message,
  { topic, schemaId, messageEncoding }: McapTypes.Channel,
  schemas: ReadonlyMap<number, McapTypes.Schema>,
): ReadMessage {
  const schema = schemas.get(schemaId);
  const time = Number(logTime / 1000n);
  if (messageEncoding === 'json' || !schema) {
    const content = JSON.parse(new TextDecoder().decode(data)) as Record<string, unknown>;
    return { topic, schema: null, time, content };
  }
  const type = typeOf(schema);
  const content = type.toObject(type.decode(data), { longs: Number, defaults: true });
  return { topic, schema: schema.name, time, content };
}

const types = new Map<string, protobuf.Type>();

function typeOf({ name, data }: McapTypes.Schema): protobuf.Type {
  let type = types.get(name);
  if (!type) {
    type = protobuf.Root.fromDescriptor(data, { keepCase: true }).lookupType(name);
    types.set(name, type);
  }
  return type;
}
