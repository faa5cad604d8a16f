import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { mounts } from '../../api/rest/serving/mounts.js';
import { API_DOCUMENTS } from '../../api/rest/documents.js';

interface Answer {
  readonly $ref?: string;
  readonly content?: { readonly 'application/json'?: { readonly schema: object } };
}
interface Operation {
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Answer>> };
}

const documents = {
  a: API_DOCUMENTS['openapi-a']!() as unknown as Document,
  b: API_DOCUMENTS['openapi-b']!() as unknown as Document,
};

// test/api/openapi.test.ts checks the documents themselves. Each part of them compiles once, to a function of its own,
// and most check a few answers.
const ajv = new Ajv2020({
  ...{ strict: false, allErrors: true, validateSchema: false, inlineRefs: false },
  code: { optimize: false },
});
formats.default(ajv, ['date-time']);
for (const [form, { components }] of Object.entries(documents)) ajv.addSchema({ $id: form, components });
const validators = { a: new Map<object, ValidateFunction>(), b: new Map<object, ValidateFunction>() };

/**
 * Checks a response against the OpenAPI document of its form.
 * @param configured the form of `/api/v1`
 * @returns mismatches, empty if there are none; also for paths outside of the service interface
 */
export function complaints(
  method: string,
  path: string,
  response: { readonly status: number; readonly headers: Headers },
  body: unknown,
  configured: 'a' | 'b' = 'b',
): readonly string[] {
  const [pathname] = path.split('?') as [string];
  const mount = mounts(configured).find(({ base }) => pathname.startsWith(`${base}/`));
  if (!mount) return [];
  const where = `${method} ${pathname} ${response.status}`;
  const document = documents[mount.form];
  const operation = operationAt(document, method, pathname.slice(mount.base.length));
  const headers = headersMissing(response.headers, body).map((name) => `${where}: no ${name}`);
  const schema = operation ? schemaOf(document, operation, response.status) : ERROR;
  if (schema === undefined) return [...headers, `${where}: the document knows no such status`];
  if (schema === null) return headers;
  const validate = validatorOf(schema, mount.form);
  if (validate(body)) return headers;
  return [
    ...headers,
    `${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`,
  ];
}

/** Addresses of services whose responses are checked. */
const held = new Set<string>();
let fetchIsHeld = false;

/**
 * From now on every response of that service to `fetch`, at the mounts of the forms, is checked against its
 * document: a call with a mismatch rejects.
 */
export function holdAnswers(address: string): void {
  held.add(address);
  if (fetchIsHeld) return;
  fetchIsHeld = true;
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await plain(input, init);
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    const json = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
    if (!held.has(origin) || !pathname.startsWith('/form-') || (response.body && !json)) return response;
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    const body: unknown = json && method !== 'HEAD' ? await response.clone().json() : null;
    const wrong = complaints(method, pathname, response, body);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return response;
  };
}

/** The service has ended: another server may get its port. */
export function releaseAnswers(address: string): void {
  held.delete(address);
}

const ERROR = { $ref: '#/components/schemas/Error' };
/** The `X-RateLimit-*` headers, and the id that is also in the body. */
function headersMissing(headers: Headers, body: unknown): readonly string[] {
  const id = headers.get('X-Request-Id');
  const said = requestIdOf(body) ?? id;
  return [
    ...LIMIT_HEADERS.filter((name) => !/^\d+$/.test(headers.get(name) ?? '')),
    ...(id !== null && said === id ? [] : ['X-Request-Id']),
  ];
}

function requestIdOf(body: unknown): unknown {
  const { request_id, error } = (body ?? {}) as { request_id?: unknown; error?: { request_id?: unknown } };
  return request_id ?? error?.request_id;
}

const LIMIT_HEADERS = ['Limit', 'Remaining', 'Reset', 'Window'].map((name) => `X-RateLimit-${name}`);

/** Null for a status without a body, undefined for one that is not in the document. */
function schemaOf(
  { components }: Document,
  { responses }: Operation,
  status: number,
): object | null | undefined {
  const found = responses[String(status)];
  if (!found) return undefined;
  const { content } = found.$ref ? components.responses[found.$ref.split('/').at(-1)!]! : found;
  return content?.['application/json']?.schema ?? null;
}

function operationAt({ paths }: Document, method: string, path: string): Operation | undefined {
  const parts = path.split('/');
  const fits = (template: string): boolean => {
    const wanted = template.split('/');
    return (
      wanted.length === parts.length &&
      wanted.every((part, index) => part.startsWith('{') || part === parts[index])
    );
  };
  const exact = paths[path]?.[method.toLowerCase()];
  if (exact) return exact;
  const [, operations] = Object.entries(paths).find(
    ([template, found]) => fits(template) && method.toLowerCase() in found,
  ) ?? ['', undefined];
  return operations?.[method.toLowerCase()];
}

function validatorOf(schema: object, form: 'a' | 'b'): ValidateFunction {
  const known = validators[form].get(schema) ?? ajv.compile(withinDocument(schema, form));
  validators[form].set(schema, known);
  return known;
}

/** A schema of a document by itself: its references name the document. */
function withinDocument(schema: object, form: 'a' | 'b'): object {
  const text = JSON.stringify(schema).replaceAll('"#/components/', `"${form}#/components/`);
  return JSON.parse(text) as object;
}
