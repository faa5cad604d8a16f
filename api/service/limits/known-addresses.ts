import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { StateFile } from '../../../pipeline/state/state-file.js';
import { addressKey } from './addresses.js';

const KnownFile = Type.Object({
  version: Type.Integer(),
  /** Newest login last. */
  known: Type.Array(
    Type.Object({
      /** SHA-256 of the user's name in hexadecimal. */
      name: Type.String(),
      /** In the form of {@link addressKey}. */
      address: Type.String(),
    }),
  ),
});

type Known = Static<typeof KnownFile>['known'][number];

const LAYOUT = 1;
/** Addresses per name, so that a user with many addresses pushes out nobody else's. */
const PER_NAME = 20;
const MAX_ADDRESSES = 1_000;
/** Callers on this machine are trusted. */
const LOOPBACK = ['127.0.0.1', '::1'].map(addressKey);

/**
 * Addresses from which each name has logged in: stored in the state folder, because an attack may outlast a
 * restart.
 */
export class KnownAddresses {
  readonly #file: StateFile<typeof KnownFile>;

  /** @throws Error with the file's name if it cannot be read. */
  constructor(stateFolder: string) {
    this.#file = new StateFile(join(stateFolder, 'known-addresses.json'), {
      schema: KnownFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, known: [] },
      remedy: 'remove it: it is created again as people log in',
    });
  }

  /** @param address in the form of {@link addressKey} */
  has(name: string, address: string): boolean {
    return LOOPBACK.includes(address) || this.#file.content.known.some(same(pairOf(name, address)));
  }

  /** Records a login. */
  add(name: string, address: string): void {
    if (LOOPBACK.includes(address)) return;
    const pair = pairOf(name, address);
    const { known } = this.#file.content;
    const newest = known.at(-1);
    if (newest && same(pair)(newest)) return;
    const others = known.filter((one) => !same(pair)(one));
    const own = others.filter((one) => one.name === pair.name);
    const surplus = new Set(own.slice(0, Math.max(0, own.length + 1 - PER_NAME)));
    const remaining = [...others.filter((one) => !surplus.has(one)), pair];
    this.#file.write({ version: LAYOUT, known: remaining.slice(-MAX_ADDRESSES) });
  }
}

const pairOf = (name: string, address: string): Known => ({
  name: createHash('sha256').update(name).digest('hex'),
  address,
});

const same =
  ({ name, address }: Known) =>
  (other: Known): boolean =>
    other.name === name && other.address === address;
