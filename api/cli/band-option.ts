import { Option } from 'commander';
import { BANDS } from '../../bench/memory/bands.js';

/** `--band`: where the receivers work in the rooms of a training. */
export const bandOption = (): Option =>
  new Option('--band <band>', 'band of the receivers in the simulated rooms')
    .choices(BANDS)
    .default('2.4-ghz');
