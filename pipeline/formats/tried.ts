import { LinkTable } from '../model/index.js';
import { FILE_FORMATS, formatNamed } from './index.js';
import { pcapContent } from './containers/pcap-content.js';
import { FormatError, type DecoderContext, type FileFormat } from './contract/format.js';
import { RawBuilder } from './contract/raw-builder.js';
import type { FaultState } from './decoder/faults.js';

/** A kind of file that was tried on a file's first bytes, and the number of records found. */
export interface Tried {
  readonly kind: FileFormat;
  readonly records: number;
  /** Parts of the file that look like its records, but are none. */
  readonly refused: number;
  /** Share of those in the bytes, 0 to 1. */
  readonly share: number;
  /** Why most of them are none. */
  readonly reason: string;
}

const UTF_16 = 'text in UTF-16, as Windows PowerShell writes it with `>`: convert it to UTF-8';
const compressedBy = (program: string, unpack: string): string =>
  `compressed by ${program}: unpack it (\`${unpack}\`), or use gzip`;

/** Files of other programs, by their first bytes, and what to do with them. */
const FOREIGN: readonly { readonly begin: string; readonly is: string }[] = [
  { begin: '\x89MCAP0\r\n', is: 'an MCAP recording' },
  { begin: 'SQLite format 3\0', is: 'an SQLite database' },
  { begin: '\xff\xfe', is: UTF_16 },
  { begin: '\xfe\xff', is: UTF_16 },
  { begin: '\xfd7zXZ\0', is: compressedBy('xz', 'xz -d') },
  { begin: '\x28\xb5\x2f\xfd', is: compressedBy('zstd', 'zstd -d') },
  { begin: 'BZh', is: compressedBy('bzip2', 'bzip2 -d') },
];

/** Sections of csiflow's own files. */
const OWN_YAML = /^(sources|operators|sinks|environments?|links):(\s|$)/m;

/** Description of a file that csiflow cannot read; undefined if its first bytes do not identify it. */
export function foreignFile(head: Uint8Array): string | undefined {
  const start = Buffer.from(head.subarray(0, 4096)).toString('latin1');
  const known = FOREIGN.find(({ begin }) => start.startsWith(begin))?.is;
  return (
    known ??
    (OWN_YAML.test(start) ? 'YAML, such as a topology or an environment, not a recording' : undefined)
  );
}

/** Enough to determine the content of a file. */
const MAX_RECORDS = 4096;

/** Tries every kind on the first bytes of an unrecognised file; the one with the most records comes first. */
export const tryKinds = (head: Uint8Array): readonly Tried[] =>
  FILE_FORMATS.map((kind) => tryKind(kind, head)).sort((a, b) => b.records - a.records || b.share - a.share);

/** What comes nearest to an unrecognised file, and why it is not that; for a person. */
export function nearestTo(head: Uint8Array): string {
  const tried = tryKinds(head);
  const [nearest] = tried;
  if (nearest && nearest.records > 0)
    return (
      `the most similar kind is ${nearest.kind.name}, which finds ${nearest.records} records in the first ${head.length} ` +
      `bytes: name it (\`--kind ${nearest.kind.name}\`, in a topology \`format: ${nearest.kind.name}\`) to read them`
    );
  const separated = otherSeparator(head);
  if (separated !== undefined) return separated;
  const pcap = pcapContent(head);
  // Packets of a pcap may contain anything, but not another file.
  const refused = pcap === undefined ? nearest : tried.find(({ kind }) => kind.name.endsWith('-pcap'));
  if (refused && refused.refused > 0 && (refused.share >= MIN_SHARE || pcap !== undefined))
    return (
      `the nearest kind is ${refused.kind.name}, but the ${refused.refused} records that it finds in the first ` +
      `${head.length} bytes cannot be read: ${refused.reason}`
    );
  return pcap === undefined ? `none finds a record in its first ${head.length} bytes` : `it is ${pcap}`;
}

/** Lines of an ESP32's program that a spreadsheet or a script has written with another separator. */
function otherSeparator(head: Uint8Array): string | undefined {
  const found = /(?:^|[\n;\t])"?CSI_DATA"?([;\t])([A-Z]?)/.exec(Buffer.from(head).toString('latin1'));
  if (!found) return undefined;
  const kind = found[2] === '' ? 'esp-csi-log' : 'esp32-csi-tool-log';
  return (
    `the nearest kind is ${kind}, but the columns of its CSI_DATA lines are separated by ` +
    `${found[1] === ';' ? 'semicolons' : 'tabs'}: separate them by commas`
  );
}

/** Smallest share of the bytes in refused records: some kinds find a record in any bytes. */
const MIN_SHARE = 0.1;

function tryKind(kind: FileFormat, head: Uint8Array): Tried {
  const none = { kind, records: 0, refused: 0, share: 0, reason: '' };
  try {
    const { format, start, cutter } = kind.open(head);
    const builder = new RawBuilder(MAX_RECORDS, 'replay');
    cutter.cut(head.subarray(start), builder, start, true);
    const raw = builder.take();
    if (raw.count === 0) return none;
    const { recognise, decoder } = formatNamed(format);
    const { count, bytes, offsets } = raw;
    const records = Array.from({ length: count }, (_, i) => bytes.slice(offsets[i], offsets[i + 1])).filter(
      recognise,
    ).length;
    if (records > 0) return { ...none, records };
    const tried = decoder(unheard());
    tried.decode(raw);
    const faults = (tried.describe()['faults'] ?? []) as readonly FaultState[];
    // Other bytes are refused for many reasons, records of an unknown variant for one or two.
    if (faults.length > MAX_CAUSES) return none;
    const [most] = faults.toSorted((a, b) => b.count - a.count);
    return {
      ...none,
      refused: count,
      share: bytes.length / head.length,
      reason: most?.reason ?? NO_MEASUREMENT,
    };
  } catch (error) {
    // The caller already knows that the file is not of this kind.
    if (error instanceof FormatError) return none;
    throw error;
  }
}

/** Reasons for which the records of a kind may be refused. */
const MAX_CAUSES = 4;
const NO_MEASUREMENT = 'they are not measurements';

/** For a decoder whose frames nobody uses. */
function unheard(): DecoderContext {
  const ignore = () => undefined;
  return {
    links: new LinkTable([]),
    metrics: { dropped: ignore, missing: ignore, failed: ignore, gauge: ignore, count: ignore },
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  };
}
