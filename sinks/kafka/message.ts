import type { Data, Failure } from '../../pipeline/model/index.js';
import { cloudAttributes, inMode, KAFKA, type CloudEventsMode } from '../shared/cloud-event.js';
import { finiteJson } from '../shared/json.js';
import { resultBody } from '../shared/result-body.js';

/** A result as a message. */
export interface Outgoing {
  readonly port: 'pose' | 'event' | 'measure';
  readonly key: string;
  readonly value: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
}

/** @returns a failure if it contains a number that JSON does not support */
export function toMessage(record: Data, mode: CloudEventsMode, topology: string): Outgoing | Failure {
  if (record.port === 'csi' || record.port === 'window')
    return failure(record, 'kafka.port', `${record.port} is not a result`);
  try {
    const result = resultBody(record);
    const attributes = () => cloudAttributes(record, record.port, result.id, topology);
    const { body: value, headers } = inMode(mode, KAFKA, attributes, finiteJson(result));
    return {
      port: record.port,
      key: record.environment,
      value,
      ...(mode !== 'none' && { headers }),
      timestamp: Math.floor(record.time / 1000),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return failure(record, 'kafka.value.invalid', error.message);
  }
}

export const failure = (record: Data, code: string, reason: string): Failure => ({
  record,
  code,
  reason,
  retriable: false,
});
