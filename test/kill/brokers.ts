import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { rawRecord } from '../../pipeline/component/index.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { openRecording } from '../../pipeline/sources/recording.js';
import { batchOf } from '../formats/batches.js';
import type { KafkaCluster } from '../support/servers/kafka.js';
import type { Broker } from './receivers.js';

/** A datagram, and its arrival time, microseconds since 1970. */
export interface Heard {
  readonly bytes: Uint8Array;
  readonly time: number;
}

export const isFrame = (packet: Uint8Array): boolean =>
  packet[0] === 0x01 && packet[1] === 0x00 && packet.length > 60;

/** All datagrams of a recording. */
export async function datagramsOf(path: string): Promise<readonly Heard[]> {
  const heard: Heard[] = [];
  for await (const { raw } of (await openRecording(path)).batches(512))
    for (let index = 0; index < raw.count; index++)
      heard.push({ bytes: Uint8Array.from(rawRecord(raw, index)), time: Math.round(raw.time[index]!) });
  return heard;
}

/** About the first `count`: the last one is a frame, and later than the others. */
export function beginningOf(heard: readonly Heard[], count: number): readonly Heard[] {
  const last = heard.findIndex(
    ({ bytes, time }, index) => index >= count && isFrame(bytes) && time > heard[index - 1]!.time,
  );
  return heard.slice(0, last + 1);
}

export function writeCapture(folder: string, heard: readonly Heard[]): string {
  const path = join(folder, 'input.csi');
  const header = encodeHeader({ format: 'adr018', origin: 'replay' });
  writeFileSync(path, Buffer.concat([header, encodeRecords(batchOf(...heard))]));
  return path;
}

/** A new topic that holds datagrams as a gateway would write them. */
export async function fillTopic(cluster: KafkaCluster, heard: readonly Heard[]): Promise<string> {
  const topic = await cluster.topic(1);
  const producer = cluster.client.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  const messages = heard.map(({ bytes, time }) => ({
    key: 'room',
    value: Buffer.from(bytes),
    headers: { 'csiflow-time': String(time) },
  }));
  for (let at = 0; at < messages.length; at += 500)
    await producer.send({ topic, messages: messages.slice(at, at + 500) });
  await producer.disconnect();
  return topic;
}

/** Publishes datagrams in order, with QoS 1, for an existing session. */
export async function publish(broker: Broker, topic: string, heard: readonly Heard[]): Promise<void> {
  const { url, username, password } = broker;
  const client = await connectAsync(url, { username, password, protocolVersion: 5 });
  try {
    // Mosquitto accepts 20 before it has confirmed the first; one more ends the connection, and all are sent
    // again.
    for (let at = 0; at < heard.length; at += 16)
      await Promise.all(
        heard.slice(at, at + 16).map(({ bytes, time }) =>
          client.publishAsync(topic, Buffer.from(bytes), {
            qos: 1,
            properties: { userProperties: { 'csiflow-time': String(time) } },
          }),
        ),
      );
  } finally {
    await client.endAsync(true);
  }
}
