import { Option } from 'commander';

/** `--table` of the commands that read recordings; `tableOption` reads it. */
export const tableFlag = (): Option =>
  new Option(
    '--table <yaml>',
    'mapping of the arrays in a CSV, NumPy, MATLAB, HDF5 or Parquet file: `{ rate_hz: 100 }`',
  );
