import { readFileSync } from 'node:fs';
import { minVersion, satisfies } from 'semver';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';

interface Locked {
  readonly version: string;
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
}

test('every package of an installation accepts the oldest Node.js that csiflow does', () => {
  const lock = JSON.parse(readFileSync(packageFile('package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const oldest = minVersion(lock.packages['']!.engines!.node!)!;
  const refusing = Object.entries(lock.packages)
    .filter(([, { dev, engines }]) => !dev && engines?.node && !satisfies(oldest, engines.node))
    .map(([path, { version, engines }]) => `${path} ${version}: ${engines!.node!}`);
  expect(refusing).toEqual([]);
});
