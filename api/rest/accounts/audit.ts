import { Type, type Static } from 'typebox';
import type { AuditEntry } from '../../service/audit/audit-log.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import { PageFields, pagination } from '../../contract/pages.js';
import { readRange, Time } from '../requests/ranges.js';

const endpoint = endpointsWith<'audit'>();

const closed = { additionalProperties: false } as const;

const QuerySchema = Type.Object(
  {
    start_time: Type.Optional(Time),
    end_time: Type.Optional(Time),
    account: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Only successful actions.' }),
    ),
    outcome: Type.Optional(Type.Enum(['done', 'refused', 'failed'])),
    ...PageFields,
  },
  closed,
);

const Nullable = Type.Union([Type.String(), Type.Null()]);

export const AuditEntrySchema = Type.Object(
  {
    time: Time,
    account: Nullable,
    role: Nullable,
    address: Type.String(),
    request_id: Nullable,
    action: Type.String(),
    details: Type.Object({}),
    outcome: Type.Enum(['done', 'refused', 'failed']),
    status: Type.Integer(),
    code: Nullable,
    repeated: Type.Integer(),
  },
  closed,
);

interface Found {
  readonly entries: readonly AuditEntry[];
  readonly total: number;
  readonly asked: Static<typeof QuerySchema>;
}

/** Who did what in this deployment, oldest first. */
export const auditEndpoints = [
  endpoint<Static<typeof QuerySchema>, Found>({
    method: 'GET',
    path: '/audit',
    summary: 'Control actions with their callers and outcomes, including refused ones.',
    access: 'admin',
    limit: 'health',
    status: 200,
    async handle(asked, { deployment }) {
      const { start, end } = readRange(asked.start_time, asked.end_time);
      const query = {
        ...(start !== undefined && { start: isoTime(start) }),
        ...(end !== undefined && { end: isoTime(end) }),
        ...(asked.account !== undefined && { account: asked.account }),
        ...(asked.outcome !== undefined && { outcome: asked.outcome }),
      };
      const page = { offset: (asked.page - 1) * asked.per_page, limit: asked.per_page };
      return { asked, ...(await deployment.audit.read(query, page)) };
    },
    b: formView({
      query: QuerySchema,
      response: Type.Array(AuditEntrySchema),
      read: ({ query }) => query,
      render: ({ entries, total, asked }) => ({ data: entries, pagination: pagination(asked, total) }),
    }),
  }),
];
