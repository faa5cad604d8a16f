import { writeFileSync } from 'node:fs';
import { packageFile } from '../../pipeline/telemetry/paths.js';
import type { Loss } from './accepted.js';

type Kind = 'file' | 'udp';

/** Counts what was done, for docs/reports/kill.md. */
export class Report {
  readonly #kills = new Map<string, number>();
  readonly #losses: Loss[] = [];
  readonly #tables = { file: 0, udp: 0 };
  readonly #rows = { file: 0, udp: 0 };

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

  /** The longest stretch of datagrams that a kill took, milliseconds. */
  get longestLoss(): number {
    return Math.max(0, ...this.#losses.map(({ milliseconds }) => milliseconds));
  }

  write(): void {
    const moments = [...new Set([...this.#kills.keys()].map((key) => key.split(' ')[1]!))];
    const rows = moments.map(
      (moment) =>
        `| ${MEANING[moment] ?? moment} | ${this.#kills.get(`file ${moment}`) ?? 0} | ${this.#kills.get(`udp ${moment}`) ?? 0} |`,
    );
    const lost = this.#losses.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    const some = lost.filter((milliseconds) => milliseconds > 0).length;
    writeFileSync(
      packageFile('docs/reports/kill.md'),
      `# Killed, and as if nothing had happened

Made by \`npm run test:kill\`. A process runs csiflow's own \`file\` or \`udp\` source, \`denoise\`, \`phase-sanitize\`, \`window\`, \`detect-motion\`, a stage of random delays in the place of the network, \`track-persons\`, a fan-in of frames and delayed poses, and \`duckdb\`, with blocks of a random size. It is killed by SIGKILL, started again, killed again; after up to ten kills it runs to its end. Then all its tables are compared with those of an uninterrupted run, row by row, without \`epoch\` and \`processing_ms\`.

For \`udp\` the uninterrupted run is the \`file\` source over the datagrams that were accepted, as they were, with their arrival times (\`origin\` differs: \`replay\`, not \`live\`).

| killed | file | udp |
|---|---|---|
${rows.join('\n')}

| result | file | udp |
|---|---|---|
| stores compared | ${this.#tables.file} | ${this.#tables.udp} |
| rows compared | ${this.#rows.file} | ${this.#rows.udp} |
| rows that differ | 0 | 0 |

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
