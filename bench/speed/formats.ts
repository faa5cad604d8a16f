import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { newTemporaryFolder, removeTemporaryFolder } from '../../pipeline/base/temporary-folders.js';
import { errorText } from '../../pipeline/base/error-text.js';
import {
  FormatError,
  formatNamed,
  HEAD_BYTES,
  RawBuilder,
  recogniseFile,
  type Decoder,
  type FileFormat,
  type OpenedFile,
} from '../../pipeline/formats/index.js';
import { tableKindOf } from '../../pipeline/formats/tables/kinds.js';
import { LinkTable, type Data } from '../../pipeline/model/index.js';
import { median } from '../../operators/shared/median.js';
import { benchContext, environmentOf } from '../shared/context.js';
import { spreadOf } from '../shared/spread.js';
import { madeCaptures } from './made-records.js';
import { readPieces } from './pieces.js';

/** How fast one recording is decoded. */
export interface FormatSpeed {
  readonly file: string;
  readonly format: string;
  readonly frames: number;
  /** Frames per second of processor time: read from the disk cache, cut and decoded into columns. */
  readonly perSecond: number;
  /** The same of the slowest reading, and of the fastest. */
  readonly slowest: number;
  readonly fastest: number;
  /** The second reading of each pair over the first, less one: a difference from 0 is measurement noise. */
  readonly control: number;
  /**
   * The same for Python's csiread on the same file, between the two; null if it does not read the file, or is
   * not installed.
   */
  readonly csiread: { readonly perSecond: number; readonly ratio: number } | null;
}

/** How long each row is measured. */
export interface Amount {
  /** Seconds of processor time before the measurement, so that the code is compiled. */
  readonly long: number;
  /** Rounds after that: csiflow, csiread, and csiflow again, each for a part of `long`; a whole recording at least. */
  readonly pairs: number;
  /** Length of a made-up capture. */
  readonly records: number;
}
export const FULL: Amount = { long: 0.5, pairs: 5, records: 2000 };
/** Not for publication. */
export const QUICK: Amount = { long: 0.1, pairs: 3, records: 400 };
/** Records per batch, as from live sources. */
const BATCH = 64;

/** Called with what is measured next: `ward.dat, recording 1 of 2`. */
export type Progress = (line: string) => void;

export const silent: Progress = () => undefined;

/**
 * @param python a Python with csiread; null skips it
 */
export const formatSpeeds = (
  files: readonly string[],
  python: string | null,
  amount = FULL,
  progress = silent,
): readonly FormatSpeed[] =>
  files.map((path, index) => {
    progress(`${basename(path)}, recording ${index + 1} of ${files.length}`);
    return speedOf(path, python, amount);
  });

/** How fast made-up records of a format are decoded. */
export interface MadeSpeed extends Omit<FormatSpeed, 'file' | 'csiread'> {
  /** Size of a frame: `3 x 1, 30 carriers`. */
  readonly size: string;
}

/**
 * The same for each format that csiflow can encode, from captures of made-up records: also those of
 * which no recording is at hand.
 */
export function madeSpeeds(amount = FULL, progress = silent): readonly MadeSpeed[] {
  const folder = newTemporaryFolder('csiflow-bench-');
  try {
    const captures = madeCaptures(amount.records);
    return captures.map(({ format, size, bytes }, index) => {
      progress(`${format}, format ${index + 1} of ${captures.length}`);
      const path = join(folder, format);
      writeFileSync(path, bytes);
      const { frames, perSecond, slowest, fastest, control } = speedOf(path, null, amount);
      return { format, size, frames, perSecond, slowest, fastest, control };
    });
  } finally {
    removeTemporaryFolder(folder);
  }
}

