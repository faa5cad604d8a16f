import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Data } from '../../../pipeline/model/index.js';
import { file } from '../../../sinks/file.js';
import { resultIdentity, resultRecord } from '../../support/records.js';
import type { SinkDriver } from '../sink.js';

export const sink: SinkDriver = {
  component: file,
  config: { path: 'out.ndjson' },
  invalid: [{}, { path: '' }, { path: 'a', format: 'xml' }, { path: 'a', rotate_bytes: 1 }],
  backend: async (folder) => ({
    // Small enough for several files per test.
    config: { path: 'out.ndjson', rotate_ms: 1_000 },
    read: async () => {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.ndjson')).sort();
      const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return texts
        .flatMap((text) => text.split('\n').slice(0, -1))
        .map((line) => resultIdentity(JSON.parse(line) as Data));
    },
  }),
  record: resultRecord,
  identity: resultIdentity,
};
