import { readNamedFile } from './named-file.js';

/** The secret of an encrypted store, from `--key-file`; undefined without one. */
export const secretIn = (keyFile: string | undefined): string | undefined =>
  keyFile === undefined ? undefined : readNamedFile(keyFile).trim();

/** What to do about a store that cannot be opened with the key, or without one. */
export const keyHint = ({
  from,
  keyFile,
}: {
  readonly from: string;
  readonly keyFile?: string | undefined;
}): string =>
  keyFile === undefined
    ? `${from} is encrypted: set --key-file to privacy.key of the state folder or a file with the secret`
    : `${keyFile} is not the key of ${from}: it is in privacy.key of the state folder, or the secret; omit --key-file if the store is not encrypted`;
