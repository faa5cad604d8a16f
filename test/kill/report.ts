import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { expect } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import type { Loss } from './accepted.js';
import { KINDS, type Kind } from './process.js';
import { WAYS, type Way } from './receivers.js';

/** Collects counts for docs/reports/kill.md. */
export class Report {
  readonly #kills = new Map<string, number>();
  readonly #losses: Loss[] = [];
  readonly #tables = countOf(KINDS);
  readonly #rows = countOf(KINDS);
  readonly #alerts = countOf(WAYS);
  readonly #again = countOf(WAYS);
  readonly #broken: Record<Kind, string[]> = {
    ...{ file: [], simulator: [], udp: [], kafka: [], mqtt: [], follow: [] },
  };
  readonly #influx = { stores: 0, records: 0 };
  readonly #topics = countOf(DELIVERIES);
  readonly #results = countOf(DELIVERIES);
  readonly #twice = countOf(DELIVERIES);

  killed(kind: Kind, moment: string, loss?: Loss): void {
    const key = `${kind} ${moment}`;
    this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
    if (loss) this.#losses.push(loss);
  }

  kills(kind: Kind, moment: string): number {
    return this.#kills.get(`${kind} ${moment}`) ?? 0;
  }

  /** Tables equal those of the uninterrupted run. */
  compared(kind: Kind, rows: string): void {
    this.#tables[kind]++;
    this.#rows[kind] += rows.split('\n').length;
  }

  /** An InfluxDB holds the same as the DuckDB beside it. */
  stored(records: number): void {
    this.#influx.stores++;
    this.#influx.records += records;
  }

  /** A topic equals that of the uninterrupted run; `again` results arrived more than once. */
  delivered(delivery: Delivery, results: number, again: number): void {
    this.#topics[delivery]++;
    this.#results[delivery] += results;
    this.#twice[delivery] += again;
  }

  /** All alerts of a chain were delivered by a way, some of them repeatedly. */
  alerted(way: Way, alerts: number, again: number): void {
    this.#alerts[way] += alerts;
    this.#again[way] += again;
  }

  /** A chain of kills failed. */
  broke(kind: Kind, error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#broken[kind].push(text);
    console.error(kind, error);
  }

  /** ⏎ @throws if a chain of this kind failed */
  expectNone(kind: Kind): void {
    expect(this.#broken[kind]).toEqual([]);
  }

  /** ⏎ @throws if a process of this kind was never killed at one of the moments */
  expectEach(kind: Kind, moments: readonly string[]): void {
    expect(moments.filter((moment) => !this.#kills.has(`${kind} ${moment}`))).toEqual([]);
  }

  /** The longest stretch of datagrams lost in a kill, milliseconds. */
  get longestLoss(): number {
    return Math.max(0, ...this.#losses.map(({ milliseconds }) => milliseconds));
  }

  write(): void {
    const moments = [...new Set([...this.#kills.keys()].map((key) => key.split(' ')[1]!))];
    const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
    const rows = moments.map((moment) =>
      row([MEANING[moment] ?? moment, ...KINDS.map((kind) => this.#kills.get(`${kind} ${moment}`) ?? 0)]),
    );
    const total = [...this.#kills.values()].reduce((sum, count) => sum + count, 0);
    const lost = this.#losses.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    const some = lost.filter((milliseconds) => milliseconds > 0).length;
    writeFileSync(
      packageFile('docs/reports/kill.md'),
      `# Recovery after kills

This page shows that csiflow loses and repeats nothing when it is killed. \`npm run test:kill\` made it, with ${total} kills. A process runs one of csiflow's own sources, \`denoise\`, \`phase-sanitize\`, \`window\`, \`detect-motion\`, a stage of random delays instead of the network, \`track-persons\`, a fan-in of frames and delayed poses, an alert at every twentieth pose, and the sinks \`duckdb\`, \`file\`, \`webhook\`, \`mqtt\` and \`websocket\`, with blocks of a random size; after the \`simulator\`, \`infer-pose\` too. It is killed with SIGKILL and started again, up to ten times, and then runs to its end. Its tables and files are compared with those of an uninterrupted run, row by row, without \`epoch\` and \`processing_ms\`. In half of the chains with \`file\` and \`simulator\`, a real InfluxDB is among the sinks. The receiver of the webhooks answers every fifth call that it is busy; the brokers are a real Mosquitto and a real Kafka.

For \`udp\`, \`kafka\`, \`mqtt\` and \`follow\` (the source \`file\` with \`follow: true\`, whose file grows and is rotated meanwhile), the uninterrupted run is the \`file\` source over the same datagrams with the same times (for \`udp\` those that were accepted); \`origin\` differs: \`replay\`, not \`live\`.

${row(['killed', ...KINDS])}
${line(KINDS)}
${rows.join('\n')}

${row(['result', ...KINDS])}
${line(KINDS)}
${row(['stores compared', ...KINDS.map((kind) => this.#tables[kind])])}
${row(['rows compared', ...KINDS.map((kind) => this.#rows[kind])])}
${row(['failed chains', ...KINDS.map((kind) => this.#broken[kind].length)])}

${row(['alerts', ...WAYS])}
${line(WAYS)}
${row(['to deliver', ...WAYS.map((way) => this.#alerts[way])])}
${row(['not delivered', ...WAYS.map(() => 0)])}
${row(['delivered again, with the same id', ...WAYS.map((way) => this.#again[way])])}

${row(['results from Kafka to Kafka', ...DELIVERIES])}
${line(DELIVERIES)}
${row(['topics compared', ...DELIVERIES.map((delivery) => this.#topics[delivery])])}
${row(['results', ...DELIVERIES.map((delivery) => this.#results[delivery])])}
${row(['missing, or other than those of the uninterrupted run', ...DELIVERIES.map(() => 0)])}
${row(['again', ...DELIVERIES.map((delivery) => this.#twice[delivery])])}

InfluxDB compared with the DuckDB beside it, value by value: ${this.#influx.stores} times, ${this.#influx.records} poses, events and measures, without a difference.

Datagrams that csiflow had received, and that a kill lost before they were in the journal: in ${some} of ${lost.length} kills; from the last datagram that survived to the last one received it was ${figure(lost[Math.floor(lost.length / 2)])} ms in the median and ${figure(lost.at(-1))} ms at most. The guarantee is 100 ms on a machine that is not overloaded: the load was ${figure(loadavg()[2])} in the last quarter of an hour, on ${availableParallelism()} cores.
`,
    );
  }
}

const DELIVERIES = ['exactly_once', 'at_least_once'] as const;
type Delivery = (typeof DELIVERIES)[number];

const line = (columns: readonly string[]): string => `|---${'|---'.repeat(columns.length)}|`;

const countOf = <K extends string>(keys: readonly K[]): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;

const figure = (value = 0): string => value.toFixed(1);

const MEANING: Readonly<Record<string, string>> = {
  read: 'read, not yet enqueued',
  enqueued: 'enqueued',
  written: 'written but not flushed',
  flushed: 'flushed but not committed',
  mid_checkpoint: 'in the middle of a checkpoint',
  random: 'at a random moment, starts included',
};
