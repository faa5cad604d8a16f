import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeHeader, encodeRecords } from '../../../pipeline/formats/containers/capture.js';
import { file } from '../../../pipeline/sources/file/file.js';
import { batchesOf } from '../../formats/batches.js';
import { datagrams, START } from '../csi-input.js';
import type { SourceDriver } from '../source.js';

const records = datagrams(700).map((bytes, i) => ({ bytes, time: START + i * 5000 }));

export const source: SourceDriver = {
  component: file,
  config: { path: 'capture.csi' },
  invalid: [{}, { path: '' }, { path: 'a', speed: -1 }, { path: 'a', batch_records: 0 }],
  input: async (folder) => {
    const parts = [
      encodeHeader({ format: 'adr018', origin: 'replay' }),
      ...batchesOf(records, 50).map(encodeRecords),
    ];
    await writeFile(join(folder, 'capture.csi'), Buffer.concat(parts));
    return { config: { path: 'capture.csi', speed: 0, batch_records: 40 } };
  },
};

/** The sink of the same name. */
export { sink } from './file-sink.js';
