import { BY_CONTENT } from '../../../pipeline/formats/decoder/by-content.js';
import { yamlText } from '../../../pipeline/formats/senders/strangers.js';
import type { LayoutSummary, Summary } from './inspect.js';
import { faultText } from './fault-text.js';
import { leftOut, linkLines, MAX_LINKS } from './link-lines.js';
import { numberOf } from '../number-of.js';
import { rowsHeard } from './nexmon-rows.js';

/** A summary as text. @param kind of file */
export function summaryText(
  what: string,
  kind: string,
  { records, bytes, start, seconds, packets, malformed, faults, senders }: Summary,
): string {
  const counts = (of: unknown) =>
    Object.entries((of ?? {}) as Record<string, number>)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none';
  const lines = [what, `${numberOf(records, 'record')}, ${bytes} bytes, ${seconds} s from ${start ?? '-'}`];
  if (records > 1 && seconds === 0 && start === EPOCH) lines.push(noTimes(kind));
  if (packets) lines.push(`packets: ${counts(packets)}`, `malformed: ${counts(malformed)}`);
  lines.push(...faults.map((one) => `  ${faultText(one)}`));
  for (const { sender, loss, assumed, layouts } of senders) {
    lines.push(
      `sender: ${yamlText(sender)}`,
      `  loss ${loss === null ? 'unknown' : `${Math.round(loss * 100_000) / 1000} %`}`,
    );
    if (assumed !== null) lines.push(`  ${assumed}`);
    lines.push(...layouts.flatMap(layoutLines));
  }
  if (senders.length > 0) {
    lines.push('Add these lines to an environment file, with measured positions:', 'links:');
    lines.push(...linkLines({ senders, seconds }));
    const rows = rowsHeard({ senders });
    if (rows)
      lines.push(
        `\`nexmon: { cores: ${rows.cores}, streams: ${rows.streams} }\` of the source combines senders that end in /core.stream into one frame, whose sender is the address`,
      );
    const { further, rare } = leftOut({ senders, seconds });
    if (further > 0)
      lines.push(
        `${further === 1 ? 'one more sender is' : `${further} more senders are`} heard too, beyond these ${MAX_LINKS} links: --json lists all`,
      );
    if (rare > 0)
      lines.push(`${rare === 1 ? 'one more sender is' : `${rare} more senders are`} rare: --json lists all`);
  }
  return lines.join('\n');
}

const EPOCH = new Date(0).toISOString();

function noTimes(kind: string): string {
  const [reason, remedy] = kind.endsWith('-pcap')
    ? [
        'as in a pcapng of simple packet blocks, which have no times',
        'capture it again with times, for example with `tcpdump -w`',
      ]
    : [
        `because ${CLOCKS[kind] ?? "the receiver's clock"} is 0 or missing in each`,
        'record it again with that clock, or read the receiver itself with `serial`, `udp` or another live source, which gives each record the time of its arrival',
      ];
  return `times unknown: all records are at time 0, ${reason}: ${remedy}`;
}

/** The field of a record that holds the receiver's clock, by kind of file. */
const CLOCKS: Readonly<Record<string, string>> = {
  'intel5300-log': '`timestamp_low`',
  'esp-csi-log': '`local_timestamp`',
  'esp32-csi-tool-log': '`local_timestamp`',
};

function layoutLines(summary: LayoutSummary): readonly string[] {
  const { layout, frames, frames_per_second: rate, rssi_dbm: rssi } = summary;
  const { zero_frames: zero, repeated_frames: repeated, longest_gap_s: gap } = summary;
  const level = rssi === null ? 'not known' : `${rssi} dBm`;
  const pace = rate > 0 ? `${rate}/s, longest gap ${gap} s` : 'rate unknown';
  return [
    `  ${layout}: ${numberOf(frames, 'frame')}, ${pace}, RSSI ${level}`,
    ...(zero > 0 ? [`  ${zero} of them ${ZEROS}`] : []),
    ...(repeated > 0 ? [`  ${repeated} of them ${REPEATS}`] : []),
  ];
}

const ZEROS = 'are all zeros, so not measurements';
const REPEATS = 'repeat the previous one: a working receiver does not repeat itself';

/** Layouts of which at least half of the frames are no measurements, as lines. */
export const deadLines = ({ senders }: Pick<Summary, 'senders'>): readonly string[] =>
  senders.flatMap(({ sender, layouts }) =>
    layouts.flatMap(({ layout, frames, zero_frames: zero, repeated_frames: repeated }) => {
      const of = `of ${frames} frames from sender ${yamlText(sender)} (${layout})`;
      if (2 * zero >= frames) return [`${zero} ${of} ${ZEROS}`];
      return 2 * repeated >= frames ? [`${repeated} ${of} ${REPEATS}`] : [];
    }),
  );

/** The records that were found: `records of nexmon`. */
export function recordsOf(format: string, { senders }: Pick<Summary, 'senders'>): string {
  if (format !== BY_CONTENT) return `records of ${format}`;
  const [first, ...others] = new Set(senders.map((sender) => sender.format));
  if (first === undefined) return 'records of no known format';
  return first === null || others.length > 0 ? 'records of several formats' : `records of ${first}`;
}
