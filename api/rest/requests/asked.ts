import { Type } from 'typebox';
import type { Reader } from '../../../pipeline/component/index.js';
import type { Environment } from '../../../pipeline/model/index.js';
import type { Range } from '../../service/queries/analytics/periods.js';
import type { Call } from '../../contract/endpoint.js';
import {
  environmentOf,
  readerOf,
  type Sensing,
  type ServedEnvironment,
} from '../../service/deployment/environments.js';
import { readRange, Time } from './ranges.js';

/** Parameters of calls about a range of time. */
export const RangeParameters = {
  start_time: Time,
  end_time: Time,
  environment_id: Type.Optional(Type.String()),
} as const;

/** The same as sent. */
export interface RangeQuery {
  readonly start_time: string;
  readonly end_time: string;
  readonly environment_id?: string;
}

/** Environment, store and range of such a call. */
export interface Asked {
  readonly environment: Environment;
  readonly running: ServedEnvironment['running'];
  readonly reader: Reader;
  readonly range: Range;
}

/** @throws ApiError if there is no such environment, or the range is invalid */
export async function askedOf(query: RangeQuery, call: Call<Sensing>): Promise<Asked> {
  const { environment, running } = environmentOf(call.deployment, query.environment_id);
  const range = readRange(query.start_time, query.end_time) as Range;
  return { environment, running, range, reader: await readerOf(running, call) };
}
