import { Option } from 'commander';

/** `--table` of the commands that read recordings; `tableOption` reads it. */
export const tableFlag = (): Option =>
  new Option(
    '--table <yaml>',
    'what the arrays of a CSV, NumPy, MATLAB, HDF5 or Parquet file are: `{ rate_hz: 100 }`',
  );
