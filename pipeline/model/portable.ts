import type { CsiBlock, Data, LinkTable } from './index.js';

/** A record as it may be kept on disk: links by id, not by their number in this process. */
export type Portable =
  | Exclude<Data, CsiBlock>
  | (Omit<CsiBlock, 'link'> & { readonly linkIds: readonly string[]; readonly link: Uint16Array });

export function toPortable(data: Data, links: LinkTable): Portable {
  if (data.port !== 'csi') return data;
  const numbers = [...new Set(data.link.subarray(0, data.count))];
  return {
    ...data,
    linkIds: numbers.map((number) => links.at(number).link.id),
    link: data.link.map((number) => numbers.indexOf(number)),
  };
}

/** Undefined for frames of a link that the environment no longer has. */
export function fromPortable(kept: Portable, links: LinkTable): Data | undefined {
  if (!('linkIds' in kept)) return kept;
  const { linkIds, ...block } = kept;
  const numbers = linkIds.map((id) => links.byId(id)?.index);
  if (numbers.includes(undefined)) return undefined;
  return { ...block, link: block.link.map((index) => numbers[index]!) };
}
