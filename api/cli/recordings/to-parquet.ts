import { ProblemLog, formatNamed } from '../../../pipeline/formats/index.js';
import type { FaultState } from '../../../pipeline/formats/decoder/faults.js';
import { LinkTable } from '../../../pipeline/model/index.js';
import type { Recording, RecordingBatch } from '../../../pipeline/sources/recording.js';
import { commandContext } from './context.js';
import { faultText } from './fault-text.js';
import { Inspection } from './inspect.js';
import { ParquetWriter } from './parquet-writer.js';

/** Totals of a Parquet file. */
export interface Written {
  /** Rows: a record can contain several frames, or none. */
  readonly frames: number;
  /** Records, or parts of the file, that could not be read. */
  readonly problems: number;
}

/**
 * Writes the frames of a recording as rows of a Parquet file. It reads the recording twice, because frames
 * carry the names of their senders, which are known only after the first pass.
 * @param stretch the batches to write, from the start at each call
 */
export async function toParquet(
  recording: Pick<Recording, 'path' | 'format' | 'origin'>,
  stretch: () => AsyncIterable<RecordingBatch>,
  to: string,
  force: boolean,
): Promise<Written> {
  const writer = await ParquetWriter.create(to, force);
  const say = (message: string) => process.stderr.write(`csiflow: ${message}\n`);
  const log = new ProblemLog((message) => say(`${recording.path}: ${message}`));
  let problems = 0;
  try {
    const { links, decoder } = await namedDecoder(recording.format, stretch());
    const senderOf = (link: number): string | null => {
      const { sender } = links.at(link).link;
      return sender === '*' ? null : sender;
    };
    for await (const batch of stretch()) {
      for (const problem of batch.problems) log.see(problem);
      const { data } = decoder.decode(batch.raw);
      problems += batch.problems.length;
      for (const one of data)
        if (one.port === 'csi') await writer.write(one, { origin: recording.origin, senderOf });
    }
    const { malformed = {}, faults = [] } = decoder.describe() as DecoderStatus;
    for (const fault of faults) say(faultText(fault));
    problems += Object.values(malformed).reduce((sum, count) => sum + count, 0);
    await writer.finish();
    return { frames: writer.rows, problems };
  } finally {
    log.end();
    await writer.close();
  }
}

/** The part of a decoder's status about rejected records. */
interface DecoderStatus {
  readonly malformed?: Readonly<Record<string, number>>;
  readonly faults?: readonly FaultState[];
}

/** A decoder with a link for each sender. */
async function namedDecoder(format: string, batches: AsyncIterable<RecordingBatch>) {
  const context = commandContext();
  const inspection = new Inspection(context.links, formatNamed(format).decoder(context));
  for await (const { raw } of batches) inspection.see(raw);
  const heard = inspection.summary().senders.flatMap(({ heard: names = {} }) => Object.keys(names));
  const [any] = context.environments;
  const named = heard.map((sender) => ({ ...any!.links[0]!, id: sender, sender }));
  const links = new LinkTable([{ ...any!, links: [...named, ...any!.links] }]);
  return { links, decoder: formatNamed(format).decoder({ ...context, links }) };
}
