import { Type, type Static } from 'typebox';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import {
  linkStates,
  unknownSenders,
  type LinkState,
  type UnknownSender,
} from '../../service/queries/link-states.js';
import { Time } from '../requests/ranges.js';
import { topologyOf } from './topology-of.js';

const endpoint = endpointsWith<'topologies'>();

const closed = { additionalProperties: false } as const;

const figure = (description: string) =>
  Type.Union([Type.Number(), Type.Null()], { description: `${description}; null if unknown.` });

const LinkSchema = Type.Object(
  {
    id: Type.String(),
    environment_id: Type.String(),
    sender: Type.String({ description: 'As the environment file names it.' }),
    frames_per_second: figure('Frames in the newest whole second; 0 after five silent seconds'),
    loss: figure("Share of the sender's frames that did not arrive, 0 to 1"),
    rssi_dbm: figure('Mean of the newest whole second'),
    noise_dbm: figure('Mean of the newest whole second'),
    snr_db: figure('Signal-to-noise ratio in the newest window'),
    last_frame: Type.Union([Time, Type.Null()]),
    counts: Type.Boolean({ description: 'Whether results are made with it.' }),
    reason: Type.Union([Type.String(), Type.Null()], {
      description: 'Why it does not count, and what to look at.',
    }),
  },
  closed,
);

const UnknownSenderSchema = Type.Object(
  {
    node: Type.String({ description: 'The source that heard it.' }),
    sender: Type.String(),
    frames: Type.Integer(),
    last_frame: Type.String(),
    line: Type.String({ description: 'What a link of the environment file must say to take its frames.' }),
  },
  closed,
);

const LinksSchema = Type.Object(
  { links: Type.Array(LinkSchema), unknown_senders: Type.Array(UnknownSenderSchema) },
  closed,
);
/** The answer of the endpoint. */
export type LinksBody = Static<typeof LinksSchema>;

interface Links {
  readonly links: readonly LinkState[];
  readonly strangers: readonly UnknownSender[];
}

const list = endpoint<string, Links>({
  method: 'GET',
  path: '/topologies/:id/links',
  summary: 'How each link of a topology is, whether it counts, and which senders belong to none.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  async handle(id, { deployment }) {
    const running = topologyOf(deployment, id);
    const { nodes } = running.status();
    return { links: linkStates(running.topology, nodes), strangers: unknownSenders(nodes) };
  },
  b: formView({
    path: Type.Object({ id: Type.String() }),
    response: LinksSchema,
    read: ({ path }) => path.id,
    render: ({ links, strangers }) => ({
      data: {
        links: links.map(linkBody),
        unknown_senders: strangers.map(({ last, ...stranger }) => ({ ...stranger, last_frame: last })),
      },
    }),
  }),
});

export const linkEndpoints = [list];

const linkBody = (link: LinkState) => ({
  id: link.id,
  environment_id: link.environment,
  sender: link.sender,
  frames_per_second: link.rate,
  loss: link.loss,
  rssi_dbm: link.rssi,
  noise_dbm: link.noise,
  snr_db: link.snrDb,
  last_frame: link.last,
  counts: link.leftOut === null,
  reason: link.leftOut,
});
