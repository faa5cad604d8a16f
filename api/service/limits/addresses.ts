import ipaddr from 'ipaddr.js';

/**
 * The key by which calls of one address are counted. IPv6 is counted by its first 64 bits, because one
 * household has all addresses below them; IPv4 within IPv6 as IPv4.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
