import { Type } from 'typebox';
import type { Change, Configuration } from '../../service/configuration/configuration.js';
import type { Field, Value } from '../../service/configuration/field.js';
import { FIELDS } from '../../service/configuration/fields.js';
import { RefusedError } from '../../service/configuration/refusals.js';
import type { Revision } from '../../service/configuration/stored.js';
import {
  schemaInUse,
  configurationBody,
  configurationSchemas,
  fieldsOf,
  partialSchemas,
  pathOf,
  shownAs,
} from '../../contract/configuration.js';
import { endpointsWith, formView, type Call } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import type { Form } from '../../service/form.js';
import { PageQuery, pageOf, pagination, type PageOf } from '../../contract/pages.js';
import { requireVersion, requireEffect, setFields } from './configuration-changes.js';

type Parts = 'configuration';

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;
const limited = { limit: 'configuration', status: 200 } as const;

const schemas = configurationSchemas(FIELDS);
const partial = partialSchemas(FIELDS);

const tagged = ({ tag }: Configuration) => ({ ETag: tag });
const bodyOf = (form: Form, configuration: Configuration) =>
  configurationBody(FIELDS, form, (field) => configuration.value(field));

const show = endpoint<null, Configuration>({
  method: 'GET',
  path: '/config',
  summary: 'The configuration, current or effective at the next start.',
  access: 'viewer',
  versioned: true,
  limit: 'health',
  status: 200,
  handle: async (_, { deployment }) => deployment.configuration,
  a: formView({
    response: schemas.a,
    read: () => null,
    render: (found) => ({ data: bodyOf('a', found), headers: tagged(found) }),
  }),
  b: formView({
    response: schemas.b,
    read: () => null,
    render: (found) => ({ data: bodyOf('b', found), headers: tagged(found) }),
  }),
});

interface Asked {
  readonly form: Form;
  readonly fields: ReadonlyMap<Field, Value>;
}

interface Changed extends Change {
  readonly configuration: Configuration;
}

const change = endpoint<Asked, Changed>({
  method: 'PUT',
  path: '/config',
  summary: 'Changes the given fields, all or none. With `If-Match`, only that version.',
  access: 'admin',
  versioned: true,
  ...limited,
  audit: ({ form, fields }) => ({ fields: [...fields.keys()].map((field) => pathOf(field, form)) }),
  handle: (asked, call) => Promise.resolve(changeConfiguration(asked, call)),
  a: formView({
    body: partial.a,
    response: Type.Object(
      {
        status: Type.Literal('updated'),
        changes_applied: Type.Array(Type.String()),
        restart_required: Type.Boolean(),
        validation_warnings: Type.Array(Type.String()),
      },
      closed,
    ),
    read: ({ body }) => ({ form: 'a' as const, fields: fieldsOf(FIELDS, 'a', body as object) }),
    render: ({ changed, requiresRestart, idle, configuration }) => ({
      data: {
        status: 'updated',
        changes_applied: changed.map((field) => pathOf(field, 'a')),
        restart_required: requiresRestart,
        validation_warnings: idle.map(
          ({ field, missing }) => `${pathOf(field, 'a')} was not changed: ${missing}`,
        ),
      },
      headers: tagged(configuration),
    }),
  }),
  b: formView({
    body: partial.b,
    response: Type.Object(
      {
        updated_fields: Type.Array(Type.String()),
        requires_restart: Type.Boolean(),
        applied_at: Type.String({ format: 'date-time' }),
        configuration: schemas.b,
      },
      closed,
    ),
    read: ({ body }) => ({ form: 'b' as const, fields: fieldsOf(FIELDS, 'b', body as object) }),
    render: ({ changed, requiresRestart, at, configuration }) => ({
      data: {
        updated_fields: changed.map((field) => pathOf(field, 'b')),
        requires_restart: requiresRestart,
        applied_at: isoTime(at),
        configuration: bodyOf('b', configuration),
      },
      headers: tagged(configuration),
    }),
  }),
});

/** @throws ApiError 412 if the version differs, 422 with each invalid field */
function changeConfiguration({ form, fields }: Asked, call: Call<Parts>): Changed {
  const { configuration } = call.deployment;
  requireVersion(call);
  // Form A has a place for warnings; in Form B nobody would learn that a field has no effect.
  if (form === 'b') requireEffect(configuration, fields, (field) => pathOf(field, 'b'));
  return { ...setFields(configuration, fields, call, (field) => pathOf(field, form)), configuration };
}

