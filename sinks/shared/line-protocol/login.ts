import { Type } from 'typebox';
import { hostComplaints, type Complaint } from '../../../pipeline/component/index.js';
import { urlFault } from '../../../pipeline/base/host.js';

/** Address of a server of the line protocol, and how to log in to it. */
interface Login {
  readonly url: string;
  readonly token: string | null;
  readonly username: string | null;
  readonly password: string | null;
}

/** A database of such a server. */
export interface Address extends Login {
  readonly database: string;
  readonly timeoutMs: number;
}

/** Checks that span several fields. */
export function loginComplaints({ url, username, password, token }: Login): readonly Complaint[] {
  return [
    ...hostComplaints(['url'], urlFault(url)),
    ...(token !== null && (username !== null || password !== null)
      ? [{ path: ['token'], message: 'set a token, or username and password, not both' }]
      : []),
    ...(password !== null && username === null
      ? [{ path: ['password'], message: 'a password needs a username' }]
      : []),
    ...(username?.includes(':')
      ? [{ path: ['username'], message: 'a name with a colon cannot be sent' }]
      : []),
  ];
}

/** Fields of the requests that write points. */
export const RequestFields = {
  batch_points: Type.Integer({
    minimum: 1,
    maximum: 50_000,
    default: 5_000,
    description: 'Points of one request, at most (a record is not divided).',
  }),
  timeout_ms: Type.Integer({
    minimum: 100,
    maximum: 50_000,
    default: 10_000,
    description: 'Time limit for an answer.',
  }),
};
