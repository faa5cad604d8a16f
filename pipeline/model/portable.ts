import { storedBlock, type CsiBlock, type Data, type LinkTable, type StoredBlock } from './index.js';

/** A record as it is stored on disk: links by id, not by their number in this process. */
export type Portable =
  | Exclude<Data, CsiBlock>
  | (StoredBlock & Pick<CsiBlock, 'port' | 'link'> & { readonly linkIds: readonly string[] });

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
export function fromPortable(portable: Portable, links: LinkTable): Data | undefined {
  if (!('linkIds' in portable)) return portable;
  const numbers = portable.linkIds.map((id) => links.byId(id)?.index);
  if (numbers.includes(undefined)) return undefined;
  const block = storedBlock(portable, Array.from(portable.link.keys()));
  return { ...block, link: block.link.map((index) => numbers[index]!) };
}
