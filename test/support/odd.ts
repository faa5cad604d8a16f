import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import type { Measure } from '../../pipeline/model/index.js';

const send = () => undefined;

/** Compiled by its test, because threads cannot run TypeScript. */
export const odd = defineOperator({
  name: 'odd',
  summary: 'Has a function in a part of what it gives away.',
  config: Type.Object({
    part: Type.String({
      default: 'none',
      description: 'One of record, snapshot, reports, open (does not open), slow (takes its time).',
    }),
  }),
  examples: [],
  inputs: ['csi', 'measure'],
  outputs: ['measure'],
  module: import.meta.url,
  create: ({ part }, { log, provenance }) => ({
    open: async () => {
      if (part === 'open') throw new Error('it does not open');
    },
    process: (data) => {
      const until = performance.now() + (part === 'slow' ? 30 : 0);
      while (performance.now() < until);
      if (part === 'reports') log.warn('odd', { send });
      if (data.port === 'measure') return { data: [data] };
      const record: Measure = {
        port: 'measure',
        name: 'odd',
        environment: 'room',
        subject: null,
        time: data.time[0]!,
        value: 1,
        source: 'csiflow',
        provenance: { ...provenance },
        ...(part === 'record' && { details: { send } }),
      };
      return { data: [record] };
    },
    describe: () => (part === 'reports' ? { send } : {}),
    snapshot: () => (part === 'snapshot' ? { inner: [{ send }] } : null),
  }),
});
