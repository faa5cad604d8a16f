import ipaddr from 'ipaddr.js';

/**
 * The key by which calls of one address are counted. IPv6 is counted by its first 64 bits, because one
 * household has all addresses below them; IPv4 within IPv6 as IPv4.
 */
export function addressKey(address: string): string {
  const known = keys.get(address);
  if (known !== undefined) return known;
  const key = keyOf(address);
  keys.set(address, key);
  if (keys.size > MAX_KEYS) keys.delete(keys.keys().next().value!);
  return key;
}

/** Keys of the newest addresses: each call asks for one. */
const keys = new Map<string, string>();
const MAX_KEYS = 1_024;

function keyOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
