import { FILE_FORMATS } from './index.js';
import { TABLE_KINDS } from './tables/kinds.js';

/** All kinds of files that are read, in the order in which they are tried. */
export const FILE_KINDS: readonly { readonly name: string; readonly summary: string }[] = [
  ...FILE_FORMATS,
  ...TABLE_KINDS,
];
