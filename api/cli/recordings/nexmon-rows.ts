import type { FormatOptions } from '../../../pipeline/formats/index.js';
import type { Summary } from './inspect.js';

/** Rows that fewer of the frames belong to are damage. */
const MIN_SHARE = 0.02;

/** Cores and streams of nexmon_csi among the senders; undefined if there is only one row. */
export function rowsHeard({ senders }: Pick<Summary, 'senders'>): FormatOptions['nexmon'] {
  const states = senders.flatMap(({ heard = {} }) => Object.entries(heard));
  const frames = states.reduce((sum, [, state]) => sum + state.frames, 0);
  const rows = states
    .filter(([, state]) => state.format === 'nexmon' && state.frames >= MIN_SHARE * frames)
    .flatMap(([sender]) => [/\/(\d)\.(\d)$/.exec(sender)].filter((match) => match !== null))
    .map(([, core, stream]) => [Number(core), Number(stream)] as const);
  if (rows.length === 0) return undefined;
  return {
    cores: 1 + Math.max(...rows.map(([core]) => core)),
    streams: 1 + Math.max(...rows.map(([, stream]) => stream)),
  };
}
