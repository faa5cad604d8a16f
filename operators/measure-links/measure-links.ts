import { Type } from 'typebox';
import { defineOperator, NOTHING, type Context, type Output } from '../../pipeline/component/index.js';
import type { Measure } from '../../pipeline/model/index.js';
import { LinkMeter, type LinkMeterState } from './link-meter.js';
import { WRITES } from './written.js';

export const measureLinks = defineOperator({
  name: 'measure-links',
  summary: 'Measures rate, loss, RSSI, noise, SNR and coverage of each link.',
  description: `
Use it for dashboards and alarms about the radio: give it the source, and the node \`window\` too (\`from: [routers, windows]\`). Once per
\`interval_ms\` of event time it gives measures of each link (\`subject\`), with the time of the interval's end:

- from frames: \`link_rate_hz\`, frames a second; \`packet_loss\`, 0 to 1, the share of the numbers that a sender gave its frames and that
  did not arrive; \`rssi_dbm\` and \`noise_dbm\`, means;
- from windows: \`snr_db\`, mean signal to noise over the carriers; \`link_coverage\`, 0 to 1, the share of grid points with a frame near
  enough; \`link_usable\`, 0 to 1, the share of windows in which the link was plausible and therefore used;
  once a link has been silent for five seconds, its windows count as not covered and not used.

What is unknown is not given: \`packet_loss\` where the sender does not number its frames, \`rssi_dbm\` and \`noise_dbm\` where the format does
not carry them. A link that sent nothing in an interval has a rate of 0 as long as another link of its environment did, from its first
frame on. An interval in which no link was heard has no measures.

Gotchas: frames that a sender repeats under the same number count twice in the rate. Sources of ADR-018 nodes give a \`packet_loss\` of
their own, once a second: read one of the two. Frames that come after their interval has ended are dropped as \`late\`.
`,
  inputs: ['csi', 'window'],
  outputs: ['measure'],
  writes: WRITES,
  stateFields: ['interval_ms'],
  config: Type.Object(
    {
      interval_ms: Type.Integer({
        minimum: 100,
        maximum: 3_600_000,
        default: 10_000,
        description: 'Time that the figures are taken over, milliseconds.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'Every ten seconds', config: {} },
    { title: 'Once a minute', config: { interval_ms: 60_000 } },
  ],
  create: ({ interval_ms }, context) => {
    const meters = new Meters(interval_ms * 1000, context);
    return {
      process: (data): Output<Measure> => {
        if (data.port === 'window') {
          const index = meters.intervalOf(data.start + data.points * data.step - 1);
          for (const link of data.links) {
            const entry = context.links.byId(link.id);
            if (entry && index !== null) meters.of(entry.index).window(index, link, data);
          }
          for (const id of data.silent ?? []) {
            const entry = context.links.byId(id);
            if (entry && index !== null) meters.of(entry.index).silentWindow(index);
          }
          return NOTHING;
        }
        for (let frame = 0; frame < data.count; frame++) {
          const index = meters.intervalOf(data.time[frame]!);
          if (index === null) continue;
          const meter = meters.of(data.link[frame]!);
          meter.frame(index, data.sequence[frame]!, data.rssi[frame]!, data.noise[frame]!);
        }
        return NOTHING;
      },
      watermark: (time) => meters.close(time),
      reanchor: () => meters.beginAnew(),
      snapshot: () => meters.snapshot(),
      describe: () => meters.describe(),
      restore: (state: MetersState) => {
        meters.restore(state);
      },
    };
  },
});

interface MetersState {
  readonly closed: number;
  readonly meters: readonly (readonly [link: string, state: LinkMeterState])[];
}

/** The meters of all links. */
class Meters {
  readonly #length: number;
  readonly #context: Context;
  /** By link number. */
  readonly #meters: LinkMeter[] = [];
  /** By link id, of the newest interval. */
  readonly #loss = new Map<string, number>();
  /** Intervals before this number are closed. */
  #closed = 0;

  /** @param length of an interval, microseconds */
  constructor(length: number, context: Context) {
    this.#length = length;
    this.#context = context;
  }

  of(link: number): LinkMeter {
    return (this.#meters[link] ??= new LinkMeter());
  }

  /** Number of the interval of a time; null if it is closed. */
  intervalOf(time: number): number | null {
    const index = Math.floor(time / this.#length);
    if (index >= this.#closed) return index;
    this.#context.metrics.dropped(Number.isFinite(time) ? 'late' : 'not_finite', 1);
    return null;
  }

  /** Event time has reached `time`: gives the measures of what has ended. */
  close(time: number): Output<Measure> {
    const closed = Math.floor(time / this.#length);
    if (!(closed > this.#closed)) return NOTHING;
    this.#closed = closed;
    const ended = new Set<number>();
    this.#meters.forEach(({ open }) => {
      for (const index of open) if (index < closed) ended.add(index);
    });
    const data = [...ended].sort((a, b) => a - b).flatMap((index) => this.#measures(index));
    return data.length === 0 ? NOTHING : { data };
  }

  beginAnew(): Output<Measure> {
    const left = this.close(Infinity);
    this.#closed = 0;
    return left;
  }

  snapshot(): MetersState {
    // Passes over links that were not heard.
    const meters = this.#meters.flatMap((meter, link) => [
      [this.#context.links.at(link).link.id, meter.snapshot()] as const,
    ]);
    return { closed: this.#closed, meters };
  }

  restore({ closed, meters }: MetersState): void {
    this.#meters.length = 0;
    this.#closed = closed;
    for (const [id, state] of meters) {
      const entry = this.#context.links.byId(id);
      if (entry) this.of(entry.index).restore(state);
    }
  }

  /** The simulator has no decoder, which would count the loss of its links. */
  describe(): Readonly<Record<string, unknown>> {
    return { links: Object.fromEntries(Array.from(this.#loss, ([id, loss]) => [id, { loss }])) };
  }

  /** The measures of all links over an interval. */
  #measures(index: number): Measure[] {
    const time = (index + 1) * this.#length;
    const heard = new Set<string>();
    const found = this.#meters.flatMap((meter, link) => {
      const entry = this.#context.links.at(link);
      const figures = meter.close(index, this.#length / 1e6);
      if (figures.some(isRate)) heard.add(entry.environment.id);
      return [{ entry, figures }];
    });
    this.#loss.clear();
    return found.flatMap(({ entry: { environment, link }, figures }) => {
      for (const [name, value] of figures) if (name === 'packet_loss') this.#loss.set(link.id, value);
      const isSilent = heard.has(environment.id) && !figures.some(isRate);
      const all = isSilent ? [...figures, ['link_rate_hz', 0] as const] : figures;
      return all.map(([name, value]): Measure => ({
        port: 'measure',
        name,
        environment: environment.id,
        subject: link.id,
        time,
        value,
        source: 'csiflow',
        provenance: this.#context.provenance,
      }));
    });
  }
}

const isRate = ([name]: readonly [name: string, value: number]): boolean => name === 'link_rate_hz';
