import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { nearest } from '../../pipeline/config/index.js';
import type { IdentityProviderOptions } from '../service/accounts/identity-provider.js';
import type { Form } from '../service/form.js';
import { DEFAULT_LIMITS, type LimitFigures } from '../service/limits/limits.js';
import { formPaths } from '../rest/serving/mounts.js';
import type { ServerOptions } from '../server.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { errorText } from '../../pipeline/base/error-text.js';

/**
 * Certificate and key for HTTPS; undefined if neither is set. @throws CommandError with the name of an
 * unusable file
 */
export function readTls(certificateFile?: string, keyFile?: string): ServerOptions['tls'] {
  if (certificateFile === undefined && keyFile === undefined) return undefined;
  if (certificateFile === undefined || keyFile === undefined)
    throw new CommandError('--tls-cert and --tls-key must be set together', EXIT.invalid);
  const tls = { certificate: read(certificateFile), key: read(keyFile) };
  try {
    createSecureContext({ cert: tls.certificate, key: tls.key });
  } catch (error) {
    throw new CommandError(
      `${certificateFile} and ${keyFile} are not a PEM certificate with its key: ${errorText(error)}`,
      EXIT.invalid,
    );
  }
  return tls;
}

/** Forms of single endpoints, given as `path=form`. @throws CommandError with the unknown endpoint or form */
export function readFormsOf(given: readonly string[]): ReadonlyMap<string, Form> {
  const paths = formPaths();
  const forms = new Map<string, Form>();
  for (const one of given) {
    const [path = '', form] = one.split('=');
    if (form !== 'a' && form !== 'b')
      throw new CommandError(`--form-of ${one}: write a path and a or b, as in /pose/latest=a`, EXIT.invalid);
    if (!paths.includes(path)) {
      const near = nearest(path, paths);
      const hint = near === undefined ? '' : `; did you mean ${near}?`;
      throw new CommandError(`--form-of ${one}: no endpoint has the path ${path}${hint}`, EXIT.invalid);
    }
    forms.set(path, form);
  }
  return forms;
}

const IdentityProviderSchema = Type.Object(
  {
    jwks: Type.String({ pattern: '^https?://' }),
    issuer: Type.String({ pattern: '^https?://' }),
    audience: Type.String({ minLength: 1 }),
    roleClaim: Type.String({ minLength: 1 }),
  },
  { additionalProperties: false },
);

/** @throws CommandError with the invalid field */
export function readIdentityProvider(file: string | undefined): IdentityProviderOptions | undefined {
  if (file === undefined) return undefined;
  const options = readAs(IdentityProviderSchema, file);
  for (const field of ['jwks', 'issuer'] as const)
    if (!URL.canParse(options[field]))
      throw new CommandError(`${file}: /${field} is not an address: ${options[field]}`, EXIT.invalid);
  return options;
}

const LimitSchema = Type.Object(
  {
    requests: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    seconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
  },
  { additionalProperties: false },
);

const LimitsSchema = Type.Partial(
  Type.Record(Type.Enum(Object.keys(DEFAULT_LIMITS) as (keyof typeof DEFAULT_LIMITS)[]), LimitSchema),
  { additionalProperties: false },
);

/** Omitted limits are those of the interface. @throws CommandError with the invalid field */
export function readLimits(file: string | undefined): LimitFigures | undefined {
  return file === undefined ? undefined : { ...DEFAULT_LIMITS, ...readAs(LimitsSchema, file) };
}

function readAs<T extends TSchema>(schema: T, file: string): Static<T> {
  const content = parse(file, read(file).toString());
  const [first] = Value.Errors(schema, content);
  if (first)
    throw new CommandError(`${file}: ${first.instancePath || 'the file'} ${first.message}`, EXIT.invalid);
  return content as Static<T>;
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${errorText(error)}`, EXIT.invalid);
  }
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${errorText(error)}`, EXIT.invalid);
  }
}
