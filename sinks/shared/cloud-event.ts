import { exactIsoTime } from '../../pipeline/base/iso-time.js';
import { choice } from '../../pipeline/component/index.js';
import type { Measure, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { finiteJson } from './json.js';

export type CloudEventsMode = 'none' | 'binary' | 'structured';

/** The field `cloudevents` of sinks that can send CloudEvents. */
export const cloudeventsField = choice<CloudEventsMode>(
  {
    none: 'No CloudEvents.',
    binary: 'The body stays as it is; headers describe it.',
    structured: 'The body is a JSON object that describes the result, which is its `data`.',
  },
  { default: 'none', description: 'Whether messages are CloudEvents 1.0, and where their attributes are.' },
);

/** Attributes of CloudEvents 1.0, in the order of the specification. Absent ones are unknown. */
export interface CloudAttributes {
  readonly specversion: '1.0';
  /** With `source`, unique, and the same at each retry. */
  readonly id: string;
  /** A URI reference: the topology. */
  readonly source: string;
  readonly type: string;
  readonly datacontenttype: 'application/json';
  /** The environment, and what the result is about in it. */
  readonly subject: string;
  readonly time: string;
}

/** Where attributes go: a prefix, and how a value is written. */
export interface Binding {
  readonly prefix: string;
  readonly write: (value: string) => string;
}

/** HTTP protocol binding 1.0.2, 3.1.3: all but visible ASCII, and `"` and `%`, is percent-encoded UTF-8. */
export const HTTP: Binding = {
  prefix: 'ce-',
  write: (value) =>
    value.replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, (character) =>
      [...Buffer.from(character)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join(''),
    ),
};

/** Kafka protocol binding 1.0.2, 3.2.4: UTF-8. */
export const KAFKA: Binding = { prefix: 'ce_', write: (value) => value };

/** @param id of the body that is sent, which readers already identify a result by */
export function cloudAttributes(
  record: PoseFrame | SensedEvent | Measure,
  kind: 'alert' | 'event' | 'measure' | 'pose',
  id: string,
  topology: string,
): CloudAttributes {
  return {
    specversion: '1.0',
    id: valid(id),
    source: `/topologies/${encodeURIComponent(topology)}`,
    type: valid(['csiflow', kind, ...detail(record)].join('.')),
    datacontenttype: 'application/json',
    subject: valid([record.environment, ...about(record)].join('/')),
    time: exactIsoTime(record.time),
  };
}

/** The body of a message and the headers that its mode adds. */
export function inMode(
  mode: CloudEventsMode,
  binding: Binding,
  attributes: () => CloudAttributes,
  body: string,
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  if (mode === 'none') return { body, headers: {} };
  if (mode === 'structured') {
    const envelope = finiteJson(attributes());
    return {
      body: `${envelope.slice(0, -1)},"data":${body}}`,
      headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
    };
  }
  // The content type is the transport's own header, not an attribute.
  const { datacontenttype, ...rest } = attributes();
  const headers = Object.entries(rest).map(([name, value]) => [
    `${binding.prefix}${name}`,
    binding.write(value),
  ]);
  return {
    body,
    headers: { 'content-type': datacontenttype, ...(Object.fromEntries(headers) as Record<string, string>) },
  };
}

/** Strings of CloudEvents have no control characters, surrogates and noncharacters; a sender's name may. */
const valid = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, '\ufffd');

function detail(record: PoseFrame | SensedEvent | Measure): readonly string[] {
  if (record.port === 'event') return [record.type];
  return record.port === 'measure' ? [record.name] : [];
}

function about(record: PoseFrame | SensedEvent | Measure): readonly string[] {
  if (record.port === 'event') return record.person === null ? [] : [`person-${record.person}`];
  return record.port === 'measure' && record.subject !== null ? [record.subject] : [];
}
