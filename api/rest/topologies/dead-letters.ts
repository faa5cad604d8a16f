import { Type } from 'typebox';
import type {
  LetterDesk,
  LetterSelection,
  ReplayResult,
} from '../../../pipeline/runtime/dead-letters/letter-desk.js';
import type { DeadLetter } from '../../../pipeline/state/index.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import {
  letterBody,
  LetterSchema,
  ReplaySchema,
  wholeLetterBody,
  WholeLetterSchema,
} from '../../contract/letters.js';
import { PageFields, pagination } from '../../contract/pages.js';
import { shownLetter } from '../../service/deployment/anonymous.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import { topologyOf } from './topology-of.js';

type Parts = 'topologies';

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;
const PathSchema = Type.Object({ id: Type.String() });
const LetterPathSchema = Type.Object({
  id: Type.String(),
  letter: Type.String({ pattern: '^[0-9]{1,15}$', description: 'Id of a dead letter.' }),
});
const IdsField = Type.String({
  pattern: '^[0-9]{1,15}(,[0-9]{1,15}){0,499}$',
  description: 'Only these, at most 500: `17,18`.',
});
const NodeField = Type.String({ description: 'Only those of this node.' });

interface Listing {
  readonly id: string;
  readonly query: { readonly page: number; readonly per_page: number; readonly node?: string };
}

interface OneLetter {
  readonly id: string;
  readonly letter: number;
}

interface Selected {
  readonly id: string;
  readonly selection: LetterSelection;
}

const list = endpoint<Listing, Listing & { letters: readonly DeadLetter[]; total: number }>({
  method: 'GET',
  path: '/topologies/:id/dead-letters',
  summary: 'Records that nodes rejected, with the reasons, oldest first.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async ({ id, query }, { deployment }) => {
    const { node, page, per_page: limit } = query;
    const wanted = { limit, offset: (page - 1) * limit, ...(node !== undefined && { node }) };
    return { id, query, ...(await at(deployment, id, (desk) => desk.list(wanted))) };
  },
  b: formView({
    path: PathSchema,
    query: Type.Object({ node: Type.Optional(NodeField), ...PageFields }, closed),
    response: Type.Array(LetterSchema),
    read: ({ path, query }) => ({ id: path.id, query }),
    render: ({ letters, total, query }) => ({
      data: letters.map(letterBody),
      pagination: pagination(query, total),
    }),
  }),
});

const show = endpoint<OneLetter, DeadLetter>({
  method: 'GET',
  path: '/topologies/:id/dead-letters/:letter',
  summary: 'A dead letter with its record.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async ({ id, letter }, { deployment }) => {
    const found = await at(deployment, id, (desk) => desk.show(letter));
    if (found) return shownLetter(topologyOf(deployment, id).topology, found);
    throw new ApiError('RESOURCE_NOT_FOUND', `The topology ${id} has no dead letter ${letter}`);
  },
  b: formView({
    path: LetterPathSchema,
    response: WholeLetterSchema,
    read: ({ path }) => ({ id: path.id, letter: Number(path.letter) }),
    render: (letter) => ({ data: wholeLetterBody(letter) }),
  }),
});

const replay = endpoint<Selected, ReplayResult>({
  method: 'POST',
  path: '/topologies/:id/dead-letters/replay',
  summary: 'Replays records to their nodes: those with these ids, otherwise those of a node, otherwise all.',
  access: 'operator',
  limit: 'configuration',
  status: 200,
  audit: ({ selection }) => ({ ...selection }),
  handle: async ({ id, selection }, { deployment }) => at(deployment, id, (desk) => desk.replay(selection)),
  b: formView({
    path: PathSchema,
    body: Type.Object(
      {
        ids: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 9_000 })),
        node: Type.Optional(NodeField),
      },
      closed,
    ),
    response: ReplaySchema,
    read: ({ path, body }) => ({ id: path.id, selection: body }),
    render: ({ replayed, refused }) => ({ data: { replayed, refused } }),
  }),
});

const dropOne = endpoint<OneLetter, null>({
  method: 'DELETE',
  path: '/topologies/:id/dead-letters/:letter',
  summary: 'Deletes a dead letter.',
  access: 'operator',
  limit: 'configuration',
  status: 204,
  handle: async ({ id, letter }, { deployment }) => {
    if ((await at(deployment, id, (desk) => desk.drop({ ids: [letter] }))) === 0)
      throw new ApiError('RESOURCE_NOT_FOUND', `The topology ${id} has no dead letter ${letter}`);
    return null;
  },
  b: formView({
    path: LetterPathSchema,
    response: Type.Null(),
    read: ({ path }) => ({ id: path.id, letter: Number(path.letter) }),
    render: () => ({ data: null }),
  }),
});

const dropAll = endpoint<Selected, number>({
  method: 'DELETE',
  path: '/topologies/:id/dead-letters',
  summary: 'Deletes dead letters: those with these ids, otherwise those of a node, otherwise all.',
  access: 'operator',
  limit: 'configuration',
  status: 200,
  audit: ({ selection }) => ({ ...selection }),
  handle: async ({ id, selection }, { deployment }) => at(deployment, id, (desk) => desk.drop(selection)),
  b: formView({
    path: PathSchema,
    query: Type.Object({ ids: Type.Optional(IdsField), node: Type.Optional(NodeField) }, closed),
    response: Type.Object({ dropped: Type.Integer() }, closed),
    read: ({ path, query: { ids, ...query } }) => ({
      id: path.id,
      selection: { ...query, ...(ids !== undefined && { ids: ids.split(',').map(Number) }) },
    }),
    render: (dropped) => ({ data: { dropped } }),
  }),
});

export const deadLetterEndpoints = [list, show, replay, dropOne, dropAll];

/** @throws ApiError 503 while the topology starts or recovers: its state cannot be read then. */
async function at<T>(
  deployment: Pick<Deployment, Parts>,
  id: string,
  ask: (desk: LetterDesk) => Promise<T>,
): Promise<T> {
  const running = topologyOf(deployment, id);
  try {
    return await ask(running.letters);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'state.locked')) throw error;
    throw new ApiError(
      'SYSTEM_NOT_READY',
      `The topology ${id} is ${running.status().state}: try again soon`,
      {
        headers: { 'Retry-After': '2' },
      },
    );
  }
}
