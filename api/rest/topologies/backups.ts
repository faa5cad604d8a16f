import { Type } from 'typebox';
import { makeBackup, type Backup } from '../../service/backup/make-backup.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { topologyOf } from './topology-of.js';

const endpoint = endpointsWith<'topologies'>();

/** Topologies with a backup in progress: two at a time would only slow each other down. */
const underWay = new Set<string>();

/** The destination is fixed, so that callers cannot write files elsewhere. */
export const backupEndpoints = [
  endpoint<string, Backup>({
    method: 'POST',
    path: '/topologies/:id/backups',
    summary: 'Copies everything that a topology stores to a new folder below `backups` in its state folder.',
    access: 'admin',
    limit: 'configuration',
    status: 201,
    async handle(id, { deployment }) {
      const running = topologyOf(deployment, id);
      if (underWay.has(id))
        throw new ApiError('RESOURCE_CONFLICT', `A backup of ${id} is already in progress`);
      underWay.add(id);
      try {
        return await makeBackup(running);
      } finally {
        underWay.delete(id);
      }
    },
    b: formView({
      path: Type.Object({ id: Type.String() }),
      response: Type.Object(
        {
          folder: Type.String(),
          created_at: Type.String({ format: 'date-time' }),
          files: Type.Integer(),
          bytes: Type.Integer(),
        },
        { additionalProperties: false },
      ),
      read: ({ path }) => path.id,
      render: (backup) => ({ data: backup }),
    }),
  }),
];
