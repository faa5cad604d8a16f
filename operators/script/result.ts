import type { TObject } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { RECORD_SCHEMAS, RESULT_PORTS, type Data, type ResultPort } from '../../pipeline/model/index.js';

type Result = Data<ResultPort>;

/** Fields that hold NaN where a number is unknown. */
const UNKNOWN: Readonly<Record<ResultPort, string | null>> = {
  pose: 'signalQuality',
  event: null,
  measure: 'value',
};

/** Most records that one record becomes. */
const MAX_RESULTS = 1000;

/** Checks what a script returns. */
export class ResultCheck {
  readonly #validators = new Map<ResultPort, Validator>();
  readonly #gives: readonly ResultPort[] | null;

  /** @param gives ports of its records; null: each has the port of the record that it comes from */
  constructor(gives: readonly ResultPort[] | null) {
    this.#gives = gives;
  }

  /** @throws Error that says what is wrong with which record */
  recordsOf(returned: unknown, from: Result): readonly Result[] {
    if (returned === undefined || returned === null) return [];
    const list: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
    if (list.length > MAX_RESULTS)
      throw new Error(`${list.length} records at once; the limit is ${MAX_RESULTS}`);
    return list.map((record, index) => {
      const fault = this.#faultOf(record, from);
      if (fault === null) return record as Result;
      throw new Error(list.length > 1 ? `record ${index + 1} of ${list.length}: ${fault}` : fault);
    });
  }

  #faultOf(record: unknown, from: Result): string | null {
    if (typeof record !== 'object' || record === null || Array.isArray(record))
      return `it must be a record, not ${named(record)}`;
    const { port } = record as { readonly port?: unknown };
    const known = RESULT_PORTS.find((one) => one === port);
    const allowed = this.#gives ?? [from.port];
    if (!known || !allowed.includes(known)) {
      const hint = known ? `; add it to \`gives\` of the node` : '';
      return `\`port\` must be ${allowed.join(' or ')}, not ${named(port)}${hint}`;
    }
    return this.#faultOfShape(known, record) ?? faultOfOrigin(record as Result, from);
  }

  #faultOfShape(port: ResultPort, record: object): string | null {
    const unknown = UNKNOWN[port];
    const checked =
      unknown !== null && Number.isNaN(Reflect.get(record, unknown)) ? { ...record, [unknown]: 0 } : record;
    let validator = this.#validators.get(port);
    if (!validator) this.#validators.set(port, (validator = Compile(RECORD_SCHEMAS[port] as TObject)));
    if (validator.Check(checked)) return null;
    const [error] = validator.Errors(checked);
    if (!error) return 'it is not a record';
    // A closed object has the schema `false` for other fields.
    const why = error.keyword === 'boolean' ? 'is not a field of these records' : error.message;
    return `\`${pathOf(error.instancePath) || port}\` ${why}`;
  }
}

/** Records downstream are in the order of event time, and show where they come from. */
function faultOfOrigin(record: Result, from: Result): string | null {
  if (record.time !== from.time)
    return `\`time\` must be that of the record that it comes from, ${from.time}`;
  if (record.environment !== from.environment) return `\`environment\` must be \`${from.environment}\``;
  const { origin } = from.provenance;
  return record.provenance.origin === origin ? null : `\`provenance.origin\` must be \`${origin}\``;
}

/** A value in an error. */
const named = (value: unknown): string => (value === undefined ? 'undefined' : JSON.stringify(value));

/** `/persons/0/confidence` as `persons[0].confidence`. */
const pathOf = (pointer: string): string =>
  pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');