function speedOf(path: string, python: string | null, { long, pairs: count }: Amount): FormatSpeed {
  const kind = kindOf(path);
  const { format } = kind.open(headOf(path));
  let frames = 0;
  const round = (): number => {
    const before = process.cpuUsage();
    frames = decodeFile(path, kind);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  const ours = (): number => frames / median(rounds(round, long / count));
  rounds(round, long);
  const pairs = Array.from({ length: count }, () => {
    const first = ours();
    const theirs = python === null ? null : csireadSpeed(python, path, format, long / count);
    return { first, theirs, second: ours() };
  });
  const theirs = pairs.flatMap(({ theirs }) => theirs ?? []);
  const ratios = pairs.flatMap(({ first, theirs, second }) =>
    theirs === null ? [] : (first + second) / 2 / theirs,
  );
  const [perSecond, slowest, fastest] = spreadOf(pairs.flatMap(({ first, second }) => [first, second]));
  return {
    file: basename(path),
    format,
    frames,
    perSecond,
    slowest,
    fastest,
    control: median(pairs.map(({ first, second }) => second / first)) - 1,
    csiread: theirs.length === 0 ? null : { perSecond: median(theirs), ratio: median(ratios) },
  };
}

/** Durations of rounds that together take `long`. */
function rounds(round: () => number, long: number): readonly number[] {
  const taken: number[] = [];
  for (let sum = 0; sum < long; sum += taken.at(-1)!) taken.push(round());
  return taken;
}

function headOf(path: string): Uint8Array {
  let head: Uint8Array | undefined;
  readPieces(path, (bytes) => {
    head ??= bytes.slice(0, HEAD_BYTES);
    return bytes.length;
  });
  return head!;
}

/** @throws FormatError for a table, or a file of an unknown kind */
function kindOf(path: string): FileFormat {
  const head = headOf(path);
  const kind = recogniseFile(head);
  if (kind) return kind;
  const table = tableKindOf('auto', head, head.length < HEAD_BYTES);
  if (table) {
    const reason = `it is a table (${table.name}); only recordings that are decoded record by record are measured`;
    throw new FormatError('file.format', path, reason);
  }
  throw new FormatError('file.format', path, 'it is of no kind that csiflow reads');
}

/** One link that accepts frames of any sender. */
const [link] = environmentOf(1).links;
const ANY_SENDER = new LinkTable([{ ...environmentOf(1), links: [{ ...link!, sender: '*' }] }]);

/** Reads, cuts and decodes a whole recording; returns its number of frames. */
function decodeFile(path: string, kind: FileFormat): number {
  const builder = new RawBuilder(BATCH, 'replay');
  let opened: (OpenedFile & { readonly decoder: Decoder }) | undefined;
  let at = 0;
  let frames = 0;
  readPieces(path, (bytes, last) => {
    opened ??= opening(kind, bytes);
    const { cutter, decoder, start } = opened;
    const before = at;
    at = Math.max(at, start);
    for (let full = true; full;) {
      at += cutter.cut(bytes.subarray(at - before), builder, at, last);
      full = builder.full;
      if (full || (last && builder.count > 0)) frames += countFrames(decoder.decode(builder.take()).data);
    }
    return at - before;
  });
  return frames;
}

function opening(kind: FileFormat, bytes: Uint8Array): OpenedFile & { readonly decoder: Decoder } {
  const file = kind.open(bytes.subarray(0, HEAD_BYTES));
  return { ...file, decoder: formatNamed(file.format).decoder({ ...benchContext(1), links: ANY_SENDER }) };
}

const countFrames = (data: readonly Data[]): number =>
  data.reduce((sum, one) => sum + (one.port === 'csi' ? one.count : 0), 0);

/**
 * Reads a file for as long as csiflow does, and prints the number of frames and the median time in seconds.
 */
const CSIREAD = `
import sys, time, statistics, csiread
path, kind, long = sys.argv[1], sys.argv[2], float(sys.argv[3])
def reader():
    if kind == 'intel5300': return csiread.Intel(path, nrxnum=3, ntxnum=3, if_report=False)
    if kind == 'atheros': return csiread.Atheros(path, nrxnum=3, ntxnum=3, tones=int(sys.argv[4]), if_report=False)
    return csiread.Nexmon(path, chip=sys.argv[4], bw=int(sys.argv[5]), if_report=False)
def rounds():
    times = []
    while sum(times) < long:
        started = time.process_time()
        data = reader()
        data.read()
        times.append(time.process_time() - started)
    return data.count, statistics.median(times)
reader().read()
print(*rounds())
`;

/** Parameters that csiread needs for the files. */
function csireadArguments(path: string, format: string): readonly string[] | null {
  if (format === 'intel5300') return [];
  if (format === 'atheros') return ['56'];
  if (format !== 'nexmon') return null;
  const chip = /(43455c0|4339|4358|4366c0)/.exec(basename(path))?.[1];
  return chip === undefined ? null : [chip, '80'];
}

/** Frames per second of csiread; null if it does not read such files. @throws Error if it fails */
function csireadSpeed(python: string, path: string, format: string, long: number): number | null {
  const more = csireadArguments(path, format);
  if (!more) return null;
  try {
    const said = execFileSync(python, ['-c', CSIREAD, path, format, String(long), ...more], {
      encoding: 'utf8',
    });
    const [frames, seconds] = said.trim().split(' ').map(Number);
    return frames! / seconds!;
  } catch (error) {
    throw new Error(`${python} cannot read ${path} by csiread: ${errorText(error)}`, { cause: error });
  }
}
