import { describe, expect, it } from 'vitest';
import { C5_COLUMNS } from '../../pipeline/formats/devices/espressif/esp-csi-columns.js';
import { formatNamed, recogniseFile } from '../../pipeline/formats/index.js';
import type { State } from '../../pipeline/component/index.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { batchOf } from './batches.js';
import { cutAll } from './cut.js';

const MAC = '1a:00:00:00:00:00';

const newDecoder = () => {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  return formatNamed('esp-csi').decoder(context);
};
/** The records of a log that is read in pieces: a header line and lines of data. */
const recordsOf = (log: Uint8Array) =>
  cutAll(log, 100)!.records.map(({ time, bytes }) => ({ time, bytes: Uint8Array.from(bytes) }));

describe('a header line of esp-csi', () => {
  const numbers = Array.from({ length: 114 }, (_, i) => (i % 100) + 1);
  /** A log whose lines have `columns` and the data at their place. */
  const logOf = (columns: readonly string[], heading = columns.join(',')): Buffer => {
    const fields: Readonly<Record<string, string | number>> = {
      ...{ type: 'CSI_DATA', mac: MAC, rssi: -40, channel: 6, len: 114, data: `"[${numbers.join(',')}]"` },
      ...{ id: 9, seq: 9, agc_gain: 29, fft_gain: 8, noise_floor: -90, first_word: 0, time: '12:00:01' },
    };
    const line = (stamp: number) =>
      columns.map((name) => (name === 'local_timestamp' ? stamp : (fields[name] ?? 7))).join(',');
    return Buffer.from(`I (7) boot\n${heading}\n${line(1000)}\n${line(2000)}\n`);
  };
  const read = (log: Buffer) => {
    const { data, failed } = newDecoder().decode(batchOf(...recordsOf(log)));
    return { kind: recogniseFile(log)?.name, blocks: data as readonly CsiBlock[], failed: failed ?? [] };
  };

  const reversed = ['type', ...C5_COLUMNS.slice(1).reverse(), 'data'];

  it('names the columns of its sender alone, also after a restart', () => {
    const [heading, own] = recordsOf(logOf(reversed));
    const plain = recordsOf(logOf([...C5_COLUMNS, 'data']))[1]!;
    const decoder = newDecoder();
    decoder.decode(batchOf({ ...heading!, sender: 'a:1' }));
    const restarted = newDecoder();
    restarted.restore(JSON.parse(JSON.stringify(decoder.snapshot())) as State);
    for (const one of [decoder, restarted]) {
      const { data, failed } = one.decode(batchOf({ ...own!, sender: 'a:1' }, { ...plain, sender: 'b:1' }));
      expect(failed).toBeUndefined();
      expect((data[0] as CsiBlock).agc).toEqual(Float32Array.of(29, 29));
    }
  });

  it('names those of its host too, where they fit: the port may have changed', () => {
    const [heading, line] = recordsOf(logOf(reversed));
    const plain = recordsOf(logOf([...C5_COLUMNS, 'data']))[1]!;
    const more = recordsOf(logOf(['type', 'a_new_one', ...C5_COLUMNS.slice(1), 'data']))[0]!;
    const decoder = newDecoder();
    decoder.decode(batchOf({ ...heading!, sender: '10.0.0.7:1' }));
    expect(decoder.decode(batchOf({ ...line!, sender: '10.0.0.7:2' })).failed).toBeUndefined();
    decoder.decode(batchOf({ ...more, sender: '10.0.0.7:3' }));
    expect(decoder.decode(batchOf({ ...plain, sender: '10.0.0.7:4' })).failed).toBeUndefined();
    expect(decoder.decode(batchOf({ ...line!, sender: '10.0.0.8:1' })).failed).toHaveLength(1);
  });

  it('of a checkpoint that does not say whose it is names those of all senders', () => {
    const [heading, line] = recordsOf(logOf(reversed));
    const decoder = newDecoder();
    const saved = decoder.snapshot() as Readonly<Record<string, unknown>>;
    const text = Buffer.from(heading!.bytes).toString('latin1');
    decoder.restore({ ...saved, reader: { heading: text } });
    expect(decoder.decode(batchOf(line!)).failed).toBeUndefined();
  });

  it('has the time of the first line after it', () => {
    const times = recordsOf(logOf([...C5_COLUMNS, 'data'])).map(({ time }) => time);
    expect(times).toEqual([1000, 1000, 2000]);
  });

  it.each([
    ['others between them', C5_COLUMNS.toSpliced(3, 0, 'a_new_one', 'one more')],
    ['another order', ['type', ...C5_COLUMNS.slice(1).reverse()]],
    ['a seq', C5_COLUMNS.map((name) => (name === 'id' ? 'seq' : name))],
  ])('names the columns: %s', (_, columns) => {
    const { kind, blocks, failed } = read(logOf([...columns, 'data', 'time']));
    expect(failed).toEqual([]);
    expect(kind).toBe('esp-csi-log');
    expect(blocks).toHaveLength(1);
    expect(blocks[0]).toMatchObject({
      time: Float64Array.of(1000, 2000),
      deviceTime: Float64Array.of(1000, 2000),
      sequence: Uint32Array.of(9, 9),
      agc: Float32Array.of(29, 29),
      fftGain: Float32Array.of(2, 2),
      noise: Float32Array.of(-90, -90),
    });
    expect(blocks[0]!.layout.subcarriers).toHaveLength(56);
  });

  it('may precede data that are not the last column', () => {
    const columns = ['type', 'mac', 'data', 'channel', 'local_timestamp', 'len', 'first_word', 'fft_gain'];
    const { blocks, failed } = read(logOf(columns));
    expect(failed).toEqual([]);
    expect(blocks[0]).toMatchObject({
      count: 2,
      rssi: Float32Array.of(NaN, NaN),
      fftGain: Float32Array.of(2, 2),
    });
  });

  it('that lacks a necessary column is reported with its name', () => {
    const columns = [...C5_COLUMNS.filter((name) => name !== 'len'), 'data'];
    const { kind, blocks, failed } = read(logOf(columns));
    expect([kind, blocks]).toEqual(['esp-csi-log', []]);
    expect(failed[0]!.reason).toContain('its header line names no column `len`');
  });

  it('that names other columns than a line has is reported', () => {
    const { failed } = read(
      logOf([...C5_COLUMNS, 'data'], [...C5_COLUMNS.toSpliced(3, 0, 'more'), 'data'].join(',')),
    );
    expect(failed[0]!.reason).toContain('14 columns before the data: its header names 15');
  });

  it('counts after a restart', () => {
    const log = logOf([...C5_COLUMNS.toSpliced(3, 0, 'more'), 'data']);
    const [heading, ...lines] = recordsOf(log);
    const before = newDecoder();
    before.decode(batchOf(heading!));
    const after = newDecoder();
    after.restore(before.snapshot());
    expect(after.decode(batchOf(...lines)).data).toMatchObject([{ count: 2 }]);
  });
});
