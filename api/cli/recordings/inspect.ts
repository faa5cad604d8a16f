import type { Decoder } from '../../../pipeline/formats/index.js';
import type { RawBatch } from '../../../pipeline/component/index.js';
import { yamlText } from '../../../pipeline/formats/strangers.js';
import { hostOf, type CsiBlock, type LinkTable } from '../../../pipeline/model/index.js';

/** What was found of one sender. */
export interface SenderSummary {
  /** As a link of an environment file names it. */
  readonly sender: string;
  /** Frames by sender where `sender` is `*`: each may have a link of its own. */
  readonly heard?: Readonly<Record<string, number>>;
  /** Share of the numbers that are missing, 0 to 1; null where the format has none. */
  readonly loss: number | null;
  readonly layouts: readonly LayoutSummary[];
}

export interface LayoutSummary {
  readonly layout: string;
  readonly frames: number;
  readonly frames_per_second: number;
  /** Mean, dBm; null where unknown. */
  readonly rssi_dbm: number | null;
}

/** Gathers what an inspection shows of raw records. */
export class Inspection {
  readonly #links: LinkTable;
  readonly #decoder: Pick<Decoder, 'decode' | 'describe'>;
  readonly #found = new Map<string, Map<string, { frames: number; rssi: number; known: number }>>();
  #records = 0;
  #bytes = 0;
  #first = NaN;
  #last = NaN;

  constructor(links: LinkTable, decoder: Pick<Decoder, 'decode' | 'describe'>) {
    this.#links = links;
    this.#decoder = decoder;
  }

  see(raw: RawBatch): void {
    if (raw.count === 0) return;
    this.#records += raw.count;
    this.#bytes += raw.bytes.length;
    if (Number.isNaN(this.#first)) this.#first = raw.time[0]!;
    this.#last = raw.time[raw.count - 1]!;
    for (const data of this.#decoder.decode(raw).data) if (data.port === 'csi') this.#count(data);
  }

  summary() {
    const seconds = this.#records === 0 ? 0 : (this.#last - this.#first) / 1e6;
    const about = this.#decoder.describe();
    const states = about['links'] as Readonly<Record<string, { readonly loss?: number }>> | undefined;
    const senders = [...this.#found].sort(byName).map(([sender, layouts]): SenderSummary => ({
      sender,
      ...(sender === '*' && { heard: byAddress(about['any_sender']) }),
      loss: states?.[sender]?.loss ?? null,
      layouts: [...layouts].map(([layout, { frames, rssi, known }]) => ({
        layout,
        frames,
        frames_per_second: seconds > 0 ? round(frames / seconds) : 0,
        rssi_dbm: known > 0 ? round(rssi / known) : null,
      })),
    }));
    return {
      records: this.#records,
      bytes: this.#bytes,
      start: this.#records === 0 ? null : new Date(this.#first / 1000).toISOString(),
      seconds: round(seconds),
      packets: about['packets'] ?? null,
      malformed: about['malformed'] ?? null,
      senders,
    };
  }

  #count(block: CsiBlock): void {
    for (let i = 0; i < block.count; i++) {
      const { id } = this.#links.at(block.link[i]!).link;
      const layouts =
        this.#found.get(id) ?? new Map<string, { frames: number; rssi: number; known: number }>();
      this.#found.set(id, layouts);
      const entry = layouts.get(block.layout.key) ?? { frames: 0, rssi: 0, known: 0 };
      layouts.set(block.layout.key, entry);
      entry.frames++;
      const rssi = block.rssi[i]!;
      if (!Number.isNaN(rssi)) {
        entry.rssi += rssi;
        entry.known++;
      }
    }
  }
}

export type Summary = ReturnType<Inspection['summary']>;

/** For people. */
export function summaryText(
  what: string,
  { records, bytes, start, seconds, packets, malformed, senders }: Summary,
): string {
  const counts = (of: unknown) =>
    Object.entries((of ?? {}) as Record<string, number>)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none';
  const lines = [what, `${records} records, ${bytes} bytes, ${seconds} s from ${start ?? '-'}`];
  if (packets) lines.push(`packets: ${counts(packets)}`, `malformed: ${counts(malformed)}`);
  for (const { sender, heard, loss, layouts } of senders) {
    lines.push(
      `sender: ${yamlText(sender)}`,
      `  loss ${loss === null ? 'not known' : `${round(loss * 100)} %`}`,
    );
    for (const [name, frames] of Object.entries(heard ?? {}))
      lines.push(`  ${frames} frames are also taken by a link with sender: ${yamlText(name)}`);
    for (const { layout, frames, frames_per_second: rate, rssi_dbm: rssi } of layouts) {
      lines.push(
        `  ${layout}: ${frames} frames, ${rate}/s, RSSI ${rssi === null ? 'not known' : `${rssi} dBm`}`,
      );
    }
  }
  return lines.join('\n');
}

/** Frames by sender; addresses without their ports, which change. */
function byAddress(frames: unknown): Readonly<Record<string, number>> {
  const heard: Record<string, number> = {};
  for (const [sender, count] of Object.entries((frames ?? {}) as Record<string, number>)) {
    const name = hostOf(sender);
    if (name !== '') heard[name] = (heard[name] ?? 0) + count;
  }
  return heard;
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a.localeCompare(b, 'en', { numeric: true });
const round = (value: number): number => Math.round(value * 1000) / 1000;
