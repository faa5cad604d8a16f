import { writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { Type } from 'typebox';
import { defineOperator, type Output } from '../../pipeline/component/index.js';
import type { Failure, Measure } from '../../pipeline/model/index.js';

/** Compiled by its test, because threads cannot run TypeScript. */
export const tally = defineOperator({
  name: 'tally',
  summary: 'Adds up the numbers of frames, and has a bit of everything that an operator can have.',
  config: Type.Object({
    step: Type.Number({ default: 1, description: 'Factor of each number.' }),
    refuse: Type.Integer({ default: -1, description: 'Number of the frame that it rejects.' }),
    crash: Type.Integer({
      default: -1,
      description: 'Number of the frame at which its thread ends, once a process.',
    }),
    closing: Type.String({ default: '', description: 'File that it writes when it closes; empty: none.' }),
  }),
  examples: [],
  inputs: ['csi'],
  outputs: ['measure'],
  liveFields: ['step'],
  // A topology that resumes without the crash keeps its state.
  stateFields: [],
  module: import.meta.url,
  create: ({ step, refuse, crash, closing }, { metrics, log, degrade, environments, provenance }) => {
    let total = 0;
    let factor = 0;
    return {
      open: async () => {
        await turn();
        factor = step;
      },
      close: async () => {
        await turn();
        if (closing !== '') writeFileSync(closing, `${total}`);
      },
      process: (block): Output<Measure> => {
        const failed: Failure[] = [];
        const data: Measure[] = [];
        for (let index = 0; index < block.count; index++) {
          const number = block.sequence[index]!;
          if (number === crash) process.exit(7);
          if (number === refuse)
            failed.push({
              record: block,
              code: 'tally.refused',
              reason: `refuses ${number}`,
              retriable: true,
            });
          total += number * factor;
          data.push({
            port: 'measure',
            name: 'total',
            environment: environments[0]!.id,
            subject: null,
            time: block.time[index]!,
            value: total,
            source: 'csiflow',
            provenance: { ...provenance },
          });
        }
        metrics.count('blocks', 1);
        metrics.dropped('odd', 1);
        log.warn('tallied');
        degrade(total > 1000 ? 'too much' : null);
        return failed.length > 0 ? { data: [], failed } : { data };
      },
      adjust: (config) => {
        factor = config['step'] as number;
      },
      describe: () => ({ total }),
      snapshot: () => ({ total }),
      restore: (state) => {
        total = (state as { readonly total: number }).total;
      },
    };
  },
});
