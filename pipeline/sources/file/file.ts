import { resolve } from 'node:path';
import { filesMatching, isFilePattern } from '../../base/file-pattern.js';
import { defineSource } from '../../component/index.js';
import { formatNamed } from '../../formats/index.js';
import { formatOfHead } from '../recording.js';
import { FileSource } from './file-source.js';
import { complaintsOf, config, type FileSettings } from './settings.js';

/** Plays recordings. Event time is the recording's, so the results are the same at any speed. */
export const file = defineSource({
  name: 'file',
  summary:
    'Plays recordings, or follows a growing file: captures of csiflow, and every other kind of file that it supports.',
  description: [
    'Reads raw records with their times and decodes them as they would have been from the radio. Event time',
    'is that of the recording: the results are equal at any `speed`, and a stopped run continues',
    'from its last checkpoint. Results carry the provenance `replay`.',
    '',
    'Damaged records are skipped, and reading continues at the next intact one. The first problem of each',
    'kind is logged with its byte or line, further ones are counted and summed up at the end of the file. If the',
    'rest of a file cannot be read, the source fails and names the position.',
    '',
    '## Several files',
    '',
    'A `path` with wildcards (`*`, `?`, `[0-9]`, `{a,b}`, and `**` for folders) plays all files that match, in natural',
    'order: `part-2.pcap` before `part-10.pcap`. It must match at least one file. Symbolic links are ignored; empty files are skipped',
    'and counted. The files may be of different kinds, but their records must be of one format.',
    '',
    'Event time never decreases. If the times of a file do not follow those of the file before it, because a',
    "receiver's clock was restarted or the names are not in order of time, the file is shifted to follow that one;",
    'if these were times of day, a warning names the file.',
    '',
    '## Recordings of several receivers',
    '',
    'Receivers whose records name no sender (Intel 5300, Atheros, tables) need a source and a `sender` each. Their clocks',
    'often count from their own start, so the same moment has different times in their files. Operators that combine links, such',
    'as `body-velocity`, need a common axis of time: give files that started together the same `start_time`, and later files a',
    'later one. All records of the source are shifted by the same amount, so that the first one has that time.',
    '',
    '```yaml',
    'sources:',
    '  left: { type: file, path: left.dat, sender: left, start_time: 2026-01-01T10:00:00Z }',
    '  right: { type: file, path: right.dat, sender: right, start_time: 2026-01-01T10:00:00Z }',
    '```',
    '',
    '## Follow a file that grows',
    '',
    'With `follow: true`, the source reads what a program appends to a file, as `tail -F` does, and results carry the',
    'provenance `live`. At a restart, it continues from its last checkpoint: no record is read twice or skipped.',
    '',
    '- **The file does not exist yet, or is empty:** the node is degraded until it does.',
    '- **It is replaced** (`logrotate`): the source reads the old file to its end and continues with the new one as soon',
    '  as that exists. If this happens while csiflow is stopped, it finds the old file under its new name in the same',
    '  folder. If the file was compressed or moved elsewhere in the meantime, its remaining bytes are lost, and a warning names it.',
    '  A first run that crashes before its first checkpoint does not know the old file: the next run starts with the new one.',
    '- **It is truncated** (`copytruncate`): the source reads it from its start again. Data written between the last',
    '  check and the truncation is lost.',
    '- **`path` is a pattern:** the source reads the files in natural order, and moves on when a file appears whose name',
    '  sorts after the current one. This fits programs that start a new file from time to time (`tcpdump -G -w',
    "  '%Y%m%d-%H%M%S.pcap'`, `tcpdump -C`), but not rings of files that are reused (`tcpdump -W`).",
    '',
    'Event time is that of the file. If its clock counts from the start of the receiver (Intel 5300, ESP32), the time at',
    'which the file was created is added. Files of arrays and files compressed with gzip cannot be followed. A record is read',
    'once it is complete: with the last byte of its length, or with the end of its line. If its time is doubtful (a step far',
    'ahead), it waits for the next record.',
  ].join('\n'),
  config,
  examples: [
    { title: 'A capture, as fast as possible', config: { path: 'captures/fall.csi' } },
    { title: 'At ten times the recorded pace', config: { path: 'captures/day.csi', speed: 10 } },
    { title: 'All recordings of a folder', config: { path: 'recordings/*.pcap' } },
    { title: 'What a program is writing', config: { path: '/tmp/csi.dat', follow: true } },
    {
      title: 'A log of an Intel 5300, scaled to the noise',
      config: { path: 'captures/ward.dat', records: 'intel5300-scaled' },
    },
    {
      title: 'Amplitudes of NumPy, 100 frames per second',
      config: { path: 'captures/walk.npy', table: { rate_hz: 100 } },
    },
  ],
  outputs: ['csi', 'measure', 'event'],
  measures: (settings, folder) => measurementOf(settings, folder),
  replayable: true,
  timing: ({ follow }) => (follow ? 'now' : 'recorded'),
  check: complaintsOf,
  create: (settings, context) => new FileSource(settings, context),
});

/** The content of the files; undefined if they do not show it, or do not exist yet. */
function measurementOf({ path, format, records }: FileSettings, folder: string) {
  const pattern = resolve(folder, path);
  const file = isFilePattern(pattern) ? filesMatching(pattern)[0] : pattern;
  const found = records !== 'auto' ? records : file && formatOfHead(file, format);
  return found === undefined ? undefined : formatNamed(found).measurement;
}
