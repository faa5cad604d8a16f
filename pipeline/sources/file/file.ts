import { resolve } from 'node:path';
import {
  defineSource,
  sliceRaw,
  type Context,
  type Output,
  type Position,
  type RawBatch,
  type Source,
  type SourceOutput,
  type State,
} from '../../component/index.js';
import { filesMatching, isFilePattern } from '../../base/file-pattern.js';
import {
  decoderOf,
  FormatError,
  formatNamed,
  ProblemLog,
  type Decoder,
  type Problem,
} from '../../formats/index.js';
import type { Data } from '../../model/index.js';
import { Pace } from '../pace.js';
import { formatOfHead, recordsFormat } from '../recording.js';
import { isDate, TimeAxis } from './axis.js';
import { Follower, type FollowHost } from './followed.js';
import { played } from './played.js';
import { complaintsOf, config, type FileSettings } from './settings.js';
import { newestOf, START, type FilePosition, type OpenedRecording, type Step } from './steps.js';

/** Plays recordings. Event time is the recording's, so the results are the same at any speed. */
export const file = defineSource({
  name: 'file',
  summary:
    'Plays recordings, or follows a file that grows: captures of csiflow, and every other kind of file that it knows.',
  description: [
    'Reads raw records with their times and decodes them as they would have been from the radio. Event time',
    'is that of the recording: the results are equal at any `speed`, and a stopped run continues',
    'from its last checkpoint. Results carry the provenance `replay`.',
    '',
    'Damaged records are skipped, and reading continues at the next intact one. The first problem of each',
    'kind is logged with its byte or line, further ones are counted and summed up at the end of the file. Where the',
    'rest of a file cannot be read, the source fails with that place.',
    '',
    '## Several files',
    '',
    'A `path` with wildcards (`*`, `?`, `[0-9]`, `{a,b}`, and `**` for folders) plays all files that match, in natural',
    'order: `part-2.pcap` before `part-10.pcap`. It must match at least one; links are left out, empty files are skipped',
    'and counted. The files may be of different kinds, but their records must be of one format.',
    '',
    'Event time never decreases. Where the times of a file do not follow those of the file before it, because a',
    "receiver's clock has started again or the names are not in the order of time, the file is moved behind that one;",
    'where these were times of day, a warning names the file.',
    '',
    '## Follow a file that grows',
    '',
    'With `follow: true`, the source reads what a program appends to a file, as `tail -F` does, and results carry the',
    'provenance `live`. At a restart, it continues from its last checkpoint: no record is read twice or left out.',
    '',
    '- **The file does not exist yet, or is empty:** the node is degraded until it does.',
    '- **It is replaced** (`logrotate`): the source reads the old file to its end and continues with the new one as soon',
    '  as that exists. If this happens while csiflow is stopped, it finds the old file under its new name in the same',
    '  folder. A file that was packed or moved elsewhere by then is lost from that byte on, and a warning names it.',
    '- **It is truncated** (`copytruncate`): the source reads it from its start again. What was written between the last',
    '  look and the truncation is lost.',
    '- **`path` is a pattern:** the source reads the files in natural order, and moves on when a file appears whose name',
    '  sorts after the current one. This fits programs that start a new file from time to time (`tcpdump -G -w',
    "  '%Y%m%d-%H%M%S.pcap'`, `tcpdump -C`), but not rings of files that are used again (`tcpdump -W`).",
    '',
    'Event time is that of the file. If its clock counts from the start of the receiver (Intel 5300, ESP32), the time at',
    'which the file was created is added. Files of arrays and files packed with gzip cannot be followed. A record is read',
    'once it is complete; some kinds (pcap) show that only by the start of the next one.',
  ].join('\n'),
  config,
  examples: [
    { title: 'A capture, as fast as it goes', config: { path: 'captures/fall.csi' } },
    { title: 'At ten times the recorded pace', config: { path: 'captures/day.csi', speed: 10 } },
    { title: 'All recordings of a folder', config: { path: 'recordings/*.pcap' } },
    { title: 'What a program is writing', config: { path: '/tmp/csi.dat', follow: true } },
    {
      title: 'A log of an Intel 5300, scaled to the noise',
      config: { path: 'captures/ward.dat', records: 'intel5300-scaled' },
    },
    {
      title: 'Amplitudes of NumPy, 100 frames a second',
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

/** State of the decoder, and of which format it is. */
interface DecoderState {
  readonly format: string;
  readonly decoder: State;
}

class FileSource implements Source {
  readonly #config: FileSettings;
  readonly #context: Context;
  readonly #problemLog: ProblemLog;
  #recording: OpenedRecording | undefined;
  #decoder: Decoder | undefined;
  #restored: DecoderState | null = null;
  #format: string | undefined;
  #axis = new TimeAxis(0, -Infinity);
  #problem: string | null = null;
  #files = 0;
  #records = 0;
  #problems = 0;

  constructor(settings: FileSettings, context: Context) {
    this.#config = settings;
    this.#context = context;
    this.#problemLog = new ProblemLog((message, problem) => {
      const name = isFilePattern(this.#pattern) ? this.#recording?.path : undefined;
      context.log.warn(`${name ?? settings.path}: ${message}`, problem);
    });
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    if (output.signal.aborted) return;
    const from = (position ?? START) as FilePosition;
    this.#axis = new TimeAxis(from.shift, newestOf(from));
    const pace = new Pace(this.#config.speed, this.#context, output.signal);
    let { skip } = from;
    try {
      for await (const step of this.#steps(from, output)) {
        for (const problem of step.batch.problems) this.#report(problem);
        if (step.batch.raw.count > 0) {
          this.#place(step);
          if (!(await this.#handOn(step, skip, pace, output))) return;
        }
        skip = 0;
      }
    } finally {
      this.#problemLog.end();
    }
  }

  decode(raw: RawBatch): Output<Data> {
    return this.#decoderOfRun().decode(raw);
  }

  snapshot(): State {
    if (!this.#decoder) return this.#restored;
    const format = this.#format ?? 'adr018';
    return { format, decoder: this.#decoder.snapshot() } satisfies DecoderState;
  }

  /** May be called before `open`: the decoder is created once the format is known. */
  restore(state: State): void {
    this.#restored = state as DecoderState | null;
    if (this.#restored) this.#decoder?.restore(this.#restored.decoder);
  }

  reanchor(): void {
    this.#axis.reanchor();
  }

  describe(): Readonly<Record<string, unknown>> {
    const { path, kind, format, size } = this.#recording ?? {};
    const { speed, follow } = this.#config;
    return {
      path: this.#config.path,
      ...(path !== undefined && isFilePattern(this.#pattern) && { file: path, files: this.#files }),
      kind,
      format,
      bytes: size,
      ...(follow ? { follow, problem: this.#problem } : { speed }),
      records: this.#records,
      problems: this.#problems,
      ...this.#decoder?.describe(),
    };
  }

  get #pattern(): string {
    return resolve(this.#context.folder, this.#config.path);
  }

  #steps(from: FilePosition, output: SourceOutput): AsyncGenerator<Step, void> {
    const { folder, clock, log } = this.#context;
    const host: FollowHost = {
      signal: output.signal,
      clock,
      opened: (recording) => {
        this.#opened(recording);
        output.ready?.();
      },
      report: (problem) => {
        this.#report(problem);
      },
      warn: (message) => {
        log.warn(message);
      },
      info: (message) => {
        log.info(message);
      },
      problem: (problem) => {
        this.#tell(problem, output);
      },
    };
    if (!this.#config.follow) return played(this.#config, folder, from, host);
    // Its files may come later.
    output.ready?.();
    return new Follower(this.#config, folder, host).steps(from);
  }

  #tell(problem: string | null, output: SourceOutput): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    output.problem?.(problem);
    if (problem !== null) this.#context.log.warn(problem);
  }

  /** @throws FormatError where its records are of another format than those before */
  #opened(recording: OpenedRecording): void {
    const isNew = recording.path !== this.#recording?.path;
    const format = recordsFormat(recording, this.#config.records);
    if (this.#decoder && this.#recording && format !== this.#format)
      throw new FormatError(
        'file.mixed',
        recording.path,
        `its records are ${format}, those of ${this.#recording.path} ${this.#format}: play them by sources of their own`,
      );
    if (isNew) this.#files++;
    this.#recording = recording;
    if (this.#format !== format) this.#decoderFor(format);
  }

  /** Finds the place of a file on the axis of time. */
  #place({ begins, batch, pass, recording }: Step): void {
    if (!begins) return;
    const first = batch.raw.time[0]!;
    const before = this.#axis.shift;
    if (begins.at === undefined) this.#axis.begin(first, pass === 0);
    else this.#axis.beginAt(first, begins.at, this.#context.clock.now());
    const isMoved = this.#axis.shift !== before && this.#axis.shift !== 0;
    if (isMoved && pass === 0 && isDate(first))
      this.#context.log.warn(
        `${recording.path}: its times do not follow those of the file before it: it is moved behind that one`,
        { seconds: this.#axis.shift / 1e6 },
      );
  }

  /** Hands the records of a batch on as they fall due. False where the source is to stop. */
  async #handOn(step: Step, skip: number, pace: Pace, output: SourceOutput): Promise<boolean> {
    const { batch, before, recording, identity, pass } = step;
    const { sender = '' } = this.#config;
    const senders = batch.raw.senders.map((name) => (name === '' ? sender : name));
    const raw = { ...batch.raw, senders, time: this.#axis.placed(batch.raw.time) };
    const { shift } = this.#axis;
    const at = { file: recording.path, ...(identity && { identity }), pass, shift };
    for (let from = skip; from < raw.count;) {
      const to = await pace.due(raw, from);
      if (output.signal.aborted) return false;
      const isWhole = to === raw.count;
      const place = isWhole ? { recording: batch.position, skip: 0 } : { recording: before, skip: to };
      const position: FilePosition = { ...at, ...place, newest: raw.time[to - 1]! };
      await output.offer({ position, raw: isWhole && from === 0 ? raw : sliceRaw(raw, from, to) });
      this.#records += to - from;
      from = to;
    }
    return true;
  }

  #report(problem: Problem): void {
    this.#problems++;
    this.#context.metrics.dropped(problem.code, 1);
    this.#problemLog.see(problem);
  }

  #decoderFor(format: string): Decoder {
    const decoder = decoderOf(formatNamed(format), this.#context, this.#config);
    if (this.#restored) decoder.restore(this.#restored.decoder);
    this.#decoder = decoder;
    this.#format = format;
    return decoder;
  }

  /** Records may be replayed to `decode` before `open` has read the file: the state then names their format. */
  #decoderOfRun(): Decoder {
    return this.#decoder ?? this.#decoderFor(this.#restored?.format ?? 'adr018');
  }
}

/** The content of the files; undefined if they do not tell, or do not exist yet. */
function measurementOf({ path, format, records }: FileSettings, folder: string) {
  const pattern = resolve(folder, path);
  const file = isFilePattern(pattern) ? filesMatching(pattern)[0] : pattern;
  const found = records !== 'auto' ? records : file && formatOfHead(file, format);
  return found === undefined ? undefined : formatNamed(found).measurement;
}
