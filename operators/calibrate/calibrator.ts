import type { Context, Operator, Output } from '../../pipeline/component/index.js';
import { sliceBlock, type CsiBlock, type CsiLayout, type Measure } from '../../pipeline/model/index.js';
import { mapFrames } from '../shared/frame-mapper.js';
import { Announcer, type AnnouncerState } from './announcer.js';
import { LinkCalibrator, type LinkSettings } from './link-calibrator.js';

export interface CalibratorSettings extends LinkSettings {
  /** Time between measures of a link, microseconds. */
  readonly interval: number;
}

/** Corrects frames of calibrated links, learns the others, and publishes measures of both. */
export function calibrator(
  settings: CalibratorSettings,
  context: Context,
): Operator<'csi', 'csi' | 'measure'> {
  const announcer = new Announcer(context, settings.interval);
  /** Frames that pass in this call, and the measures that precede the frame of a given number. */
  let passed = 0;
  let due: (readonly [before: number, measures: readonly Measure[]])[] = [];
  const hear = (link: number, time: number): void => {
    const measures = announcer.due(link, time);
    if (measures.length > 0) due.push([passed, measures]);
  };
  const pass = (): void => {
    passed++;
  };
  const make = (layout: CsiLayout) =>
    new LinkCalibrator(layout, settings, context, { announcer, hear, pass });
  const frames = mapFrames(context, make);
  return {
    process: (block): Output<CsiBlock | Measure> => {
      passed = 0;
      due = [];
      const { data } = frames.process(block);
      return { data: due.length === 0 ? data : interleaved(data, due) };
    },
    snapshot: () => ({ frames: frames.snapshot(), announced: announcer.snapshot() }),
    restore: (saved: { readonly frames: unknown; readonly announced: AnnouncerState }) => {
      frames.restore(saved.frames);
      announcer.restore(saved.announced);
    },
  };
}

/** Blocks split where measures come between their frames. */
function interleaved(
  blocks: readonly CsiBlock[],
  due: readonly (readonly [before: number, measures: readonly Measure[]])[],
): readonly (CsiBlock | Measure)[] {
  const out: (CsiBlock | Measure)[] = [];
  let [first, next] = [0, 0];
  for (const block of blocks) {
    let start = 0;
    for (; next < due.length && due[next]![0] < first + block.count; next++) {
      const end = due[next]![0] - first;
      if (end > start) out.push(sliceBlock(block, start, end));
      out.push(...due[next]![1]);
      start = end;
    }
    out.push(start === 0 ? block : sliceBlock(block, start, block.count));
    first += block.count;
  }
  for (; next < due.length; next++) out.push(...due[next]![1]);
  return out;
}
