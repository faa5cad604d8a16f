import { packageVersion } from '../base/paths.js';
import { stamped, unstamped } from './checksum.js';
import { decode, encode } from './codec.js';
import { KEY_FILE } from './keys.js';
import type { Seal } from './seal.js';
import { checkLayout } from './version.js';
import { codedError } from '../base/error-text.js';

/** Incremented with each change of the tables, their keys or their values that an earlier csiflow could not read. */
const LAYOUT = 2;
/** Its values have no checksums. It can be read, and is rewritten as {@link LAYOUT} at the first start. */
const WITHOUT_CHECKSUMS = 1;

export const hasChecksums = (layout: unknown): boolean => layout !== WITHOUT_CHECKSUMS;

/** Its key among the tables. */
export const HEADER = 'header';
const NO_KEY = Buffer.alloc(0);

/** The header of a store. */
export function headerOf(topology: string, seal: Seal | null): Buffer {
  const sealed = seal?.close(Buffer.from(topology), HEADER);
  const header = encode({ version: LAYOUT, topology, by: packageVersion(), ...(sealed && { sealed }) });
  return stamped(HEADER, NO_KEY, header);
}

export interface Header {
  readonly version: unknown;
  readonly topology: string;
  /** Version of csiflow that created the store; absent in the first layout. */
  readonly by?: string;
  /** The topology's name, encrypted; only in encrypted stores. */
  readonly sealed?: Uint8Array;
}

/** @throws Error `state.newer`, `state.older`, `state.foreign`, `state.corrupt` */
export function checkHeader(file: string, bytes: Buffer, topology: string): Header {
  const header = readHeader(file, bytes);
  if (header.version !== WITHOUT_CHECKSUMS) checkLayout(file, header.version, LAYOUT, header.by);
  if (header.topology === topology) return header;
  throw codedError(
    'state.foreign',
    `${file} belongs to the topology ${header.topology}, not to ${topology}: give each topology its own state folder`,
  );
}

/** Decrypts the values of a store; null if they are not encrypted. */
export function sealOf(file: string, { sealed }: Header, seal: Seal | null): Seal | null {
  if (!sealed) return null;
  if (!seal)
    throw codedError(
      'state.encryption',
      `${file} is encrypted, and its key is missing: put it into ${KEY_FILE} of its folder, or into settings.privacy.key (see docs/privacy.md)`,
    );
  try {
    seal.open(sealed, HEADER);
    return seal;
  } catch (error) {
    throw codedError(
      'state.encryption',
      `${file} was encrypted with another key: put the right one into ${KEY_FILE} of its folder, or into settings.privacy.key`,
      error,
    );
  }
}

/**
 * Headers of the first layout have no checksum. A damaged newer header is not mistaken for one, because it is
 * longer than its content.
 * @throws Error `state.corrupt`
 */
export function readHeader(file: string, bytes: Buffer): Header {
  const intact = unstamped(HEADER, NO_KEY, bytes);
  try {
    const header = decode(intact ?? bytes) as Header;
    if (intact || (header.version !== LAYOUT && encode(header).length === bytes.length)) return header;
  } catch (error) {
    throw damagedState(file, 'its header cannot be read', error);
  }
  throw damagedState(file, 'its header cannot be read');
}

export const damagedState = (file: string, what: string, cause?: unknown) =>
  codedError(
    'state.corrupt',
    `${file} is damaged: ${what}. It holds the last checkpoint, the journal, dead letters and what sinks have not delivered yet. Restore a backup (\`csiflow restore BACKUP TOPOLOGY --replace\`), or move the file away to start without it: the stores keep their rows, everything else is lost`,
    cause,
  );
