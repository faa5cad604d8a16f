import { frames, measure, counter, sum, Table } from '../support/flow.js';
import type { AnySink } from '../../pipeline/component/index.js';
import { operatorConformance } from '../kit/operator.js';
import { sinkConformance } from '../kit/sink.js';
import { sourceConformance } from '../kit/source.js';

// The kits themselves, on the small components of the runtime's tests.
sourceConformance('counter', {
  component: strict(counter),
  config: { count: 50 },
  decodes: false,
  input: async () => ({ config: { count: 50 } }),
});

operatorConformance('sum', {
  component: strict(sum),
  config: {},
  input: () => [frames(0, 40), frames(40, 90)],
  bad: () => [frames(0, 3, () => NaN)],
});

const table = new Table();
sinkConformance('table', {
  component: strict(table.component as AnySink),
  config: {},
  backend: async () => {
    table.stored = [];
    return { config: {}, read: async () => table.rows };
  },
  record: (index) => measure('m', index, index),
  identity: (data) => (data.port === 'measure' ? `m@${data.time}=${data.value}` : ''),
});

/** Rejects unknown fields, as everywhere except in these tests' short schemas. */
function strict<C extends { readonly config: object }>(component: C): C {
  return { ...component, config: { ...component.config, additionalProperties: false } };
}
