import type { NetworkFacts } from '../../pipeline/component/index.js';
import { calibrationFacts } from '../shared/calibration-facts.js';
import { readCalibration } from './model/calibration.js';
import { chooseModels } from './model/choose-models.js';
import { modelFolder, readManifest } from './model/weights.js';

interface Named {
  readonly weights: string;
}

/** What the files of a stopped node reveal about it. */
export const NETWORK_FACTS: NetworkFacts = {
  modelVersion: ({ weights }: Named, { folder, environments }) => {
    const { usual } = chooseModels(weights, environments);
    const manifest = readManifest(modelFolder(usual, folder));
    return `${manifest.name} ${manifest.version}`;
  },
};

export const CALIBRATION_FACTS = calibrationFacts((file) => Object.keys(readCalibration(file).profiles));
