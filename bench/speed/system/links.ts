/** A node's number is a byte, so the links of a large site are sent from several addresses of this machine. */
export const LINKS_OF_A_HOST = 240;

/** Number and address of the node that sends a link; links count from 0. */
export const senderOf = (link: number): { readonly node: number; readonly host: string } => ({
  node: (link % LINKS_OF_A_HOST) + 1,
  host: `127.0.0.${1 + Math.floor(link / LINKS_OF_A_HOST)}`,
});
