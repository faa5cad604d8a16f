import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorText } from '../../pipeline/base/error-text.js';
import type { CalibrationFacts, Surroundings } from '../../pipeline/component/index.js';

interface Named {
  readonly calibration?: string;
}

/**
 * Reports on a node's calibration file, named in the field `calibration`.
 * @param linksOf links in a file, as the node reads it
 */
export const calibrationFacts = (linksOf: (file: string) => readonly string[]): CalibrationFacts => ({
  // The file is written when the empty room is measured.
  calibratedAt: ({ calibration }: Named, { folder }) =>
    calibration === undefined
      ? null
      : (statSync(resolve(folder, calibration), { throwIfNoEntry: false })?.mtime ?? null),
  uncalibrated: ({ calibration }: Named, { folder, environments }: Surroundings) => {
    if (calibration === undefined) return 'has no calibration';
    try {
      const known = linksOf(resolve(folder, calibration));
      const isOurs = environments.some(({ links }) => links.some(({ id }) => known.includes(id)));
      return isOurs ? null : `has a calibration for other links (${calibration})`;
    } catch (error) {
      return `has an unreadable calibration: ${errorText(error)}`;
    }
  },
});
