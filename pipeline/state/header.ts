import { packageVersion } from '../base/paths.js';
import { decode, encode } from './codec.js';
import { KEY_FILE } from './keys.js';
import type { Seal } from './seal.js';
import { checkLayout, stateError } from './version.js';

/** Counts up with each change of the tables, their keys or their values that an earlier csiflow could not read. */
const LAYOUT = 1;

/** Its key among the tables. */
export const HEADER = 'header';

/** What a store says of itself. */
export function headerOf(topology: string, seal: Seal | null): Buffer {
  const sealed = seal?.close(Buffer.from(topology), HEADER);
  return encode({ version: LAYOUT, topology, by: packageVersion(), ...(sealed && { sealed }) });
}

export interface Header {
  readonly version: unknown;
  readonly topology: string;
  /** csiflow's version that made the store; not in those of the first one. */
  readonly by?: string;
  /** The topology's name, encrypted; in encrypted stores. */
  readonly sealed?: Uint8Array;
}

/** @throws Error `state.newer`, `state.older`, `state.foreign`, `state.corrupt` */
export function checkHeader(file: string, bytes: Uint8Array, topology: string): Header {
  const header = readHeader(file, bytes);
  checkLayout(file, header.version, LAYOUT, header.by);
  if (header.topology === topology) return header;
  throw stateError(
    'state.foreign',
    `${file} belongs to the topology ${header.topology}, not to ${topology}: give each topology a state folder of its own`,
  );
}

/**
 * What opens the values of a store; null where they lie in the clear.
 * @param seal the one at hand
 * @throws Error `state.encryption` where it is not the store's
 */
export function sealOf(file: string, { sealed }: Header, seal: Seal | null): Seal | null {
  if (!sealed) return null;
  if (!seal)
    throw stateError(
      'state.encryption',
      `${file} is encrypted, and its key is not there: put it into ${KEY_FILE} of its folder, or into settings.privacy.key (see docs/privacy.md)`,
    );
  try {
    seal.open(sealed, HEADER);
    return seal;
  } catch (error) {
    throw stateError(
      'state.encryption',
      `${file} was encrypted with another key: put the right one into ${KEY_FILE} of its folder, or into settings.privacy.key`,
      error,
    );
  }
}

/** @throws Error `state.corrupt` */
function readHeader(file: string, bytes: Uint8Array): Header {
  try {
    return decode(bytes) as Header;
  } catch (error) {
    throw stateError(
      'state.corrupt',
      `${file} has an unreadable header: move it away to start anew, its content is then lost`,
      error,
    );
  }
}
