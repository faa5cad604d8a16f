import type { RawBatch } from '../../../../pipeline/component/index.js';
import { FormatError, formatNamed } from '../../../../pipeline/formats/index.js';
import { LinkTable } from '../../../../pipeline/model/index.js';
import { openRecording } from '../../../../pipeline/sources/recording.js';
import { commandContext } from '../context.js';
import type { Reading } from '../look.js';
import { stretchOf } from '../stretch.js';
import type { SenderSummary, Summary } from '../inspect.js';
import { FrameCollector, type PlotFrames } from './frames.js';

/** The sender to plot: the requested one, otherwise the one with the most frames. Null if there is none. */
export function drawnSender({ senders }: Summary, asked: string | undefined): string | null {
  if (asked !== undefined) return asked;
  const all = senders.flatMap(namesOf).sort((a, b) => b.frames - a.frames);
  return all[0]?.name ?? null;
}

/** Those behind `*`, one by one. */
function namesOf({ sender, heard = {}, layouts }: SenderSummary): { name: string; frames: number }[] {
  const several = Object.entries(heard).map(([name, { frames }]) => ({ name, frames }));
  if (several.length > 0) return several;
  return [{ name: sender, frames: layouts.reduce((sum, { frames }) => sum + frames, 0) }];
}

/** Frames of one sender from raw records; null if it has none. */
export async function framesOf(
  batches: AsyncIterable<RawBatch> | Iterable<RawBatch>,
  format: string,
  sender: string,
): Promise<PlotFrames | null> {
  const { metrics, log, environments } = commandContext();
  const [environment] = environments;
  const links = [{ ...environment!.links[0]!, id: sender, sender }];
  const quiet = { ...log, warn: () => undefined };
  const decoder = formatNamed(format).decoder({
    links: new LinkTable([{ ...environment!, links }]),
    metrics,
    log: quiet,
  });
  const collector = new FrameCollector(decoder);
  for await (const raw of batches) collector.see(raw);
  return collector.frames();
}

/** The records of a recording up to its damage, which the inspection reports. */
export async function* recorded(path: string, reading: Reading): AsyncGenerator<RawBatch, void> {
  const { kind, table, copied, start, end } = reading;
  const recording = await openRecording(path, kind, table, copied);
  try {
    for await (const { raw } of stretchOf(recording, start, end)) yield raw;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
  }
}
