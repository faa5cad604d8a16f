import type { Measure, SensedEvent } from '../../../pipeline/model/index.js';

/** The script of the kit: a measure for each event, and measures twice as large. */
export default function process(record: Measure | SensedEvent): Measure | [SensedEvent, Measure] {
  if (record.port === 'measure') return { ...record, value: 2 * record.value };
  const { environment, time, confidence: value, source, provenance } = record;
  return [
    record,
    { port: 'measure', name: 'confidence', subject: null, environment, time, value, source, provenance },
  ];
}
