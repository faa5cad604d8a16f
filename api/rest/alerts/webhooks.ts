import { Type } from 'typebox';
import { ALERT_TYPES, EVENT_TYPES, type EventType } from '../../../pipeline/model/index.js';
import { stateKeysOf } from '../../../pipeline/runtime/privacy/privacy.js';
import { AddressError, checkAddress } from '../../../sinks/webhook/address.js';
import { MAX_WEBHOOKS, WebhookRegistry, type Webhook } from '../../../sinks/webhook/registry.js';
import { endpointsWith, formView, type Call } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { PageFields, pagination, type PageOf } from '../../contract/pages.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import { webhooksNode } from '../../service/deployment/webhooks-node.js';
import { Time } from '../requests/ranges.js';

type Parts = 'main' | 'clock';

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;
const path = '/webhooks';
const administrative = { access: 'admin', limit: 'configuration' } as const;

const EventsSchema = Type.Array(Type.Enum([...EVENT_TYPES]), {
  minItems: 1,
  uniqueItems: true,
  default: [...ALERT_TYPES],
  description: 'Types of events to send.',
});

/** Without the secret, which is never shown again. */
const WebhookSchema = Type.Object(
  { id: Type.String(), url: Type.String(), events: EventsSchema, created_at: Time },
  closed,
);

interface NewWebhook {
  readonly url: string;
  readonly events: EventType[];
  readonly secret: string;
}

const add = endpoint<NewWebhook, Webhook>({
  method: 'POST',
  path,
  summary: 'Registers an endpoint for alerts, signed with the secret.',
  ...administrative,
  status: 201,
  audit: ({ events }) => ({ events }),
  async handle({ url, events, secret }, { deployment }) {
    const { allow_private: allowPrivate } = nodeOf(deployment).config;
    if (allowPrivate !== true) await checkUrl(url);
    return addWebhook(deployment, { url, events, secret });
  },
  b: formView({
    body: Type.Object(
      {
        url: Type.String({
          pattern: '^https?://[^\\s/@?#]+([/?][^\\s#]*)?$',
          'x-expected': 'must be an address such as https://alarms.example/csiflow, with no password in it',
          maxLength: 4096,
          description: 'Address for alerts. Only administrators see it again.',
        }),
        events: EventsSchema,
        secret: Type.String({
          minLength: 16,
          maxLength: 1024,
          description: 'Key for signatures; it is not shown again.',
        }),
      },
      closed,
    ),
    response: WebhookSchema,
    read: ({ body }) => body,
    render: (webhook) => ({ data: bodyOf(webhook) }),
  }),
});

const list = endpoint<PageOf, { readonly webhooks: readonly Webhook[]; readonly page: PageOf }>({
  method: 'GET',
  path,
  summary: 'The registered endpoints, without their secrets.',
  access: 'admin',
  limit: 'health',
  status: 200,
  handle: (page, { deployment }) => Promise.resolve({ webhooks: registryOf(deployment).list(), page }),
  b: formView({
    query: Type.Object(PageFields, closed),
    response: Type.Array(WebhookSchema),
    read: ({ query }) => query,
    render: ({ webhooks, page }) => ({
      data: webhooks.slice((page.page - 1) * page.per_page, page.page * page.per_page).map(bodyOf),
      pagination: pagination(page, webhooks.length),
    }),
  }),
});

const remove = endpoint<string, null>({
  method: 'DELETE',
  path: `${path}/:id`,
  summary: 'Removes an endpoint; deliveries waiting for it are dropped.',
  ...administrative,
  status: 204,
  handle(id, { deployment }: Call<Parts>) {
    if (!registryOf(deployment).remove(id))
      throw new ApiError('RESOURCE_NOT_FOUND', `There is no webhook ${id.slice(0, 64)}`);
    return Promise.resolve(null);
  },
  b: formView({
    path: Type.Object({ id: Type.String() }),
    response: Type.Null(),
    read: ({ path: { id } }) => id,
    render: () => ({ data: null }),
  }),
});

export const webhookEndpoints = [list, add, remove];

const bodyOf = ({ id, url, events, created_at }: Webhook) => ({ id, url, events, created_at });

/** @throws ApiError 409 beyond the limit */
function addWebhook(deployment: Pick<Deployment, Parts>, webhook: NewWebhook): Webhook {
  try {
    return registryOf(deployment).add(webhook, deployment.clock.now() / 1000);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError('RESOURCE_CONFLICT', `There are already ${MAX_WEBHOOKS} webhooks: remove one first`);
  }
}

/** The file is small, and read at each call, because the sink reads it too. */
const registryOf = ({ main }: Pick<Deployment, Parts>): WebhookRegistry =>
  new WebhookRegistry(main.topology.settings.stateFolder, stateKeysOf(main.topology.settings));

/** @throws ApiError 409 if no node would serve it */
function nodeOf({ main }: Pick<Deployment, Parts>) {
  const node = webhooksNode(main.topology);
  if (node) return node;
  throw new ApiError(
    'RESOURCE_CONFLICT',
    `The topology ${main.topology.id} serves no registered webhooks: it needs an operator that outputs events and a sink that accepts them, and must not be scaled out; add a sink of type webhook to its file`,
  );
}

/** The name is resolved again at each delivery. @throws ApiError 422 if it leads to a private network */
async function checkUrl(url: string): Promise<void> {
  try {
    await checkAddress(new URL(url).hostname);
  } catch (error) {
    const message =
      error instanceof AddressError
        ? `${error.message}, in a sink of type webhooks of the topology's file`
        : 'it is not a valid address';
    const details = { fields: [{ field: 'url', message, received: null }] };
    throw new ApiError('VALIDATION_ERROR', `url: ${message}`, { details });
  }
}
