import type { Form } from '../service/form.js';

/** How a form turns a handler's result into a body: Form B puts it in an envelope, and lists beside `pagination`. */
export interface Body {
  readonly data: unknown;
  readonly pagination?: object;
  /** In addition to those of all answers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Success body; `bare` payloads (health) have no envelope in either form. */
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
