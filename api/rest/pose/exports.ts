import { Type } from 'typebox';
import type { TableSelection } from '../../../pipeline/component/index.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { makeExport, ownerOf, storeFiles, type Export } from '../../service/backup/make-export.js';
import { ApiError } from '../../service/errors.js';

const endpoint = endpointsWith<'topologies'>();

const TABLES = ['poses', 'persons', 'events', 'measures', 'tracks', 'keypoints'];

interface Wanted extends TableSelection {
  readonly store: string;
}

const Time = Type.String({ format: 'date-time' });
const micros = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text) * 1000;

export const exportEndpoints = [
  endpoint<Wanted, Export>({
    method: 'POST',
    path: '/exports',
    summary:
      'Exports a table of a file store on this machine to a new file in `backups` of the state folder, for other programs.',
    access: 'admin',
    limit: 'configuration',
    status: 201,
    audit: ({ store, table, format }) => ({ store, table, format }),
    async handle({ store, ...selection }, { deployment }) {
      const topologies = deployment.topologies.list();
      const owner = ownerOf(store, topologies);
      if (owner) return makeExport(owner.running, owner.node, selection);
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
        },
        { additionalProperties: false },
      ),
      response: Type.Object({ file: Type.String(), rows: Type.Integer() }, { additionalProperties: false }),
      read: ({ body: { start, end, ...body } }) => ({ ...body, start: micros(start), end: micros(end) }),
      render: (made) => ({ data: made }),
    }),
  }),
];
