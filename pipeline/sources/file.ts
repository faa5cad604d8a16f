import { resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import {
  choice,
  inputFile,
  defineSource,
  sliceRaw,
  type Context,
  type Output,
  type Position,
  type RawBatch,
  type Source,
  type SourceOutput,
  type State,
} from '../component/index.js';
import {
  FILE_FORMATS,
  formatNamed,
  FORMATS,
  ProblemLog,
  type Decoder,
  type Problem,
} from '../formats/index.js';
import { TABLE_KINDS } from '../formats/tables/kinds.js';
import { TableMapping } from '../formats/tables/mapping.js';
import type { Data } from '../model/index.js';
import {
  formatOfHead,
  openRecording,
  recordsFormat,
  type Recording,
  type RecordingBatch,
  type RecordingPosition,
} from './recording.js';
import { Pace } from './pace.js';

const config = Type.Object(
  {
    path: inputFile({
      description: 'The recording; relative to the folder of the topology. May be packed with gzip.',
    }),
    format: choice(
      {
        auto: 'By the first bytes.',
        ...Object.fromEntries([...FILE_FORMATS, ...TABLE_KINDS].map(({ name, summary }) => [name, summary])),
      },
      { default: 'auto', description: 'The kind of file.' },
    ),
    table: Type.Optional(
      Type.Object(TableMapping.properties, {
        additionalProperties: false,
        description:
          'What the arrays of a CSV, NumPy, MATLAB, HDF5 or Parquet file are: see docs/formats/tables.md. Not for other files.',
      }),
    ),
    records: choice<string>(
      {
        auto: 'As the file says.',
        ...Object.fromEntries(FORMATS.map(({ name, summary }) => [name, summary])),
      },
      {
        default: 'auto',
        description:
          'How its records are read: `intel5300-scaled` scales those of an Intel 5300 to the noise.',
      },
    ),
    speed: Type.Number({
      minimum: 0,
      maximum: 10_000,
      default: 0,
      description: 'Times the recorded pace: 1 as it was, 10 ten times as fast, 0 as fast as it goes.',
    }),
    loop: Type.Boolean({
      default: false,
      description: 'Start again at the end, forever; event time continues.',
    }),
    batch_records: Type.Integer({
      minimum: 1,
      maximum: 4096,
      default: 64,
      description: 'Records per batch. Affects only the speed, never the results.',
    }),
  },
  { additionalProperties: false },
);

/** Plays a recording. Event time is the recording's, so the results are the same at any speed. */
export const file = defineSource({
  name: 'file',
  summary: 'Plays a recording: a capture of csiflow, or another kind of file that it knows.',
  description: [
    'Reads raw records with their times and decodes them as they would have been from the radio. Event time',
    'is that of the recording: the results are equal at any `speed`, and a stopped run continues',
    'from its last checkpoint. Results carry the provenance `replay`.',
    '',
    'Damaged records are skipped, and reading continues at the next intact one. The first problem of each',
    'kind is logged with its byte or line, further ones are counted and summed up at the end of the file. Where the',
    'rest of a file cannot be read, the source fails with that place.',
  ].join('\n'),
  config,
  examples: [
    { title: 'A capture, as fast as it goes', config: { path: 'captures/fall.csi' } },
    { title: 'At ten times the recorded pace', config: { path: 'captures/day.csi', speed: 10 } },
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
  measures: (config, folder) => measurementOf(config, folder),
  replayable: true,
  create: (config, context) => new FileSource(config, context),
});

/** In the file, and in the batch that begins there. */
interface FilePosition {
  /** Null: at its start. */
  readonly recording: RecordingPosition | null;
  /** Records after that place that were handed on already. */
  readonly skip: number;
  /** Times that the file was played to its end. */
  readonly pass: number;
  /** Added to the recorded times, microseconds. */
  readonly shift: number;
}

const START: FilePosition = { recording: null, skip: 0, pass: 0, shift: 0 };

/** State of the decoder, and of which format it is. */
interface DecoderState {
  readonly format: string;
  readonly decoder: State;
}

class FileSource implements Source {
  readonly #config: Static<typeof config>;
  readonly #context: Context;
  readonly #path: string;
  #recording: Recording | undefined;
  #decoder: Decoder | undefined;
  #restored: DecoderState | null = null;
  #format: string | undefined;
  #records = 0;
  #problems = 0;
  readonly #problemLog: ProblemLog;

  constructor(settings: Static<typeof config>, context: Context) {
    this.#config = settings;
    this.#context = context;
    this.#path = resolve(context.folder, settings.path);
    this.#problemLog = new ProblemLog((message, problem) => {
      context.log.warn(`${settings.path}: ${message}`, problem);
    });
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    const recording = await openRecording(this.#path, this.#config.format, this.#config.table);
    this.#recording = recording;
    this.#decoderFor(recordsFormat(recording, this.#config.records));
    output.ready?.();
    const pace = new Pace(this.#config.speed, this.#context, output.signal);
    let at = (position ?? START) as FilePosition;
    try {
      for (;;) {
        const end = await this.#play(recording, at, pace, output);
        // Null also where the file is empty: it would loop without ever waiting.
        if (end === null || !this.#config.loop) return;
        at = { recording: null, skip: 0, pass: at.pass + 1, shift: end };
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

  describe(): Readonly<Record<string, unknown>> {
    const { kind, format, size } = this.#recording ?? {};
    const { speed } = this.#config;
    return {
      path: this.#config.path,
      kind,
      format,
      bytes: size,
      speed,
      records: this.#records,
      problems: this.#problems,
      ...this.#decoder?.describe(),
    };
  }

  /** Plays the file once from `at`. Returns the shift of the next pass, or null where the file held nothing. */
  async #play(
    recording: Recording,
    at: FilePosition,
    pace: Pace,
    output: SourceOutput,
  ): Promise<number | null> {
    let before = at.recording;
    let { skip } = at;
    let last = at.recording?.newest ?? null;
    for await (const batch of recording.batches(this.#config.batch_records, at.recording)) {
      for (const problem of batch.problems) this.#report(problem);
      if (batch.raw.count > 0) {
        last = batch.raw.time[batch.raw.count - 1]!;
        const position = { ...at, recording: before, skip };
        if (!(await this.#handOn(batch, position, pace, output))) return null;
      }
      before = batch.position;
      skip = 0;
    }
    if (last === null) return null;
    return this.#config.loop ? at.shift + last - (await firstTime(recording)) + PAUSE_US : 0;
  }

  /** Hands the records of a batch on as they fall due. False where the source is to stop. */
  async #handOn(batch: RecordingBatch, at: FilePosition, pace: Pace, output: SourceOutput): Promise<boolean> {
    const raw =
      at.shift === 0 ? batch.raw : { ...batch.raw, time: batch.raw.time.map((time) => time + at.shift) };
    for (let from = at.skip; from < raw.count;) {
      const to = await pace.due(raw, from);
      if (output.signal.aborted) return false;
      const position = to === raw.count ? { ...at, recording: batch.position, skip: 0 } : { ...at, skip: to };
      await output.offer({ position, raw: from === 0 && to === raw.count ? raw : sliceRaw(raw, from, to) });
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
    const decoder = formatNamed(format).decoder(this.#context);
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

/** The content of the file; undefined if it does not tell, or does not exist yet. */
function measurementOf({ path, format, records }: Static<typeof config>, folder: string) {
  const found = records === 'auto' ? formatOfHead(resolve(folder, path), format) : records;
  return found === undefined ? undefined : formatNamed(found).measurement;
}

/** Time of a recording's first record, microseconds. */
async function firstTime(recording: Recording): Promise<number> {
  for await (const { raw } of recording.batches(1)) if (raw.count > 0) return raw.time[0]!;
  return 0;
}

/** From the last record of a pass to the first of the next, microseconds. */
const PAUSE_US = 50_000;
