/** The two forms of the service interface: A answers bare payloads, B wraps them in an envelope. */
export type Form = 'a' | 'b';

/** What a form makes of a handler's result: Form B puts it in an envelope, lists with `pagination` beside them. */
export interface Body {
  readonly data: unknown;
  readonly pagination?: object;
  /** Beside those that all answers have. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Success body; `bare` payloads (health) carry no envelope in either form. */
export function successBody(
  form: Form,
  body: Body,
  bare: boolean,
  timestamp: string,
  requestId: string,
): unknown {
  if (form === 'a' || bare) return body.data;
  return {
    success: true,
    data: body.data,
    ...(body.pagination && { pagination: body.pagination }),
    timestamp,
    request_id: requestId,
  };
}

/** Microseconds since 1970 as the interface writes times: ISO 8601 with milliseconds, UTC. */
export const isoTime = (microseconds: number): string => new Date(microseconds / 1000).toISOString();

/** The other way round; NaN for what is no time. */
export const fromIsoTime = (text: string): number => Date.parse(text) * 1000;
