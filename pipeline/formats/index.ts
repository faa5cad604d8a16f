import { adr018Jsonl } from './devices/adr018/adr018-jsonl.js';
import { adr018, adr018Newest } from './devices/adr018/adr018.js';
import { ath11kCfr, ath11kCfrFile, ath11kCfrVariants } from './devices/qualcomm/ath11k-cfr.js';
import { atheros, atherosLog } from './devices/qualcomm/atheros.js';
import { beamforming, beamformingPcap } from './devices/beamforming/beamforming.js';
import { byContent } from './decoder/by-content.js';
import { capture } from './containers/capture.js';
import { csiJson, csiJsonLines } from './json/csi-json.js';
import { espCsi, espCsiImaginaryFirst, espCsiLog } from './devices/espressif/esp-csi.js';
import { esp32CsiTool, esp32CsiToolLog } from './devices/espressif/esp32-csi-tool.js';
import { esp32Serial, esp32SerialLog } from './devices/espressif/esp32-serial.js';
import { espFramed, espFramedFile } from './devices/espressif/esp-framed.js';
import { espectre } from './devices/espressif/espectre.js';
import { feitcsi, feitcsiFile, feitcsiRealFirst } from './devices/intel/feitcsi.js';
import {
  FormatError,
  type Decoder,
  type DecoderContext,
  type FileFormat,
  type Format,
} from './contract/format.js';
import type { FormatOptions } from './contract/options.js';
import { intel5300Log } from './devices/intel/intel5300-log.js';
import { intel5300, intel5300Scaled } from './devices/intel/intel5300.js';
import { mediatekCsi, mediatekCsiLog, mediatekCsiVariants } from './devices/mediatek-csi.js';
import { micropythonCsi, micropythonCsiLog } from './devices/espressif/micropython-csi.js';
import { nexmon } from './devices/broadcom/nexmon-matrix.js';
import { nexmonPcap } from './devices/broadcom/nexmon.js';
import { oneWifi, oneWifiFile, oneWifiJson, oneWifiVariants } from './devices/onewifi/onewifi.js';
import { picoscenes, picoscenesFile, picoscenesRealFirst } from './devices/picoscenes/picoscenes.js';
import { realtekCsi, realtekCsiFile, realtekCsiImaginaryFirst } from './devices/realtek/realtek-csi.js';
import { realtekCsiLog } from './devices/realtek/realtek-log.js';
import { results } from './json/results.js';
import { tableFrame } from './tables/table-frame.js';

export * from './contract/format.js';
export { FORMAT_OPTIONS, type FormatOptions } from './contract/options.js';
export { LineCutter, type LineKind } from './containers/line-cutter.js';
export { RecordCutter, type RecordKind } from './containers/record-cutter.js';
export {
  addLine,
  linesOf,
  linesOfMessage,
  MAX_MESSAGE_LINES,
  timesOf,
  timesOfLines,
  type MessageLine,
} from './containers/message-lines.js';
export type { ClockKind } from './containers/device-clock.js';
export { frameFormat, type FrameReader, type ReadFault, type ReadFrame } from './decoder/frame-decoder.js';
export { LinkActivity } from './senders/link-activity.js';
export { ProblemLog } from './contract/problem-log.js';
export { RawBuilder, type Problem } from './contract/raw-builder.js';

/** Formats of single records, in the order of detection: those with the most specific signatures first. */
export const FORMATS: readonly Format[] = [
  adr018,
  adr018Newest,
  csiJson,
  esp32Serial,
  espCsi,
  espCsiImaginaryFirst,
  esp32CsiTool,
  micropythonCsi,
  espectre,
  espFramed,
  nexmon,
  ath11kCfr,
  ...ath11kCfrVariants,
  realtekCsi,
  realtekCsiImaginaryFirst,
  mediatekCsi,
  ...mediatekCsiVariants,
  beamforming,
  picoscenes,
  picoscenesRealFirst,
  feitcsi,
  feitcsiRealFirst,
  oneWifi,
  ...oneWifiVariants,
  atheros,
  intel5300,
  intel5300Scaled,
  tableFrame,
];

/** Any of them, detected record by record. */
export const ANY_FORMAT: Format = byContent(FORMATS);

/** Formats for brokers: also results of another topology. */
export const MESSAGE_FORMATS: readonly Format[] = [...FORMATS, results];

const choicesOf = (formats: readonly Format[]): Readonly<Record<string, string>> =>
  Object.fromEntries(formats.map(({ name, summary }) => [name, summary]));

/** Values for the field `format` of a source, and their meanings. */
export const FORMAT_CHOICES = choicesOf([ANY_FORMAT, ...FORMATS]);
export const MESSAGE_CHOICES = choicesOf([ANY_FORMAT, ...MESSAGE_FORMATS]);

/** Kinds of files, in the order of detection. */
export const FILE_FORMATS: readonly FileFormat[] = [
  capture,
  adr018Jsonl,
  esp32SerialLog,
  espCsiLog,
  esp32CsiToolLog,
  micropythonCsiLog,
  espFramedFile,
  realtekCsiLog,
  mediatekCsiLog,
  oneWifiJson,
  csiJsonLines,
  nexmonPcap,
  beamformingPcap,
  ath11kCfrFile,
  realtekCsiFile,
  picoscenesFile,
  feitcsiFile,
  oneWifiFile,
  atherosLog,
  intel5300Log,
];

/** True if a record of one of these formats is also one of the other. */
export const areSameRecords = (one: string, other: string): boolean =>
  (formatNamed(one).variantOf ?? one) === (formatNamed(other).variantOf ?? other);

/** @throws FormatError if no format has this name */
export function formatNamed(name: string): Format {
  const format = [...MESSAGE_FORMATS, ANY_FORMAT].find((one) => one.name === name);
  if (format) return format;
  const names = MESSAGE_FORMATS.map((one) => one.name).join(', ');
  throw new FormatError(
    'format.unknown',
    `format ${name}`,
    `unknown format of records; available formats: ${names}`,
  );
}

/** The decoder of a source. @param options its settings about the records */
export const decoderOf = (
  { decoder }: Format,
  { links, metrics, log }: DecoderContext,
  { nexmon: rows }: FormatOptions,
): Decoder => decoder({ links, metrics, log, options: rows ? { nexmon: rows } : {} });

/** The format of one record, or undefined if none recognises it. */
export const recogniseRecord = (record: Uint8Array): Format | undefined =>
  FORMATS.find((format) => format.recognise(record));

/** The kind of a file that starts with `head` (up to HEAD_BYTES), or undefined if none recognises it. */
export const recogniseFile = (head: Uint8Array): FileFormat | undefined =>
  FILE_FORMATS.find((format) => format.recognise(head));
