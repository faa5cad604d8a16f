import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';

/** Why no machine can have this name or address; undefined if one could. Nothing is resolved. */
export function hostFault(host: string): string | undefined {
  const bare = /^\[(.*)\]$/.exec(host)?.[1] ?? host;
  if (bare !== host || bare.includes(':'))
    return isIPv6(bare) ? undefined : `\`${host}\` is not an IPv6 address`;
  // Resolvers read a name whose last part is a number as an address.
  if (/(^|\.)\d+\.?$/.test(host))
    return isIPv4(host)
      ? undefined
      : `\`${host}\` is not an IPv4 address: it needs four numbers from 0 to 255`;
  return isName(host) ? undefined : `\`${host}\` cannot be the name of a machine`;
}

/** The same for the URL of a service, which must name a host. */
export function urlFault(url: string): string | undefined {
  if (URL.canParse(url)) return hostFault(new URL(url).hostname);
  // The URL parser checks the schemes of the web; for all others, only the form is checked here.
  const host = /^[a-z]+:\/\/(\[[^\]]*\]|[^/:?#]*)/i.exec(url)?.[1] ?? url;
  return hostFault(host) ?? 'this is not a valid address: is the port above 65535?';
}

/** Underscores are not in RFC 1123, but containers and Windows machines have them. */
const LABEL = /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;

function isName(host: string): boolean {
  const name = domainToASCII(host).replace(/\.$/, '');
  return name.length > 0 && name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
}
