import type { JwksClient } from 'jwks-rsa';
import type { Logger } from '../../../pipeline/component/index.js';
import { KeySet } from './key-set.js';
import { ROLES, type Account } from './roles.js';

export interface IdentityProviderOptions {
  /** Address of its JSON Web Key Set (RFC 7517). */
  readonly jwks: string;
  /** `iss` of its tokens. */
  readonly issuer: string;
  /** Required value of `aud` in its tokens. */
  readonly audience: string;
  /** The claim with a role of csiflow, or a list with one. */
  readonly roleClaim: string;
}

/** Only algorithms with public keys: the secret of a shared key would let an outside party forge tokens. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'ES512'];
const TIMEOUT_MS = 5_000;

/** The package has eighty files, so it is loaded only with such a provider. */
async function clientOf(jwksUri: string): Promise<JwksClient> {
  const { default: jwksRsa } = await import('jwks-rsa');
  return new jwksRsa.JwksClient({ jwksUri, cache: false, timeout: TIMEOUT_MS });
}

/** Tokens signed by an identity provider: its users need no account here. */
export class IdentityProvider {
  readonly #options: IdentityProviderOptions;
  readonly #keys: KeySet;

  constructor(options: IdentityProviderOptions, log: Logger) {
    this.#options = options;
    let client: Promise<JwksClient> | undefined;
    const fetch = async () => (await (client ??= clientOf(options.jwks))).getSigningKeys();
    this.#keys = new KeySet({ fetch, log });
  }

  /** Whether a token claims to be from this provider. */
  claims(payload: unknown): payload is Readonly<Record<string, unknown>> {
    return (
      typeof payload === 'object' &&
      payload !== null &&
      'iss' in payload &&
      payload.iss === this.#options.issuer
    );
  }

  /** The public key for a token's header. Rejects if the provider does not publish it. */
  async keyFor({
    alg,
    kid,
  }: {
    readonly alg?: string | undefined;
    readonly kid?: string | undefined;
  }): Promise<string> {
    if (!ALGORITHMS.includes(alg ?? ''))
      throw new Error(`tokens of ${this.#options.issuer} must not be signed with ${alg}`);
    return this.#keys.get(kid);
  }

  /** Null if the token is for another audience, has no role, or never expires. */
  accountOf(payload: Readonly<Record<string, unknown>>): Account | null {
    const { audience, roleClaim, issuer } = this.#options;
    const roles = listOf(payload[roleClaim]);
    const role = ROLES.findLast((known) => roles.includes(known));
    if (!listOf(payload['aud']).includes(audience) || !role) return null;
    if (typeof payload['sub'] !== 'string' || typeof payload['exp'] !== 'number') return null;
    return { name: `${new URL(issuer).host}:${payload['sub']}`, role };
  }
}

const listOf = (claim: unknown): readonly unknown[] => (Array.isArray(claim) ? claim : [claim]);
