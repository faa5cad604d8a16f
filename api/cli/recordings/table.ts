import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { readFragment } from '../../../pipeline/config/index.js';
import { TableMapping } from '../../../pipeline/formats/tables/mapping.js';

/** Mapping of the arrays in a file, from `--table` in YAML: `{ values: csi, rate_hz: 100 }`. */
export function tableOption(text: string | undefined): TableMapping | undefined {
  if (text === undefined) return undefined;
  const read = readFragment(text, TableMapping, '--table');
  if ('problems' in read) throw new CommandError(read.problems.join('\n'), EXIT.invalid);
  return read.value as TableMapping;
}
