/** Common handling of the `CSI_DATA,...` lines of all programs; their columns differ. */
import { recordingOf, type FileFormat, type Format } from '../../contract/format.js';
import type { ReadFault } from '../../decoder/frame-decoder.js';
import { MAX_MESSAGE_LINES } from '../../containers/message-lines.js';
import { latin1, LINE_END, LineCutter, linesOfHead, type LineKind } from '../../containers/line-cutter.js';
import { ESP_CLOCK, type EspNumbers } from './esp-values.js';

const CSI_DATA = 'CSI_DATA,';
/** Longest line that can be a measurement: 612 numbers and 30 columns. */
const MAX_LINE_BYTES = 8192;

/**
 * The line of a record, from its mark to its end: programs that pass a serial port on put colours, an index or
 * other lines around it. Null if there is none.
 */
export function csiDataLine(record: Uint8Array): string | ReadFault | null {
  if (record.length > MAX_LINE_BYTES)
    return { fault: 'oversized', reason: `longer than ${MAX_LINE_BYTES} bytes` };
  const text = latin1(record);
  const at = text.lastIndexOf(CSI_DATA);
  if (at < 0) return null;
  if (LINE_END.test(text.slice(text.indexOf(CSI_DATA), at)))
    return {
      fault: 'lines',
      reason: `several lines: at most ${MAX_MESSAGE_LINES} in one message are read; send fewer, or each by itself`,
    };
  return text.slice(at).split(LINE_END, 1)[0]!.trimEnd();
}

/** First column of header lines. */
const TYPE = 'type,';
/** Longest header line. */
const MAX_HEADING_BYTES = 2048;

/**
 * The header line in this text, from its column `type`; null if there is none. Text before it is dropped.
 * @param data name of the column that holds the numbers
 */
export function headingIn(text: string, data: string): string | null {
  const at = text.search(/(?<![\w])type,/);
  if (at < 0) return null;
  const heading = text.slice(at).trimEnd();
  const names = heading.split(',').map((name) => name.trim());
  return names.every((name) => /^[\w ()]*$/.test(name)) && names.includes(data) ? heading : null;
}

/** The header line that a record is; null if it is none. */
export const headingOf = (record: Uint8Array, data: string): string | null =>
  record.length <= MAX_HEADING_BYTES ? headingIn(latin1(record), data) : null;

/**
 * True if `record` starts with the mark of all programs' lines, and then with a role, which only the ESP32-CSI-Tool
 * prints, or not.
 */
export const hasMark = (record: Uint8Array, withRole: boolean): boolean =>
  latin1(record.subarray(0, CSI_DATA.length)) === CSI_DATA &&
  /^[A-Z]/.test(latin1(record.subarray(CSI_DATA.length, CSI_DATA.length + 1))) === withRole;

/** The numbers of a line whose `required` columns are valid; otherwise its fault. */
export function numbersOfLine(
  line: { readonly column: (name: string) => number; readonly mac: string },
  required: readonly string[],
  parse: () => EspNumbers | null,
): EspNumbers | ReadFault {
  const wrong = required.find((name) => !Number.isInteger(line.column(name)));
  if (wrong !== undefined) return { fault: 'value', reason: `its ${wrong} is not a whole number` };
  if (!/^[\da-f]{2}(:[\da-f]{2}){5}$/.test(line.mac))
    return { fault: 'value', reason: 'its mac is not an address' };
  return parse() ?? { fault: 'value', reason: 'its data are not whole numbers of up to 16 bits' };
}

/** The text after the mark in each line of a file's head, and its header lines. */
const csiDataLines = (head: Uint8Array, headingIn: Headed['headingIn']): readonly string[] =>
  linesOfHead(head, (line) => line.includes(CSI_DATA) || line.includes(TYPE)).flatMap((line) => {
    const at = line.lastIndexOf(CSI_DATA);
    const found = headingIn(line) ?? (at < 0 ? null : line.slice(at).trimEnd());
    return found === null ? [] : [found];
  });

/** How a program's log is read. */
interface Headed {
  readonly headingIn: (line: string) => string | null;
  /** True if lines, header lines among them, are of this kind. */
  readonly recognise: (lines: readonly string[]) => boolean;
}

/**
 * A log or table of such lines. Event time is the ESP32's own clock (since it was started), counted from
 * 1970.
 */
export const csiDataLog = (
  format: Format,
  named: Pick<FileFormat, 'name' | 'summary'>,
  stampOf: LineKind['stampOf'],
  { headingIn, recognise }: Headed,
): FileFormat => ({
  ...named,
  recognise: (head) => recognise(csiDataLines(head, headingIn)),
  open: recordingOf(
    format,
    () =>
      new LineCutter({
        name: format.name,
        mark: CSI_DATA,
        maxBytes: MAX_LINE_BYTES,
        clock: ESP_CLOCK,
        unit: 'us',
        stampOf,
        headingIn,
      }),
  ),
});
