import type { Form } from '../service/form.js';

/** How a form turns a handler's result into a body: Form B puts it in an envelope, and lists beside `pagination`. */
export interface Body {
  readonly data: unknown;
  readonly pagination?: object;
  /** In addition to those of all answers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** `data` that is JSON already: several answers share it. */
export class JsonText {
  readonly text: string;

  /** @param value that JSON can express */
  constructor(value: object) {
    this.text = JSON.stringify(value);
  }
}

/**
 * JSON of a success body; `bare` payloads (health) have no envelope in either form. Written once: Koa would
 * write a body that is an object twice, the first time to measure it.
 */
export function successText(
  form: Form,
  { data, pagination }: Body,
  bare: boolean,
  timestamp: string,
  requestId: string,
): string {
  const payload = data instanceof JsonText ? data.text : JSON.stringify(data);
  if (form === 'a' || bare) return payload;
  const pages = pagination ? `"pagination":${JSON.stringify(pagination)},` : '';
  const rest = `"timestamp":"${timestamp}","request_id":${JSON.stringify(requestId)}`;
  return `{"success":true,"data":${payload},${pages}${rest}}`;
}
