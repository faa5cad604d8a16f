import type { Data, Failure, Measure, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { cloudAttributes, HTTP, inMode, type CloudEventsMode } from '../shared/cloud-event.js';
import { finiteJson } from '../shared/json.js';
import { resultBody } from '../shared/result-body.js';

/** A result as a message. */
export interface Outgoing {
  readonly record: Data;
  readonly subject: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** By which JetStream drops repeated messages: unique in the stream. */
  readonly id: string;
}

export interface MessageSettings {
  readonly subject: string;
  readonly cloudevents: CloudEventsMode;
  readonly topology: string;
  readonly node: string;
}

/** @returns a failure if it contains a number that JSON does not support */
export function toMessage(record: Data, settings: MessageSettings): Outgoing | Failure {
  if (record.port === 'csi' || record.port === 'window')
    return failure(record, 'nats.port', `${record.port} is not a result`);
  const { subject, cloudevents, topology, node } = settings;
  try {
    const result = resultBody(record);
    const attributes = () => cloudAttributes(record, record.port, result.id, topology);
    const { body, headers } = inMode(cloudevents, HTTP, attributes, finiteJson(result));
    const id = HTTP.write(`${topology}/${node}/${result.id}`);
    return { record, subject: [subject, ...tokensOf(record).map(token)].join('.'), body, headers, id };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return failure(record, 'nats.value.invalid', error.message);
  }
}

export const failure = (record: Data, code: string, reason: string, retriable = false): Failure => ({
  record,
  code,
  reason,
  retriable,
});

function tokensOf(record: PoseFrame | SensedEvent | Measure): readonly string[] {
  const { environment, port } = record;
  if (port === 'event') return [environment, port, record.type];
  return port === 'measure' ? [environment, port, record.name] : [environment, port];
}

/** One token of a subject: dots divide tokens, `*` and `>` are wildcards, and blanks end a subject. */
const token = (text: string): string =>
  text === '' ? '%' : HTTP.write(text).replaceAll(/[.*>]/g, (found) => TOKENS[found]!);

const TOKENS: Readonly<Record<string, string>> = { '.': '%2E', '*': '%2A', '>': '%3E' };
