import { describe, expect, it } from 'vitest';
import { encodeCsiToolLine } from '../../pipeline/formats/devices/espressif/esp32-csi-tool.js';
import { espFields } from '../../pipeline/formats/devices/espressif/esp-carriers.js';
import { formatNamed, recogniseFile } from '../../pipeline/formats/index.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { batchOf } from './batches.js';
import { cutAll } from './cut.js';

const TODAY =
  'type,role,mac,rssi,rate,sig_mode,mcs,bandwidth,smoothing,not_sounding,aggregation,stbc,fec_coding,sgi,noise_floor,' +
  'ampdu_cnt,channel,secondary_channel,local_timestamp,ant,sig_len,rx_state,real_time_set,real_timestamp,len,CSI_DATA';
const WITHOUT_SET = TODAY.replace('real_time_set,', '');
const OLDEST = TODAY.replace('real_time_set,real_timestamp,', '').replace('local_timestamp', 'timestamp');

const lltf = espFields(
  { pairs: 64, ascending: false, secondary: 0, wide: false, stbc: false, ht: false, filtered: false },
  () => false,
)!;
const values = Float32Array.from({ length: 2 * lltf[0]!.subcarriers.length }, (_, i) => (i % 40) - 20);

/** A line as today's tool prints it at `stamp`, with the columns of `heading`, and `after` behind its data. */
function lineOf(stamp: number, heading: string, after = ''): string {
  const fields = { mac: '3C:71:BF:6D:2A:78', channel: 6, rssi: -40, local_timestamp: stamp, len: 128 };
  const line = encodeCsiToolLine(fields, 64, [{ field: lltf[0]!, values }]);
  const [before, data] = [line.slice(0, line.indexOf('[')).split(','), line.slice(line.indexOf('['))];
  const names = heading.split(',').map((name) => (name === 'timestamp' ? 'local_timestamp' : name));
  const end = names.indexOf('CSI_DATA');
  return `${names
    .slice(0, end)
    .map((name) => before[TODAY.split(',').indexOf(name)] ?? '7')
    .join(',')},${data}${after}`;
}

function read(log: string) {
  const records = cutAll(Buffer.from(log), 100)!.records.map(({ time, bytes }) => ({
    time,
    bytes: Uint8Array.from(bytes),
  }));
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const decoder = formatNamed('esp32-csi-tool').decoder(context);
  const { data, failed } = decoder.decode(batchOf(...records));
  return {
    kind: recogniseFile(Buffer.from(log))?.name,
    times: records.map(({ time }) => time),
    blocks: data as readonly CsiBlock[],
    failed: failed ?? [],
  };
}

describe('columns of the ESP32-CSI-Tool', () => {
  it.each([
    ['of today', TODAY],
    ['without real_time_set', WITHOUT_SET],
    ['of the oldest version', OLDEST],
  ])('%s, with and without a header line', (_, heading) => {
    const lines = `${lineOf(90_000_000, heading)}\n${lineOf(90_010_000, heading)}\n`;
    for (const log of [lines, `I (7) boot\n${heading}\n${lines}`]) {
      const { kind, blocks, failed } = read(log);
      expect([kind, failed]).toEqual(['esp32-csi-tool-log', []]);
      expect(blocks).toHaveLength(1);
      expect(blocks[0]).toMatchObject({
        time: Float64Array.of(90_000_000, 90_010_000),
        deviceTime: Float64Array.of(90_000_000, 90_010_000),
        rssi: Float32Array.of(-40, -40),
      });
    }
  });

  it('others are named by a header line', () => {
    const heading = TODAY.replace('mac,', 'mac,board,site,');
    const lines = `${lineOf(1000, heading)}\n`;
    expect(read(`${heading}\n${lines}`).blocks).toMatchObject([{ count: 1 }]);
    const { context } = testContext({ links: new LinkTable([anySender]) });
    const { failed } = formatNamed('esp32-csi-tool')
      .decoder(context)
      .decode(batchOf({ bytes: Buffer.from(lines) }));
    expect(failed![0]!.reason).toContain(
      '27 columns before the data: supported are 23, 24, 25, or others with a header line',
    );
  });

  it('of a header line that lacks one are a fault', () => {
    const heading = TODAY.replace('rssi,', '');
    const { context } = testContext({ links: new LinkTable([anySender]) });
    const records = [heading, lineOf(1000, heading)].map((line) => ({ bytes: Buffer.from(line) }));
    const { failed } = formatNamed('esp32-csi-tool')
      .decoder(context)
      .decode(batchOf(...records));
    expect(failed).toHaveLength(1);
    expect(failed![0]!.reason).toContain('the header line before it names no column rssi');
  });

  it('may lack the role, if a header line says so', () => {
    const heading = TODAY.replace('role,', '');
    const log = `${heading}\n${lineOf(90_000_000, heading)}\n`;
    const { kind, blocks, failed } = read(log);
    expect([kind, blocks, failed]).toMatchObject(['esp32-csi-tool-log', [{ count: 1 }], []]);
  });

  it.each([
    ['a number', TODAY.replace('role,', 'id,'), '`7`'],
    ['the address', TODAY.replace('role,', ''), '`3C:71:BF:6D:2A:78`'],
  ])('with %s instead of the role are a fault', (_, heading, shown) => {
    const { context } = testContext({ links: new LinkTable([anySender]) });
    const decoder = formatNamed('esp32-csi-tool').decoder(context);
    const { data, failed } = decoder.decode(batchOf({ bytes: Buffer.from(lineOf(1000, heading)) }));
    expect(data).toEqual([]);
    expect(failed![0]!.reason).toContain(`its column 2 is ${shown}, not a role such as STA`);
    expect(decoder.describe()).toMatchObject({ packets: { other: 0 }, malformed: { role: 1 } });
  });

  it.each([
    ['a column after the data', `${TODAY},pc_timestamp`],
    ['blanks after its commas', `${TODAY},pc_timestamp`.replaceAll(',', ', ')],
  ])('a header line with %s is not a measurement, and has the time of the first', (_, heading) => {
    const log = `${heading}\n${lineOf(90_000_000, TODAY, ',1700000000.5')}\n${lineOf(90_010_000, TODAY, ',1700000000.6')}\n`;
    const { times, blocks, failed } = read(log);
    expect(times).toEqual([90_000_000, 90_000_000, 90_010_000]);
    expect([blocks[0]!.count, failed]).toEqual([2, []]);
  });

  it('are known after a restart', () => {
    const heading = TODAY.replace('mac,', 'mac,board,');
    const { context } = testContext({ links: new LinkTable([anySender]) });
    const before = formatNamed('esp32-csi-tool').decoder(context);
    before.decode(batchOf({ bytes: Buffer.from(heading) }));
    const after = formatNamed('esp32-csi-tool').decoder(context);
    after.restore(structuredClone(before.snapshot()));
    const { data } = after.decode(batchOf({ bytes: Buffer.from(lineOf(1000, heading)) }));
    expect(data).toMatchObject([{ count: 1 }]);
  });
});
