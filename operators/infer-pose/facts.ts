import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorText } from '../../pipeline/base/error-text.js';
import type { NetworkFacts, Site } from '../../pipeline/component/index.js';
import { chooseModel, modelFolder, readManifest, readProfiles } from './weights.js';

interface Named {
  readonly weights: string;
  readonly calibration?: string;
}

/** What the files of a node tell of it while it does not run. */
export const NETWORK_FACTS: NetworkFacts = {
  modelVersion: ({ weights }: Named, { folder, environments }) => {
    const name = weights === 'auto' ? chooseModel(environments) : weights;
    const manifest = readManifest(modelFolder(name, folder));
    return `${manifest.name} ${manifest.version}`;
  },
  // The file is written when the empty room is measured.
  calibratedAt: ({ calibration }: Named, { folder }) =>
    calibration === undefined
      ? null
      : (statSync(resolve(folder, calibration), { throwIfNoEntry: false })?.mtime ?? null),
  uncalibrated: ({ calibration }: Named, site) =>
    calibration === undefined ? 'has no calibration' : problemOf(calibration, site),
};

function problemOf(file: string, { folder, environments }: Site): string | null {
  const links = environments.flatMap((environment) => environment.links.map(({ id }) => id));
  try {
    const known = readProfiles(resolve(folder, file));
    return links.some((id) => id in known) ? null : `has a calibration of other links (${file})`;
  } catch (error) {
    return `has a calibration that cannot be read: ${errorText(error)}`;
  }
}
