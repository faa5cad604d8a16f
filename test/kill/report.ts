import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { expect } from 'vitest';
import { errorText } from '../../pipeline/base/error-text.js';
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
  /** How many of these failed a test. */
  readonly #said = countOf(KINDS);
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
    this.#broken[kind].push(errorText(error));
    console.error(kind, error);
  }

  /** @throws what failed in chains of this kind since the last call: CI's summary only shows a message */
  expectNone(kind: Kind): void {
    const said = this.#broken[kind].slice(this.#said[kind]);
    this.#said[kind] += said.length;
    if (said.length > 0) throw new Error(said.join('\n'));
  }

  /** @throws if a process of this kind was never killed at one of the moments */
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

This report shows that csiflow neither loses nor duplicates records when it is killed. \`npm run test:kill\` wrote it after ${total} kills. A process runs one of csiflow's sources, \`denoise\`, \`phase-sanitize\`, \`window\`, \`detect-motion\`, a stage with random delays in place of the network, \`track-persons\`, a fan-in of frames and delayed poses, an alert at every twentieth pose, and the sinks \`duckdb\`, \`file\`, \`webhook\`, \`mqtt\` and \`websocket\`, with blocks of random size. With the \`simulator\` it also runs \`infer-pose\`. It is killed with SIGKILL and restarted up to ten times, and then runs to its end. Its tables and files are compared with those of an uninterrupted run, row by row, without \`epoch\` and \`processing_ms\`. Half of the chains with \`file\` and \`simulator\` also write to a real InfluxDB. The webhook receiver answers every fifth call with 503; the brokers are a real Mosquitto and a real Kafka.

For \`udp\`, \`kafka\`, \`mqtt\` and \`follow\` (the \`file\` source with \`follow: true\`, whose file grows and is rotated during the run), the uninterrupted run is the \`file\` source over the same datagrams with the same times (for \`udp\`, the accepted ones). Only \`origin\` differs: \`replay\` instead of \`live\`.

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
${row(['missing, or different from the uninterrupted run', ...DELIVERIES.map(() => 0)])}
${row(['duplicates', ...DELIVERIES.map((delivery) => this.#twice[delivery])])}

InfluxDB was compared with the DuckDB store of the same run, value by value: ${this.#influx.stores} times, ${this.#influx.records} poses, events and measures, with no difference.

In ${some} of ${lost.length} kills, received datagrams were lost before they reached the journal. The time between the last datagram that survived and the last one received was ${figure(lost[Math.floor(lost.length / 2)])} ms (median) and ${figure(lost.at(-1))} ms at most. The guarantee is 100 ms on a machine that is not overloaded; here the load average (15 minutes) was ${figure(loadavg()[2])} on ${availableParallelism()} cores.
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
  mid_checkpoint: 'during a checkpoint',
  random: 'at a random moment, including starts',
};
