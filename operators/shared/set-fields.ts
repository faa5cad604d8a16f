import { Type } from 'typebox';
import { nearest } from '../../pipeline/base/nearest.js';
import type { Complaint } from '../../pipeline/component/index.js';
import {
  RESULT_PORTS,
  SEVERITIES,
  type Measure,
  type SensedEvent,
  type Severity,
} from '../../pipeline/model/index.js';
import {
  compileExpression,
  expressionComplaints,
  MAX_EXPRESSION,
  portsRead,
  type Beside,
  type Expression,
  type Scope,
  type Value,
  type Wanted,
} from './expression.js';
import type { Result } from './record-series.js';
import { fieldsInMarkdown } from './record-views.js';

/** Fields that an expression can set, and the required type. */
const FIELDS = {
  event: { severity: 'text', confidence: 'number' },
  measure: { name: 'text', subject: 'text', value: 'number' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Wanted>>>>;

const METADATA = /^metadata\.[a-z][a-z0-9_]{0,63}$/;

/** Text of an expression. Editors show the fields of records too. */
export const expressionField = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_EXPRESSION,
    description,
    markdownDescription: `${description} It reads one kind of record:\n\n${fieldsInMarkdown(RESULT_PORTS)}`,
  });

export const SetField = Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: MAX_EXPRESSION }), {
  minProperties: 1,
  maxProperties: 32,
  description:
    'Fields and the expressions for their values. Of events: `severity`, `confidence`, `metadata.NAME`; of measures: `name`, `subject`, `value`.',
});

export type SetFields = Readonly<Record<string, string>>;

/** Faults in `set`. @param port of the records; null: derived from the fields */
export function setComplaints(set: SetFields, scope: Scope = {}): readonly Complaint[] {
  const names = Object.keys(set);
  const unknown = names.filter((name) => wantedOf(name) === undefined);
  if (unknown.length > 0)
    return unknown.map((name) => ({
      path: ['set', name],
      message: `\`${name}\` cannot be set; fields that can be set are \`severity\`, \`confidence\` and \`metadata.NAME\` of events (NAME: small letters, digits, \`_\`), and \`name\`, \`subject\` and \`value\` of measures`,
    }));
  const ports = new Set(names.map(portOfField));
  if (ports.size > 1)
    return [
      {
        path: ['set'],
        message: 'these are fields of events and of measures: a node can set only those of one kind',
      },
    ];
  const wrong = expressionComplaints(
    names.map((name) => [['set', name], set[name], wantedOf(name)!] as const),
    scope,
  );
  if (wrong.length > 0) return wrong;
  const [port] = [...ports];
  return names.flatMap((name) => {
    const read = portsRead([set[name]], scope).find((other) => other !== port);
    const path = ['set', name];
    if (read !== undefined) return [{ path, message: `reads \`${read}\`, but is a field of \`${port}\`` }];
    return name === 'severity' ? severityComplaints(path, set[name]!) : [];
  });
}

/** A literal severity must exist. */
function severityComplaints(path: Complaint['path'], text: string): readonly Complaint[] {
  const found = /^\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*$/.exec(text);
  const written: string | undefined = found?.[1] ?? found?.[2];
  if (written === undefined || SEVERITIES.some((severity) => severity === written)) return [];
  const suggestion = nearest(written, SEVERITIES);
  return [{ path, message: noSeverity(written), ...(suggestion !== undefined && { suggestion }) }];
}

const noSeverity = (text: string): string =>
  `unknown severity \`${text}\`; use one of ${SEVERITIES.join(', ')}`;

const portOfField = (name: string): 'event' | 'measure' => (name in FIELDS.measure ? 'measure' : 'event');

function wantedOf(name: string): Wanted | undefined {
  if (METADATA.test(name)) return 'scalar';
  const known: Readonly<Record<string, Wanted>> = { ...FIELDS.event, ...FIELDS.measure };
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

/** The port of the records whose fields are set. */
export const portOfSet = (set: SetFields): 'event' | 'measure' => portOfField(Object.keys(set)[0]!);

/** Sets fields of records. */
export class FieldSetter {
  readonly port: 'event' | 'measure';
  readonly #fields: readonly (readonly [name: string, expression: Expression])[];

  constructor(set: SetFields, scope: Scope = {}) {
    this.port = portOfSet(set);
    this.#fields = Object.entries(set).map(([name, text]) => [
      name,
      compileExpression(text, wantedOf(name)!, scope),
    ]);
  }

  /** A copy of the record, which must be of {@link port}, with the new fields. @throws Error if an expression fails */
  apply(record: Result, beside?: Beside): SensedEvent | Measure {
    if (record.port === 'pose') throw new Error('poses have no fields that can be set');
    const values = this.#fields.map(([name, expression]): readonly [string, Value] => [
      name,
      expression.evaluate(record, beside),
    ]);
    return record.port === 'event' ? withEventFields(record, values) : { ...record, ...fromEntries(values) };
  }
}

type Values = readonly (readonly [name: string, value: Value])[];

const fromEntries = (values: Values): object => Object.fromEntries(values);

function withEventFields(event: SensedEvent, values: Values): SensedEvent {
  const metadata = { ...event.metadata } as Record<string, number | string | boolean>;
  let { severity, confidence } = event;
  for (const [name, value] of values) {
    if (name === 'severity') severity = severityOf(value);
    else if (name === 'confidence') confidence = Math.min(1, Math.max(0, value as number));
    else metadata[name.slice('metadata.'.length)] = value as number | string | boolean;
  }
  return { ...event, severity, confidence, metadata };
}

function severityOf(value: Value): Severity {
  const found = SEVERITIES.find((severity) => severity === value);
  if (!found) throw new Error(noSeverity(String(value)));
  return found;
}
