import { resolve } from 'node:path';
import { filesMatching, inNaturalOrder, isFilePattern } from '../../base/file-pattern.js';
import { FormatError } from '../../formats/index.js';
import { openRecording, type Recording } from '../recording.js';
import type { FileSettings } from './settings.js';
import type { FilePosition, Step, StepHost } from './steps.js';

/**
 * Plays the files that the settings name, in order, from a position on; forever if they loop.
 * @throws FormatError or the system's error, both with the name of the file
 */
export async function* played(
  settings: FileSettings,
  folder: string,
  position: FilePosition,
  host: StepHost,
): AsyncGenerator<Step, void> {
  const pattern = resolve(folder, settings.path);
  for (let { pass } = position, at: FilePosition | null = position; ; pass++, at = null) {
    let batches = 0;
    for (const path of filesFrom(pattern, at, host)) {
      const recording = await openedUnlessEmpty(path, settings, pattern, host);
      if (!recording) continue;
      host.opened(recording);
      const isResumed = at !== null && (at.file ?? path) === path;
      for await (const step of stepsOf(recording, settings.batch_records, pass, isResumed ? at : null)) {
        batches++;
        yield step;
        if (host.signal.aborted) return;
      }
    }
    // Without records in any file, it would loop without ever waiting.
    if (!settings.loop || (batches === 0 && at === null)) return;
  }
}

/** @throws FormatError if no file matches the pattern */
function filesFrom(pattern: string, at: FilePosition | null, { warn }: StepHost): readonly string[] {
  if (!isFilePattern(pattern)) return [pattern];
  const files = filesMatching(pattern);
  if (files.length === 0) throw new FormatError('file.missing', pattern, 'no file matches this pattern');
  const file = at?.file;
  if (file === undefined) return files;
  if (!files.includes(file))
    warn(`${file} no longer exists: its rest is skipped, and reading continues with the files after it`);
  return files.filter((path) => inNaturalOrder(path, file) >= 0);
}

/** One empty file among many does not stop the others. */
async function openedUnlessEmpty(
  path: string,
  { format, table }: FileSettings,
  pattern: string,
  host: StepHost,
): Promise<Recording | undefined> {
  try {
    return await openRecording(path, format, table);
  } catch (error) {
    if (path === pattern || !(error instanceof FormatError) || error.code !== 'file.empty') throw error;
    host.report({ code: error.code, location: path, message: error.message });
    return undefined;
  }
}

async function* stepsOf(
  recording: Recording,
  count: number,
  pass: number,
  at: FilePosition | null,
): AsyncGenerator<Step, void> {
  let before = at?.recording ?? null;
  let isNew = at === null || (at.recording === null && at.skip === 0);
  for await (const batch of recording.batches(count, before)) {
    yield { recording, before, batch, pass, ...(isNew && batch.raw.count > 0 && { begins: {} }) };
    if (batch.raw.count > 0) isNew = false;
    before = batch.position;
  }
}
