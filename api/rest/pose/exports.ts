import { Type } from 'typebox';
import type { TableSelection } from '../../../pipeline/component/index.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import {
  makeExport,
  makeExportByDay,
  ownerOf,
  storeFiles,
  type Export,
} from '../../service/backup/make-export.js';
import { ApiError } from '../../service/errors.js';

const endpoint = endpointsWith<'topologies'>();

const TABLES = ['poses', 'persons', 'events', 'measures', 'tracks', 'keypoints'];

interface Wanted extends TableSelection {
  readonly store: string;
  readonly by: 'day' | undefined;
}

const Time = Type.String({ format: 'date-time' });
const micros = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text) * 1000;

export const exportEndpoints = [
  endpoint<Wanted, readonly Export[]>({
    method: 'POST',
    path: '/exports',
    summary:
      'Exports a table of a file store on this machine to new files in `backups` of the state folder, for other programs: one, or one for each day (UTC).',
    access: 'admin',
    limit: 'configuration',
    status: 201,
    audit: ({ store, table, format }) => ({ store, table, format }),
    async handle({ store, by, ...selection }, { deployment }) {
      const topologies = deployment.topologies.list();
      const owner = ownerOf(store, topologies);
      if (owner)
        return by === 'day' ? makeExportByDay(owner, selection) : [await makeExport(owner, selection)];
      const known = topologies.flatMap(({ topology }) => [...storeFiles(topology).values()]);
      const own = known.length > 0 ? `its stores are ${known.join(', ')}` : 'it has none';
      throw new ApiError('RESOURCE_NOT_FOUND', `This csiflow has no store ${store}: ${own}`);
    },
    b: formView({
      body: Type.Object(
        {
          store: Type.String({
            minLength: 1,
            maxLength: 4096,
            description: 'Absolute path of the file, as this csiflow sees it.',
          }),
          table: Type.Enum(TABLES),
          format: Type.Enum(['parquet', 'csv', 'ndjson'] as const),
          start: Type.Optional(Time),
          end: Type.Optional(Time),
          by: Type.Optional(
            Type.Enum(['day'] as const, { description: 'A file for each day that has rows.' }),
          ),
        },
        { additionalProperties: false },
      ),
      response: Type.Object(
        {
          file: Type.Optional(Type.String({ description: 'The only file; omitted by day.' })),
          rows: Type.Integer({ description: 'Rows of all files together.' }),
          files: Type.Array(
            Type.Object(
              {
                day: Type.Optional(Type.String({ description: '`2026-11-23`; by day only.' })),
                file: Type.String(),
                rows: Type.Integer(),
              },
              { additionalProperties: false },
            ),
          ),
        },
        { additionalProperties: false },
      ),
      read: ({ body: { start, end, by, ...body } }) => ({
        ...body,
        by,
        start: micros(start),
        end: micros(end),
      }),
      render: (files) => {
        const [only] = files;
        const rows = files.reduce((sum, file) => sum + file.rows, 0);
        return { data: { ...(only && only.day === undefined && { file: only.file }), rows, files } };
      },
    }),
  }),
];
