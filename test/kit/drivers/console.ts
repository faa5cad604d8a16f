import { vi } from 'vitest';
import type { Data } from '../../../pipeline/model/index.js';
import { console as component } from '../../../sinks/console.js';
import { resultIdentity, resultRecord } from '../../support/records.js';
import type { SinkDriver } from '../sink.js';

export const sink: SinkDriver = {
  component,
  config: {},
  invalid: [{ format: 'xml' }, { stream: 'stdin' }, { max_lines_per_s: 0 }],
  backend: async () => {
    const written: string[] = [];
    const terminal = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    return {
      config: { format: 'json', stream: 'stderr', max_lines_per_s: 1_000 },
      read: async () =>
        written
          .filter((text) => text.startsWith('{'))
          .map((text) => resultIdentity(JSON.parse(text) as Data)),
      close: async () => {
        terminal.mockRestore();
      },
    };
  },
  record: resultRecord,
  identity: resultIdentity,
  stored: false,
};
