import { resolve } from 'node:path';
import { Type } from 'typebox';
import { choice, defineSink } from '../../pipeline/component/index.js';
import { rotationFields } from '../shared/file-series.js';
import { McapFiles } from './files.js';

const Config = Type.Object(
  {
    ...rotationFields,
    compression: choice(
      { zstd: 'Each chunk is compressed with Zstandard.', none: 'No compression.' },
      { default: 'zstd', description: 'Compression of chunks.' },
    ),
  },
  { additionalProperties: false },
);

export const mcap = defineSink({
  name: 'mcap',
  summary: 'Writes recordings that Foxglove and Rerun open: people, room, links, amplitudes, all results.',
  description: [
    'MCAP files, rotated by size and time. `from` determines what they contain; topics begin with the id of the environment:',
    '',
    '| topic below `/<environment>/` | from | schema |',
    '|---|---|---|',
    '| `room` | at the start of each file, then once a second | `foxglove.SceneUpdate` |',
    '| `room_points` | at the start of each file | `foxglove.PointCloud`: the lines of `room` |',
    '| `people`, `positions`, `joints` | pose | `foxglove.SceneUpdate`, `foxglove.PosesInFrame`, `foxglove.PointCloud` |',
    '| `faults` | pose | `foxglove.SceneUpdate`: links that are silent or have implausible data |',
    '| `pose` | pose | JSON: the whole result, without the time that the network took |',
    '| `events`, `log` | event | JSON; `foxglove.Log` |',
    '| `measures/<name>/<subject>` | measure | JSON; what senders claim of themselves is below `claims/<sender>/` |',
    '| `amplitude/<link>` | csi | `csiflow.Amplitude`: level, RSSI and the amplitude of each carrier, for plots |',
    '| `windows/<link>` | window | `foxglove.RawImage`: a column a point of time, a row a carrier, 40 dB from black to white |',
    '',
    'In Foxglove, **Open local file** opens a recording. Below, `flat` is the id of the environment and `a` that of a link.',
    '',
    '- 3D panel: click its gear, then below **Topics** the eyes of `/flat/room`, `/flat/people` and `/flat/faults`; all topics',
    'are hidden at first. The display frame becomes `flat` by itself.',
    '- Plot: `/flat/amplitude/a.mean_db` or `/flat/measures/motion/a.value`. Topics with a dot need quotes:',
    '`"/flat/amplitude/a.b".mean_db`. Paths below JSON topics are not suggested, but are drawn.',
    '- Image panel: `/flat/windows/a`. Log panel: `/flat/log`. Raw Messages: `/flat/pose` or `/flat/events`.',
    '',
    'This was tried with Foxglove Studio 1.48 and 75 s of the demo: it plays, seeks and finds no problem in the file. A file',
    'without its index opens up to 1 GiB, as a whole; Foxglove names it "unindexed". Rerun 0.41 lists all topics, but reads no',
    'scenes: it shows `room_points`, `positions`, `joints`, `windows` and `log`, and warns that JSON topics have no schema.',
    'Rerun 0.26 refuses the file.',
    '',
    '- Times are event times. Two runs of the same recording write the same messages.',
    '- A chunk is written and synced at each checkpoint, at about 1 MiB otherwise. A file gets its index when the next one',
    'begins, and when the sink is closed; until then, a continued file has none.',
    '- A file truncated by a crash contains whole chunks up to that point. Readers that need no index read it (Foxglove,',
    '`mcap recover` of the MCAP tools, McapStreamReader); csiflow cuts it back to its checkpoint at the next start and',
    'continues it. An index beside the files (`.index`) records where each epoch began.',
    '- JSON has neither NaN nor Infinity: records with them are rejected, and become dead letters.',
  ].join('\n'),
  inputs: ['csi', 'window', 'pose', 'event', 'measure'],
  recovery: 'rewind',
  ordered: true,
  config: Config,
  examples: [
    { title: 'People, events and measures', config: { path: 'data/{date}.mcap' } },
    { title: 'A file every ten minutes', config: { path: 'data/ward.mcap', rotate_ms: 600_000 } },
  ],
  claims: ({ path }, folder) => [{ what: resolve(folder, path), field: 'path' }],
  create: (config, context) => new McapFiles(config, config.compression === 'zstd', context),
});
