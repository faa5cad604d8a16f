import { lookup as resolve, promises, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address that webhooks must not reach: otherwise anyone who may set one could explore this network. */
export class AddressError extends Error {
  readonly code = 'webhook.address';
  readonly retriable = false;

  constructor(host: string, address: string) {
    super(
      `${host === address ? address : `${host} is ${address}, which`} is in a private or reserved network (${rangeOf(address)}), not on the internet: ` +
        'set `allow_private: true` if the receiver is meant to be there',
    );
    this.name = 'AddressError';
  }
}

/** @throws AddressError if `host` is an IP address that is not on the internet */
export function checkLiteral(host: string): void {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValid(bare) && !isPublic(bare)) throw new AddressError(bare, bare);
}

/** The same as a text: the complaint of {@link checkLiteral} about the host of a URL. */
export function privateFault(url: string): string | undefined {
  try {
    checkLiteral(new URL(url).hostname);
    return undefined;
  } catch (error) {
    if (error instanceof AddressError) return error.message;
    throw error;
  }
}

/**
 * The current address of `host`. A name that does not resolve yet may be given to a receiver later.
 * @throws AddressError if it is not on the internet, directly or through its name
 */
export async function checkAddress(host: string): Promise<void> {
  checkLiteral(host);
  const bad = (await addressesOf(host)).find(({ address }) => !isPublic(address));
  if (bad) throw new AddressError(host, bad.address);
}

const addressesOf = (host: string): Promise<readonly LookupAddress[]> =>
  promises.lookup(host.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => []);

/**
 * Resolves a name for a connection, and returns only addresses on the internet. The checked address is the
 * one used, so a name that changes between two lookups gains nothing.
 */
export const publicLookup: LookupFunction = (host, options, callback) => {
  resolve(host, { ...options, all: true }, (error, addresses) => {
    if (error) {
      callback(error, '', 0);
      return;
    }
    const bad = addresses.find(({ address }) => !isPublic(address));
    if (bad) callback(new AddressError(host, bad.address), '', 0);
    else give(addresses, options.all === true, callback);
  });
};

function give(
  addresses: readonly LookupAddress[],
  all: boolean,
  callback: Parameters<LookupFunction>[2],
): void {
  if (all) callback(null, [...addresses]);
  else callback(null, addresses[0]!.address, addresses[0]!.family);
}

/**
 * True if the address is neither private, loopback, link-local nor reserved for another purpose; IPv4 within
 * IPv6 is checked as IPv4.
 */
const isPublic = (address: string): boolean => rangeOf(address) === 'unicast';

/**
 * The IPv6 block that addresses are allocated from (RFC 4291, 2.4); the rest contains old ways to write IPv4,
 * like `::7f00:1`.
 */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');

function rangeOf(address: string): string {
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  return parsed instanceof ipaddr.IPv6 && range === 'unicast' && !parsed.match(GLOBAL) ? 'reserved' : range;
}
