import { rateOf } from '../../../pipeline/formats/senders/heard.js';
import { yamlText } from '../../../pipeline/formats/senders/strangers.js';
import type { SenderSummary, Summary } from './inspect.js';

/** Senders that get a separate link, with their records and frames per second. */
export interface Heard {
  readonly sender: string;
  readonly format: string | null;
  readonly layouts: readonly string[];
  readonly records: number;
  readonly rate: number;
}

/** Largest number of links, and the smallest share of a sender in the records of its format. */
export const MAX_LINKS = 8;
const MIN_SHARE = 0.02;

type Found = Pick<Summary, 'senders' | 'seconds'>;

export const heardIn = (found: Found): readonly Heard[] => notRare(found).slice(0, MAX_LINKS);

/** The most frequent first. */
function notRare({ senders, seconds }: Found): readonly Heard[] {
  const named = senders.flatMap(({ sender, format, heard = {}, layouts }: SenderSummary): Heard[] => {
    const states = Object.values(heard);
    const all = (of: string) => states.reduce((sum, one) => sum + (one.format === of ? one.frames : 0), 0);
    const single = Object.entries(heard).filter(([, one]) => one.frames >= MIN_SHARE * all(one.format));
    if (single.length > 0)
      return single.map(([name, state]) => ({
        ...{ sender: name, format: state.format, layouts: state.layout === null ? [] : [state.layout] },
        ...{ records: state.frames, rate: rateOf(state.frames, seconds) },
      }));
    // A record that names no sender holds one frame, of one layout.
    const total = layouts.reduce((sum, { frames }) => sum + frames, 0);
    const keys = layouts.map(({ layout }) => layout);
    return [{ sender, format, layouts: keys, records: total, rate: rateOf(total, seconds) }];
  });
  return named.sort((a, b) => b.records - a.records);
}

/** Numbers of senders without a link: beyond the largest number of links, and rare ones. */
export function leftOut(found: Found): { readonly further: number; readonly rare: number } {
  const all = found.senders.reduce((sum, { heard = {} }) => sum + Math.max(Object.keys(heard).length, 1), 0);
  const named = notRare(found).length;
  return { further: Math.max(0, named - MAX_LINKS), rare: all - named };
}

/** Ends of links in a room of 5 by 4 metres: each crosses it differently. */
const ENDS: readonly (readonly [transmitter: string, receiver: string])[] = [
  ['[0.2, 0.2, 1]', '[4.8, 3.8, 1.2]'],
  ['[4.8, 0.2, 1]', '[0.2, 3.8, 1.2]'],
  ['[0.2, 2, 1]', '[4.8, 2, 1.2]'],
  ['[2.5, 0.2, 1]', '[2.5, 3.8, 1.2]'],
  ['[0.2, 0.2, 1.5]', '[4.8, 0.2, 0.8]'],
  ['[0.2, 3.8, 1.5]', '[4.8, 3.8, 0.8]'],
  ['[0.2, 0.2, 0.6]', '[0.2, 3.8, 1.6]'],
  ['[4.8, 0.2, 0.6]', '[4.8, 3.8, 1.6]'],
];

/**
 * The lines of an environment with a link for each sender, with assumed positions; behind each its format,
 * rate and layouts.
 */
export const linkLines = (found: Found): readonly string[] =>
  heardIn(found).map(({ sender, format, layouts, rate }, i) => {
    const [transmitter, receiver] = ENDS[i]!;
    const ends = `transmitter: ${transmitter}, receiver: ${receiver}`;
    const pace = rate > 0 ? `${Math.round(rate * 10) / 10} frames per second` : 'rate unknown';
    const about = [format, pace, ...layouts];
    return `  - { id: link-${i + 1}, ${ends}, sender: ${yamlText(sender)} } # ${about.filter(Boolean).join(', ')}`;
  });