const schema = endpoint<Form, { readonly configuration: Configuration; readonly form: Form }>({
  method: 'GET',
  path: '/config/schema',
  summary: 'Allowed values of the configuration, when a change takes effect, and the values without changes.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async (form, { deployment: { configuration } }) => ({ configuration, form }),
  b: formView({
    query: Type.Object(
      {
        form: Type.Optional(
          Type.Enum(['a', 'b'], { default: 'b', description: 'The form whose fields are described.' }),
        ),
      },
      closed,
    ),
    response: Type.Object({ schema: Type.Object({}), defaults: Type.Union([schemas.b, schemas.a]) }, closed),
    read: ({ query }) => query.form ?? 'b',
    render: ({ configuration, form }) => ({
      data: {
        schema: schemaInUse(FIELDS, form, (field) => configuration.use(field)),
        defaults: configurationBody(FIELDS, form, (field) => configuration.fallback(field)),
      },
    }),
  }),
});

const ShownRevision = Type.Object(
  {
    revision: Type.Integer(),
    timestamp: Type.String({ format: 'date-time' }),
    account: Type.String(),
    action: Type.Enum(['change', 'undo']),
    undoes: Type.Union([Type.Integer(), Type.Null()]),
    undone_by: Type.Union([Type.Integer(), Type.Null()]),
    changes: Type.Array(
      Type.Object({ field: Type.String(), from: Type.Unknown(), to: Type.Unknown() }, closed),
    ),
  },
  closed,
);

const revisionBody = ({ revision, at, by, action, other, changes }: Revision) => ({
  revision,
  timestamp: at,
  account: by,
  action,
  undoes: action === 'undo' ? other : null,
  undone_by: action === 'change' ? other : null,
  changes: changes.flatMap(({ name, from, to }) => {
    const field = FIELDS.find((one) => one.name === name);
    if (!field) return [];
    return [{ field: pathOf(field, 'b'), from: shownAs(field, 'b', from), to: shownAs(field, 'b', to) }];
  }),
});

const history = endpoint<PageOf, { readonly all: readonly Revision[]; readonly asked: PageOf }>({
  method: 'GET',
  path: '/config/history',
  summary: 'The last hundred changes of the configuration, newest first: who, when, old and new values.',
  access: 'admin',
  limit: 'health',
  status: 200,
  handle: async (asked, { deployment }) => ({ all: deployment.configuration.history, asked }),
  b: formView({
    query: PageQuery,
    response: Type.Array(ShownRevision),
    read: ({ query }) => query,
    render: ({ all, asked }) => ({
      data: pageOf(all, asked).map(revisionBody),
      pagination: pagination(asked, all.length),
    }),
  }),
});

const undo = endpoint<null, Changed & { readonly revision: number }>({
  method: 'POST',
  path: '/config/undo',
  summary: 'Undoes the newest change of the configuration that was not undone yet.',
  access: 'admin',
  versioned: true,
  ...limited,
  audit: () => ({}),
  handle(_, call) {
    const { configuration } = call.deployment;
    requireVersion(call);
    try {
      const undone = configuration.undo(call.account?.name ?? 'nobody');
      if (!undone) throw new ApiError('RESOURCE_CONFLICT', 'There is no change to undo');
      return Promise.resolve({ ...undone, configuration });
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      throw new ApiError('RESOURCE_CONFLICT', `The change can no longer be undone: ${error.message}`);
    }
  },
  b: formView({
    response: Type.Object(
      {
        undone_revision: Type.Integer(),
        updated_fields: Type.Array(Type.String()),
        requires_restart: Type.Boolean(),
        applied_at: Type.String({ format: 'date-time' }),
        configuration: schemas.b,
      },
      closed,
    ),
    read: () => null,
    render: ({ revision, changed, requiresRestart, at, configuration }) => ({
      data: {
        undone_revision: revision,
        updated_fields: changed.map((field) => pathOf(field, 'b')),
        requires_restart: requiresRestart,
        applied_at: isoTime(at),
        configuration: bodyOf('b', configuration),
      },
      headers: tagged(configuration),
    }),
  }),
});

/** Reading and changing the configuration. */
export const configurationEndpoints = [show, change, schema, history, undo];
