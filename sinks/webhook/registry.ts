import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { EVENT_TYPES } from '../../pipeline/model/index.js';
import { Seal, StateFile, type StateKeys } from '../../pipeline/state/index.js';
import { codedError } from '../../pipeline/base/error-text.js';

const WebhookSchema = Type.Object({
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.Enum([...EVENT_TYPES])),
  secret: Type.String(),
  /** The secret is encrypted, in base64. */
  sealed: Type.Optional(Type.Boolean()),
  /** ISO 8601. */
  created_at: Type.String(),
  /** The number of its queue in the store: the number of queues is fixed. */
  queue: Type.Integer(),
});

const WebhooksFile = Type.Object({ version: Type.Integer(), webhooks: Type.Array(WebhookSchema) });

type Stored = Static<typeof WebhookSchema>;

/** An endpoint registered through the service interface. */
export type Webhook = Omit<Stored, 'sealed'>;

const LAYOUT = 1;
/** A topology has no more of them. */
export const MAX_WEBHOOKS = 20;

/**
 * Endpoints for alerts, in one file of the state folder that only its owner can read, because it contains the
 * secrets.
 */
export class WebhookRegistry {
  readonly #path: string;
  readonly #file: StateFile<typeof WebhooksFile>;
  /** Null: secrets are not encrypted. */
  readonly #seal: Seal | null;
  /** Decrypts the encrypted ones. */
  readonly #opener: Seal | null;

  /** @throws Error naming the file if it cannot be read */
  constructor(stateFolder: string, { key, formerKey = null }: StateKeys) {
    this.#seal = key && new Seal(key);
    this.#opener = this.#seal ?? (formerKey && new Seal(formerKey));
    this.#path = join(stateFolder, 'webhooks.json');
    this.#file = new StateFile(this.#path, {
      schema: WebhooksFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, webhooks: [] },
      remedy: 'restore it from a backup, or move it away: webhooks must then be registered again',
    });
  }

  /** Reads the file again. @throws Error `state.encryption` if a secret was encrypted with another key */
  list(): readonly Webhook[] {
    return this.#stored.map(({ sealed, ...webhook }) =>
      sealed ? { ...webhook, secret: this.#open(webhook) } : webhook,
    );
  }

  /** @param now milliseconds since 1970. @throws RangeError if the limit is reached */
  add(webhook: Pick<Webhook, 'url' | 'events' | 'secret'>, now: number): Webhook {
    const webhooks = this.#stored;
    if (webhooks.length >= MAX_WEBHOOKS) throw new RangeError(`there are ${MAX_WEBHOOKS} webhooks already`);
    const taken = new Set(webhooks.map(({ queue }) => queue));
    const queue = Array.from({ length: MAX_WEBHOOKS }, (_, index) => index).find((at) => !taken.has(at))!;
    const added = {
      id: randomBytes(8).toString('hex'),
      ...webhook,
      created_at: new Date(now).toISOString(),
      queue,
    };
    this.#file.write({ version: LAYOUT, webhooks: [...webhooks, this.#sealed(added)] });
    return added;
  }

  /**
   * Rewrites secrets whose encryption does not match the settings.
   * @throws Error `state.encryption` if a secret was encrypted with another key
   */
  reseal(): void {
    if (this.#stored.every(({ sealed = false }) => sealed === (this.#seal !== null))) return;
    this.#file.write({ version: LAYOUT, webhooks: this.list().map((webhook) => this.#sealed(webhook)) });
  }

  /** False if no endpoint has that id. */
  remove(id: string): boolean {
    const webhooks = this.#stored;
    const left = webhooks.filter((webhook) => webhook.id !== id);
    if (left.length === webhooks.length) return false;
    this.#file.write({ version: LAYOUT, webhooks: left });
    return true;
  }

  get #stored(): readonly Stored[] {
    return this.#file.content.webhooks;
  }

  #sealed(webhook: Webhook): Stored {
    if (!this.#seal) return webhook;
    const secret = this.#seal.close(Buffer.from(webhook.secret), ownerOf(webhook)).toString('base64');
    return { ...webhook, secret, sealed: true };
  }

  #open(webhook: Webhook): string {
    try {
      if (!this.#opener) throw new Error('there is no key');
      return this.#opener.open(Buffer.from(webhook.secret, 'base64'), ownerOf(webhook)).toString();
    } catch (error) {
      throw codedError(
        'state.encryption',
        `a secret in ${this.#path} was encrypted with another key: put the right one into privacy.key of its folder, or into settings.privacy.key`,
        error,
      );
    }
  }
}

/** Binds a secret to this endpoint. */
const ownerOf = ({ id, url }: Webhook): string => `webhook ${id} ${url}`;
