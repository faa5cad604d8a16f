import type { Data, Environment, Measure } from '../../pipeline/model/index.js';
import { components } from '../../api/components.js';
import { writtenMeasures } from '../../api/cli/dictionary-page.js';
import { POINT_KINDS } from '../../sinks/influxdb/measurements.js';
import { fieldType } from '../../sinks/shared/line-protocol/points.js';
import { pointsOf } from '../../sinks/shared/line-protocol/points.js';
import { TagValues } from '../../sinks/shared/line-protocol/tags.js';
import { NDJSON_FIELDS } from '../../sinks/shared/ndjson-fields.js';

/** What NDJSON lines hold that the data dictionary does not describe: `pose: persons[].hat is text`. */
export function unknownFields(lines: readonly string[]): readonly string[] {
  const faults = lines.flatMap((line) => {
    const record = JSON.parse(line) as Data;
    const known = new Map(NDJSON_FIELDS[record.port as 'pose'].map(({ path, type }) => [path, type]));
    return [...pathsOf(record, '', known)].flatMap(([path, type]) => {
      const expected = known.get(path);
      const fits = expected === type || (expected === 'number' && type === 'integer');
      return fits ? [] : [`${record.port}: ${path} is ${type}, not ${expected ?? 'known'}`];
    });
  });
  return [...new Set(faults)];
}

/** Paths of the dictionary that no line holds. */
export function missingFields(lines: readonly string[]): readonly string[] {
  const found = new Set(
    lines.flatMap((line) => {
      const record = JSON.parse(line) as Data;
      const known = new Map(NDJSON_FIELDS[record.port as 'pose'].map(({ path, type }) => [path, type]));
      return [...pathsOf(record, '', known)].map(([path]) => `${record.port}: ${path}`);
    }),
  );
  return Object.entries(NDJSON_FIELDS)
    .flatMap(([port, fields]) => fields.map(({ path }) => `${port}: ${path}`))
    .filter((path) => !found.has(path));
}

/** Bare values by path; null is of any type. */
function* pathsOf(
  value: unknown,
  path: string,
  known: ReadonlyMap<string, string>,
): Generator<readonly [string, string]> {
  if (value === null) return;
  if (Array.isArray(value)) for (const item of value) yield* pathsOf(item, `${path}[]`, known);
  else if (typeof value === 'object' && known.get(path) !== 'object')
    for (const [name, part] of Object.entries(value))
      yield* pathsOf(part, path === '' ? name : `${path}.${name}`, known);
  else yield [path, typeOf(value)];
}

const typeOf = (value: unknown): string =>
  typeof value === 'string'
    ? 'text'
    : typeof value !== 'number'
      ? typeof value
      : Number.isInteger(value)
        ? 'integer'
        : 'number';

/** What points of records hold that the dictionary does not describe. */
export function unknownPoints(records: readonly Data[]): readonly string[] {
  const tags = new TagValues(
    new Set(records.map((record) => ('environment' in record ? record.environment : ''))),
  );
  const faults = records.flatMap((record) =>
    pointsOf(record, tags).flatMap(({ measurement, tags: given, fields }) => {
      const table = { pose: 'poses', event: 'events', measure: 'measures' }[record.port as 'pose'];
      const kind = POINT_KINDS.find(
        (one) => one.measurements.includes(measurement) && (one.table === table || record.port === 'pose'),
      );
      if (!kind) return [`${measurement} is not known`];
      const types = new Map([
        ...kind.fields.map((field) => [field.name, fieldType(field)] as const),
        ...kind.own.map(({ name, type }) => [name, type] as const),
      ]);
      return [
        ...Object.keys(given).flatMap((tag) =>
          kind.tags.includes(tag) ? [] : [`${measurement}: tag ${tag}`],
        ),
        ...Object.entries(fields).flatMap(([name, value]) =>
          types.get(name) === literalType(String(value))
            ? []
            : [`${measurement}: field ${name} is ${String(value)}`],
        ),
      ];
    }),
  );
  return [...new Set(faults)];
}

/** Tags and fields of points that the dictionary describes and no point holds: `pose: posture`. */
export function missingPoints(records: readonly Data[]): readonly string[] {
  const tags = new TagValues(
    new Set(records.map((record) => ('environment' in record ? record.environment : ''))),
  );
  const found = new Map<string, Set<string>>();
  for (const record of records)
    for (const { measurement, tags: given, fields } of pointsOf(record, tags)) {
      const about = record.port === 'measure' ? 'measures' : measurement;
      const names = found.get(about) ?? new Set();
      found.set(about, names);
      for (const name of [...Object.keys(given), ...Object.keys(fields)]) names.add(name);
    }
  return POINT_KINDS.flatMap(({ table, measurements, tags: described, fields, own }) => {
    const about = table === 'measures' ? table : measurements[0]!;
    return [...described, ...fields.map(({ name }) => name), ...own.map(({ name }) => name)]
      .filter((name) => !found.get(about)?.has(name))
      .map((name) => `${about}: ${name}`);
  });
}

function literalType(text: string): string {
  if (text.startsWith('"')) return 'string';
  if (text === 'true' || text === 'false') return 'boolean';
  return text.endsWith('i') ? 'integer' : 'float';
}

/** Measures of csiflow's own that no component says it writes, or about something else. */
export function unknownMeasures(records: readonly Data[], environment: Environment): readonly string[] {
  const links = new Set(environment.links.map(({ id }) => id));
  const kindOf = ({ subject }: Measure) =>
    subject === null
      ? 'environment'
      : links.has(subject)
        ? 'link'
        : /^\d+$/.test(subject)
          ? 'person'
          : 'zone';
  const known = new Set(
    writtenMeasures(components).flatMap(({ fact: { name, of } }) => of.map((about) => `${name} of ${about}`)),
  );
  const found = records.flatMap((record) =>
    record.port === 'measure' ? [`${record.name} of ${kindOf(record)}`] : [],
  );
  return [...new Set(found)].filter((measure) => !known.has(measure));
}
