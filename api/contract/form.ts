import type { Form } from '../service/form.js';

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
