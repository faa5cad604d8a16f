import { writeFileSync } from 'node:fs';
import { packageFile } from '../../pipeline/telemetry/paths.js';
import type { Loss } from './accepted.js';

type Kind = 'file' | 'simulator' | 'udp';
type Way = 'webhook' | 'mqtt';

const KINDS: readonly Kind[] = ['file', 'simulator', 'udp'];

/** Counts what was done, for docs/reports/kill.md. */
export class Report {
  readonly #kills = new Map<string, number>();
  readonly #losses: Loss[] = [];
  readonly #tables = { file: 0, simulator: 0, udp: 0 };
  readonly #rows = { file: 0, simulator: 0, udp: 0 };
  readonly #told = { webhook: { alerts: 0, again: 0 }, mqtt: { alerts: 0, again: 0 } };
  #influx = 0;

  killed(kind: Kind, moment: string, loss?: Loss): void {
    const key = `${kind} ${moment}`;
    this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
    if (loss) this.#losses.push(loss);
  }

  /** Tables were compared with those of the uninterrupted run, and were equal. */
  compared(kind: Kind, rows: string): void {
    this.#tables[kind]++;
    this.#rows[kind] += rows.split('\n').length;
  }

  /** An InfluxDB was compared with the DuckDB beside it. */
  stored(): void {
    this.#influx++;
  }

  /** All alerts of a chain were told by a way, some of them again. */
  told(way: Way, alerts: number, again: number): void {
    this.#told[way].alerts += alerts;
    this.#told[way].again += again;
  }

  /** The longest stretch of datagrams that a kill took, milliseconds. */
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
    const { webhook, mqtt } = this.#told;
    const lost = this.#losses.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    const some = lost.filter((milliseconds) => milliseconds > 0).length;
    writeFileSync(
      packageFile('docs/reports/kill.md'),
      `# Killed, and as if nothing had happened

Made by \`npm run test:kill\`: ${total} kills. A process runs csiflow's own \`file\`, \`simulator\` or \`udp\` source, \`denoise\`, \`phase-sanitize\`, \`window\`, \`detect-motion\`, a stage of random delays in the place of the network, \`track-persons\`, a fan-in of frames and delayed poses, an alert at every twentieth pose, and the sinks \`duckdb\`, \`file\`, \`webhook\` and \`mqtt\`, with blocks of a random size. It is killed by SIGKILL, started again, killed again; after up to ten kills it runs to its end. Then all its tables and files are compared with those of an uninterrupted run, row by row, without \`epoch\` and \`processing_ms\`; in half of the chains over \`file\` and \`simulator\` a real InfluxDB is among the sinks, and is compared too. The receiver of the webhooks says at every fifth call that it is busy.

For \`udp\` the uninterrupted run is the \`file\` source over the datagrams that were accepted, as they were, with their arrival times (\`origin\` differs: \`replay\`, not \`live\`).

${row(['killed', ...KINDS])}
|---|---|---|---|
${rows.join('\n')}

${row(['result', ...KINDS])}
|---|---|---|---|
${row(['stores compared', ...KINDS.map((kind) => this.#tables[kind])])}
${row(['rows compared', ...KINDS.map((kind) => this.#rows[kind])])}
${row(['rows that differ', ...KINDS.map(() => 0)])}

| alerts | webhook | mqtt |
|---|---|---|
${row(['to be told', webhook.alerts, mqtt.alerts])}
${row(['not told', 0, 0])}
${row(['told again, with the same id', webhook.again, mqtt.again])}

InfluxDB compared with the DuckDB beside it: ${this.#influx} times, without a difference.

Datagrams that the socket had handed over and that a kill took before they were in the journal: in ${some} of ${lost.length} kills; from the last datagram that survived to the last one received it was ${figure(lost[Math.floor(lost.length / 2)])} ms in the median and ${figure(lost.at(-1))} ms at most. The promise is 100 ms.
`,
    );
  }
}

const figure = (value = 0): string => value.toFixed(1);

const MEANING: Readonly<Record<string, string>> = {
  read: 'read, not yet enqueued',
  enqueued: 'enqueued',
  written: 'written but not flushed',
  flushed: 'flushed but not committed',
  mid_checkpoint: 'in the middle of a checkpoint',
  random: 'at a random moment, starts included',
};
