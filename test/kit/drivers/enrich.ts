import { join } from 'node:path';
import { enrich } from '../../../operators/enrich/enrich.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: enrich,
  config: {
    table: join(import.meta.dirname, 'enrich.csv'),
    column: 'person',
    by: 'string(event.person)',
    set: { 'metadata.name': 'row.name' },
  },
  invalid: [
    { table: '', column: 'person', by: 'event.id', set: { 'metadata.name': 'row.name' } },
    { table: 'a.csv', column: 'person', by: 'measure.subject', set: { 'metadata.name': 'row.name' } },
  ],
  input: eventsAndMeasures,
  bad: timeless,
  keepsState: false,
};
