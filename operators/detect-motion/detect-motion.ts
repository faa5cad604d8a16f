import { Type } from 'typebox';
import { defineOperator, type Output } from '../../pipeline/component/index.js';
import type { Measure, Window } from '../../pipeline/model/index.js';
import { quantile } from '../shared/median.js';
import { withUsableLinks } from '../shared/usable-links.js';
import { Presence, type PresenceState } from './presence.js';
import { autocorrelation, changeEnergy, normalise } from './motion.js';

/** The lag at which movement was told from noise best, microseconds; see docs/reports/motion.md. */
const CORRELATION_LAG = 20_000;
/** The lag of the change of energy, microseconds. */
const ENERGY_LAG = 250_000;

interface State {
  readonly due: readonly (readonly [environment: string, time: number])[];
  readonly presence: readonly (PresenceState & { readonly environment: string })[];
}

export const detectMotion = defineOperator({
  name: 'detect-motion',
  summary: 'Measures motion per link and room, and presence per room.',
  description: `
Use it behind \`window\` (windows of about one second). It gives measures, at the end of windows, once per \`interval_ms\`:

- \`motion\`, per link and for the room (\`subject\` null): the autocorrelation of the amplitude at 20 ms, or at two periods of
  the link where those are longer, each frame first divided by its mean amplitude, so that the receiver's gain plays no part.
  0 is noise, 1 is slow strong movement. The room's is the upper quartile of its links.
- \`motion_energy_db\`, per link: how far the change of amplitude within 0.25 s lies above the link's own quiet level, which
  is learnt while running: it falls within seconds and rises by 1 dB a minute.
- \`presence\`, for the room: 1 from the moment that \`motion\` exceeds \`threshold\` or the energy \`energy_threshold_db\` on
  a quarter of the links; 0 once both have stayed below half of that for \`hold_ms\`.

Gotchas: people who keep still are not seen. Fans, curtains and pets move too. Who never stops moving for many minutes becomes
part of the quiet level, but not of \`motion\`.

Sources: Zhang et al., WiSpeed (2018), for the autocorrelation; figures on recordings in docs/reports/motion.md.
`,
  inputs: ['window'],
  outputs: ['measure'],
  stateFields: [],
  timeFields: ['due', 'time', 'lastMotion'],
  config: Type.Object(
    {
      interval_ms: Type.Number({
        minimum: 10,
        maximum: 3_600_000,
        default: 1000,
        description: 'Time between measures, milliseconds; no finer than the hop of the windows.',
      }),
      threshold: Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.17,
        description: '`motion` from which somebody is present.',
      }),
      energy_threshold_db: Type.Number({
        minimum: 0,
        maximum: 100,
        default: 10,
        description: 'Change of amplitude over the quiet level from which somebody is present, dB.',
      }),
      hold_ms: Type.Number({
        minimum: 0,
        maximum: 86_400_000,
        default: 5000,
        description: 'How long all must be quiet until nobody is present, milliseconds.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'Motion and presence, once a second', config: {} },
    { title: 'A room that counts as empty after ten minutes', config: { hold_ms: 600_000 } },
  ],
  create: (config, context) => {
    const settings = {
      threshold: config.threshold,
      energyThreshold: config.energy_threshold_db / 10,
      hold: config.hold_ms * 1000,
    };
    const interval = config.interval_ms * 1000;
    const presence = new Map(context.environments.map(({ id }) => [id, new Presence(settings)]));
    /** Event time from which the next measures of an environment are due. */
    const due = new Map<string, number>();

    return {
      process: (given): Output<Measure> => {
        const window = withUsableLinks(given);
        const { environment, provenance } = window;
        const time = window.start + window.points * window.step;
        const room = presence.get(environment);
        if (!room) {
          const reason = `the topology has no environment '${environment}': add its file to 'environment'`;
          const record = { environment, start: window.start };
          return { data: [], failed: [{ record, code: 'motion.environment', reason, retriable: false }] };
        }
        if (time < (due.get(environment) ?? 0)) return { data: [] };
        due.set(environment, (Math.floor(time / interval) + 1) * interval);

        const measures: Measure[] = [];
        const give = (name: string, subject: string | null, value: number) =>
          measures.push({
            port: 'measure',
            name,
            environment,
            subject,
            time,
            value,
            source: 'csiflow',
            provenance,
          });
        const motions: number[] = [];
        const energies: number[] = [];
        for (const link of window.links) {
          const { motion, energy } = linkMotion(link, window);
          if (Number.isFinite(motion)) give('motion', link.id, motions[motions.push(motion) - 1]!);
          if (!Number.isFinite(energy)) continue;
          const excess = room.excess(link.id, time, energy);
          energies.push(excess);
          give('motion_energy_db', link.id, 10 * excess);
        }
        if (motions.length === 0) return { data: measures };
        const motion = quantile(motions, 0.75);
        give('motion', null, motion);
        give('presence', null, room.decide(time, motion, quantile(energies, 0.75)) ? 1 : 0);
        return { data: measures };
      },
      snapshot: (): State => ({
        due: [...due],
        presence: Array.from(presence, ([environment, room]) => ({ environment, ...room.snapshot() })),
      }),
      restore: (state) => {
        const saved = state as State;
        due.clear();
        for (const [environment, time] of saved.due) due.set(environment, time);
        for (const room of saved.presence) presence.get(room.environment)?.restore(room);
      },
    };
  },
});

/** Autocorrelation from 0 to 1, and log10 energy of the change, of one link over a window; NaN where they cannot be told. */
export function linkMotion(
  link: Window['links'][number],
  { step, points }: Pick<Window, 'step' | 'points'>,
): { readonly motion: number; readonly energy: number } {
  const normalised = normalise(link);
  // Points between two frames are made of both: they agree without any movement, out to two periods.
  const period = (points * step) / link.frames;
  const lag = Math.max(1, Math.round(Math.max(CORRELATION_LAG, period > step ? 2 * period : 0) / step));
  const motion = Math.min(1, Math.max(0, autocorrelation(normalised, lag)));
  const energyLag = Math.max(1, Math.min(Math.round(ENERGY_LAG / step), points >> 1));
  return { motion, energy: changeEnergy(normalised, energyLag) };
}
