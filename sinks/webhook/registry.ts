import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { EVENT_TYPES } from '../../pipeline/model/index.js';
import { StateFile } from '../../pipeline/state/index.js';

const WebhookSchema = Type.Object({
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.Enum([...EVENT_TYPES])),
  secret: Type.String(),
  /** ISO 8601. */
  created_at: Type.String(),
  /** Which queue of the store is its own: there are only so many. */
  queue: Type.Integer(),
});

const WebhooksFile = Type.Object({ version: Type.Integer(), webhooks: Type.Array(WebhookSchema) });

/** An endpoint that somebody registered by the service interface. */
export type Webhook = Static<typeof WebhookSchema>;

const LAYOUT = 1;
/** A topology has no more of them. */
export const MOST_WEBHOOKS = 20;

/** Endpoints for alerts, in one file of the state folder that its owner alone can read: the secrets lie in it. */
export class WebhookRegistry {
  readonly #file: StateFile<typeof WebhooksFile>;

  /** @throws Error naming the file where it cannot be read. */
  constructor(stateFolder: string) {
    this.#file = new StateFile(join(stateFolder, 'webhooks.json'), {
      schema: WebhooksFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, webhooks: [] },
      remedy: 'restore it from a backup, or move it away: webhooks are then to be registered anew',
    });
  }

  /** As the file says now. */
  list(): readonly Webhook[] {
    return this.#file.content.webhooks;
  }

  /** @param now milliseconds since 1970. @throws RangeError where there are as many as there may be */
  add(webhook: Pick<Webhook, 'url' | 'events' | 'secret'>, now: number): Webhook {
    const webhooks = this.list();
    if (webhooks.length >= MOST_WEBHOOKS) throw new RangeError(`there are ${MOST_WEBHOOKS} webhooks already`);
    const taken = new Set(webhooks.map(({ queue }) => queue));
    const queue = Array.from({ length: MOST_WEBHOOKS }, (_, index) => index).find((at) => !taken.has(at))!;
    const added = {
      id: randomBytes(8).toString('hex'),
      ...webhook,
      created_at: new Date(now).toISOString(),
      queue,
    };
    this.#file.write({ version: LAYOUT, webhooks: [...webhooks, added] });
    return added;
  }

  /** False where none has that id. */
  remove(id: string): boolean {
    const webhooks = this.list();
    const left = webhooks.filter((webhook) => webhook.id !== id);
    if (left.length === webhooks.length) return false;
    this.#file.write({ version: LAYOUT, webhooks: left });
    return true;
  }
}
