import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { LinkTable, type CsiBlock, type Environment } from '../../pipeline/model/index.js';
import { udp } from '../../pipeline/sources/udp.js';
import { bareRecords, SAMPLES } from '../formats/samples.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { withDefaults } from '../kit/definition.js';

const SETTINGS = {
  host: '127.0.0.1',
  port: 0,
  receive_buffer_bytes: 1 << 20,
  block_records: 64,
  gather_ms: 0,
  idle_tick_ms: 0,
};

/**
 * Sends datagrams to a source one by one, each after the previous one was decoded; returns the frames, and
 * the source's report. `format`: null for the default
 */
async function heard(format: string | null, links: LinkTable, datagrams: readonly Uint8Array[]) {
  const { context } = testContext({ links });
  const settings = { ...SETTINGS, ...(format !== null && { format }) };
  const source = udp.create(withDefaults(udp, settings) as never, context);
  const stop = new AbortController();
  const socket = createSocket('udp4');
  const frames: CsiBlock[] = [];
  let sent = 0;
  const send = () => {
    const { port } = source.describe!()['address'] as { readonly port: number };
    if (sent < datagrams.length) socket.send(datagrams[sent++]!, port, '127.0.0.1');
    else stop.abort();
  };
  await source.open(null, {
    signal: stop.signal,
    ready: send,
    offer: ({ raw }) => {
      for (const one of raw ? source.decode!(raw).data : []) if (one.port === 'csi') frames.push(one);
      send();
      return true;
    },
  });
  socket.close();
  await once(socket, 'close');
  return { frames, about: source.describe!() };
}

const count = (frames: readonly CsiBlock[]): number => frames.reduce((sum, one) => sum + one.count, 0);

it.each(SAMPLES)('receives $format over a real socket', async (sample) => {
  const { frames } = await heard(sample.format, new LinkTable([anySender]), bareRecords(sample));
  expect(count(frames)).toBeGreaterThanOrEqual(sample.records.length);
});

it('receives mixed formats on one port by default, recognised by datagram', async () => {
  const all = SAMPLES.map(bareRecords);
  const mixed = Array.from({ length: 4 }, (_, i) => all.map((records) => records[i]!)).flat();
  const { frames, about } = await heard(null, new LinkTable([anySender]), mixed);
  expect(about['malformed']).toEqual({});
  expect(String(about['format']).split(', ').sort()).toEqual(SAMPLES.map(({ format }) => format).sort());
  expect(count(frames)).toBeGreaterThanOrEqual(4 * SAMPLES.length);
});

it('lists senders without a link with their format, rate and layout; receives those with one', async () => {
  const [link] = anySender.links as [Environment['links'][number]];
  const known = { ...anySender, links: [{ ...link, sender: '01:02:03:04:05:06' }] };
  const [nexmon, realtek] = ['nexmon', 'realtek-csi'].map((name) =>
    bareRecords(SAMPLES.find(({ format }) => format === name)!),
  ) as [readonly Uint8Array[], readonly Uint8Array[]];
  const mixed = nexmon.flatMap((datagram, i) => [datagram, realtek[i]!]);
  const { frames, about } = await heard('auto', new LinkTable([known]), mixed);
  expect(count(frames)).toBe(nexmon.length);
  expect(about['unknown_senders']).toMatchObject({
    ...{ frames: realtek.length, senders: 1 },
    listed: [
      {
        ...{ sender: '02:00:00:00:00:01', format: 'realtek-csi', frames: realtek.length },
        ...{ layout: 'lltf/1x1/20@2457/-26..-1,1..26', frames_per_second: expect.any(Number) as number },
      },
    ],
  });
});

describe('a datagram of several lines', () => {
  const lines = bareRecords(SAMPLES.find(({ format }) => format === 'esp-csi')!).map((record) =>
    Buffer.from(record).toString('latin1').trimEnd(),
  );

  it('is decoded line by line, each a microsecond later', async () => {
    const { frames, about } = await heard('auto', new LinkTable([anySender]), [
      Buffer.from(lines.slice(0, 4).join('\n')),
      Buffer.from(lines.slice(4, 6).join('\r\n') + '\r\n'),
    ]);
    expect(about['malformed']).toEqual({});
    const times = new Map(
      frames.flatMap(({ sequence, time }) => [...sequence].map((n, i) => [n, time[i]!] as const)),
    );
    const after = (n: number, first: number) => times.get(n)! - times.get(first)!;
    expect([1, 2, 3].map((n) => after(n, 0))).toEqual([1, 2, 3]);
    expect(after(4, 3)).toBeGreaterThan(0);
    expect(after(5, 4)).toBe(1);
  });

  it('is read on behind a damaged line, which is named', async () => {
    const damaged = lines[1]!.slice(0, 90);
    const { frames, about } = await heard('auto', new LinkTable([anySender]), [
      Buffer.from([lines[0]!, damaged, lines[2]!].join('\n')),
      Buffer.from(lines[3]!),
    ]);
    expect(count(frames)).toBe(3);
    expect(about['malformed']).toMatchObject({ truncated: 1 });
    expect(about['faults']).toMatchObject([
      { fault: 'truncated', first: `datagram: line 2 (byte ${lines[0]!.length + 1})` },
    ]);
  });
});
