import { Type } from 'typebox';
import { endpointsWith, formView, type Call } from '../../contract/endpoint.js';
import { PlanSchema } from '../../contract/topologies.js';
import {
  applyEnvironment,
  environmentFile,
  environmentIn,
  planEnvironment,
  type EnvironmentFile,
  type EnvironmentPlan,
  type EnvironmentText,
} from '../../service/deployment/environment-files.js';
import type { Sensing } from '../../service/deployment/environments.js';
import type { Coverage } from '../../../pipeline/sources/simulator/coverage.js';
import { simulatedCoverage } from '../../service/queries/coverage.js';
import { applyRefused, orRefused } from './topology-changes.js';

const endpoint = endpointsWith<Sensing>();

const closed = { additionalProperties: false } as const;
const PathSchema = Type.Object({ environment_id: Type.String() });
/** The longest text, with line breaks that JSON writes as two characters and letters of three bytes. */
const largest = { bytes: 4 * 2 ** 20 };

const Hash = (description: string) => Type.String({ minLength: 1, maxLength: 128, description });
const written = {
  text: Type.String({ minLength: 1, maxLength: 1 << 20, description: "The file's new YAML." }),
  file_hash: Hash('`hash` of the file that the text was made from; rejected if the file has changed since.'),
};

const FileSchema = Type.Object(
  {
    environment_id: Type.String(),
    topology: Type.String(),
    file: Type.String({ description: "Relative to the topology's folder." }),
    text: Type.String({ description: 'Its YAML.' }),
    hash: Type.String(),
  },
  closed,
);

const fileBody = ({ environment, running, name, text, hash }: EnvironmentFile) => ({
  environment_id: environment.id,
  topology: running.topology.id,
  file: name,
  text,
  hash,
});

const show = endpoint<string, EnvironmentFile>({
  method: 'GET',
  path: '/environments/:environment_id/file',
  summary: 'The YAML file of an environment, with the hash that a change of it names.',
  access: 'operator',
  limit: 'health',
  status: 200,
  handle: (id, { deployment }) => environmentFile(deployment, id),
  b: formView({
    path: PathSchema,
    response: FileSchema,
    read: ({ path }) => path.environment_id,
    render: (file) => ({ data: fileBody(file) }),
  }),
});

const plan = endpoint<EnvironmentText, EnvironmentPlan>({
  method: 'POST',
  path: '/environments/:environment_id/plan',
  summary: "Checks a new text of an environment's file, and shows what it would change.",
  access: 'operator',
  limit: 'analytics',
  largest,
  status: 200,
  audit: ({ base }) => ({ file_hash: base }),
  handle: (change, { deployment }) => orRefused(() => planEnvironment(deployment, change)),
  b: formView({
    path: PathSchema,
    body: Type.Object(written, closed),
    response: Type.Object(
      {
        ...PlanSchema.properties,
        environment: Type.Array(
          Type.Object(
            {
              part: Type.String({ description: '`size`, `links/ID`, `walls/INDEX`, `zones/ID`.' }),
              change: Type.Enum(['added', 'removed', 'changed']),
              fields: Type.Array(Type.String()),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
    read: ({ path, body }) => ({ id: path.environment_id, text: body.text, base: body.file_hash }),
    render: (result) => ({ data: result }),
  }),
});

interface Application extends EnvironmentText {
  readonly planned: string;
}

const apply = endpoint<Application, EnvironmentFile>({
  method: 'POST',
  path: '/environments/:environment_id/apply',
  summary: "Saves a planned text in an environment's file; its topology continues with it from a checkpoint.",
  access: 'operator',
  limit: 'configuration',
  largest,
  status: 200,
  audit: ({ base, planned }) => ({ file_hash: base, hash: planned }),
  handle: save,
  b: formView({
    path: PathSchema,
    body: Type.Object({ ...written, hash: Hash('`hash` of the plan.') }, closed),
    response: FileSchema,
    read: ({ path, body }) => ({
      id: path.environment_id,
      text: body.text,
      base: body.file_hash,
      planned: body.hash,
    }),
    render: (file) => ({ data: fileBody(file) }),
  }),
});

const cells = (description: string) =>
  Type.Array(Type.Number(), { description: `${description}, by row from y = 0 and by column from x = 0.` });

const coverage = endpoint<Omit<EnvironmentText, 'base'>, Coverage>({
  method: 'POST',
  path: '/environments/:environment_id/coverage',
  summary: 'What the links of a text can tell about a person on each part of the floor, as simulated.',
  access: 'operator',
  limit: 'analytics',
  largest,
  status: 200,
  audit: () => ({}),
  handle: async ({ id, text }, { deployment, signal }) =>
    simulatedCoverage(await orRefused(() => environmentIn(deployment, id, text)), signal),
  b: formView({
    path: PathSchema,
    body: Type.Object({ text: written.text }, closed),
    response: Type.Object(
      {
        columns: Type.Integer(),
        rows: Type.Integer(),
        links: cells('Mean number of links that a standing person changes by 1 dB or more'),
        error_m: cells('Expected error of the position, metres'),
      },
      closed,
    ),
    read: ({ path, body }) => ({ id: path.environment_id, text: body.text }),
    render: ({ columns, rows, links, error }) => ({ data: { columns, rows, links, error_m: error } }),
  }),
});

/** Environments as files, to be edited. */
export const environmentEndpoints = [show, plan, apply, coverage];

async function save(
  { planned, ...change }: Application,
  { deployment }: Call<Sensing>,
): Promise<EnvironmentFile> {
  try {
    return await applyEnvironment(deployment, change, planned);
  } catch (error) {
    throw applyRefused(error);
  } finally {
    deployment.configuration.renew();
  }
}
