import { Type } from 'typebox';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { Measure, Provenance, Window } from '../../pipeline/model/index.js';
import { quantile } from '../shared/median.js';
import { measureOf } from '../shared/measures.js';
import { withUsableLinks } from '../shared/usable-links.js';
import { isMeasured, linkMotion } from '../shared/link-motion.js';
import type { QuietLink } from './link-memory.js';
import { RoomPresence, type PresenceState } from './presence.js';
import { WRITES } from './written.js';

interface State {
  readonly due: readonly (readonly [environment: string, time: number])[];
  readonly presence: readonly (PresenceState & { readonly environment: string })[];
}

export const detectMotion = defineOperator({
  name: 'detect-motion',
  summary: 'Measures motion per link and room, and presence per room.',
  description: `
Use it behind \`window\` (windows of one to two seconds). It outputs measures at the end of windows, once per \`interval_ms\`:

- \`motion\`, per link and for the room (\`subject\` null), 0 for noise to 1 for slow strong movement. A link's motion is the
  largest of four values:
  - The autocorrelation of the amplitude at 20 ms, or beyond two periods of the link where those are longer (neighbouring points of
    the grid share a frame, and its noise, up to there), less its value by chance: twice 1 / sqrt(frames * rank), where the rank is
    how many carriers fluctuate independently.
  - The similarity of changes in neighbouring carriers within 0.25 s, less 0.1, if that autocorrelation is 0.1 or more in the mean
    of five windows: at low frame rates movement hardly correlates between frames, but is still similar in neighbours.
  - The same similarity for strong changes (-20 dB or more) that do not correlate at all, less what is a switch between four
    states and 0.1: somebody who walks changes a channel of 20 frames a second completely from frame to frame. A device that
    alternates between antennas does so too, but knows only a few states.
  - The autocorrelation of the level over five windows, at the same lag and at one frame more, whichever is less, less twice its standard deviation by chance and
    0.1. The level is the mean amplitude of a frame: a body changes it even where all carriers change alike. It counts if that part of
    its change is -28 dB or more within 0.25 s, in more than half of the time: steps of the receiver's gain are rarer.

  For the first three, each frame is divided by its mean amplitude, which removes the receiver's gain.
  The room's motion is the upper quartile of its links.
- \`motion_energy_db\`, per link: the change of amplitude within 0.25 s that neighbouring carriers share, relative to
  the link's own quiet level, which is learnt while running: it falls within seconds and rises by 1 dB a minute.
- \`presence_probability\`, for the room, and \`presence\`, 1 or 0, **once they are known**: a new room has none.

**Presence** adds up, as log odds, the evidence of the two strongest links, or of one alone at half its weight. A link shows clear movement from 2.5 times \`threshold\`, or
from \`energy_threshold_db\` over its quiet level (if neighbouring carriers share a tenth of the change or more, which interference does not); it is quiet
below half and a third of these. The level of a link shows movement, however fast, if it changes by \`energy_threshold_db\` more than at rest, and by -27 dB or more. Rest is known once the level
changed by less than -28 dB for ten windows in a row, and evenly, or evenly for 30 windows, however much; it rises by 1 dB a minute. If the levels of half the links change more from the start, somebody may walk there, or their gains change: a new room then counts as empty after 33 instead of 7 s (for 20 s of \`hold_ms\`). Three to five seconds of movement cause presence. Occasional movement then sustains it, and
\`hold_ms\` of quiet end it; five times that if the mean amplitudes of neighbouring carriers keep swaying together, as they do with the
breath of a person who sits or lies. While the room is empty, each link learns its view of the room (the mean amplitude of twelve groups of
carriers, and their drift; after one minute, over ten). From then on, quiet counts double if the room looks empty again, and
a fifteenth if it looks different than before somebody came: a person may sit there. The learnt state survives a restart.

To judge the carriers of links by individual thresholds measured in the empty room, read \`calibrate\` too (\`from: [windows, calibrated]\`). Its
\`motion_threshold\` replaces \`threshold\`, and its \`noise_level_db\` is the initial quiet level of a link.

Motion that is steady for 30 windows, half a minute (a fan), or present in four fifths of half an hour, counts as background, and
only motion above it counts.

Gotchas: levels show movement only if the receiver's gain is steady, or taken out by \`normalize-gain\` (\`mean\` takes the levels out, too). Behind \`csi-ratio\` or \`remove-static\`, the mean amplitude is no level. A device that alternates between antennas at 94 to 110 frames a second looks like movement. Levels are not read in windows of less than 0.8 s. A person who keeps completely still from the start is not detected. A pet counts as a person. If somebody moves
furniture and leaves, the room counts as occupied for 15 times \`hold_ms\` longer.

Sources: Zhang et al., WiSpeed (2018), for the autocorrelation; Lloyd (1982) for the states; figures on recordings in docs/reports/motion.md.
`,
  inputs: ['window', 'measure'],
  requires: ['window'],
  role: 'motion-detector',
  outputs: ['measure'],
  writes: WRITES,
  stateFields: [],
  stateVersion: 2,
  timeFields: ['due', 'time'],
  config: Type.Object(
    {
      interval_ms: Type.Number({
        minimum: 10,
        maximum: 3_600_000,
        default: 1000,
        description: 'Time between measures, milliseconds; at least the hop of the windows.',
      }),
      threshold: Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.03,
        description: '`motion` of a link from which somebody is moving, if `calibrate` provides no other.',
      }),
      energy_threshold_db: Type.Number({
        minimum: 0,
        maximum: 100,
        default: 10,
        description:
          'Change of amplitude, or of the level, above that at rest that counts as clear movement, dB.',
      }),
      hold_ms: Type.Number({
        minimum: 0,
        maximum: 86_400_000,
        default: 20_000,
        description:
          'How long all links must be quiet until nobody is present, milliseconds; if the empty room is learnt, from half to 15 times as long.',
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
    const presence = new Map(context.environments.map(({ id }) => [id, new RoomPresence(settings)]));
    /** Event time at which the next measures of an environment are due. */
    const due = new Map<string, number>();
    /** The newest measures of each room, for status pages. */
    const newest = new Map<string, RoomNow>();

    return {
      process: (given): Output<Measure> => {
        if (given.port === 'measure') {
          const quiet = quietOf(given);
          if (quiet && given.subject !== null)
            presence.get(given.environment)?.calibrate(given.subject, quiet);
          return NOTHING;
        }
        const window = withUsableLinks(given);
        const { environment } = window;
        const time = window.start + window.points * window.step;
        const room = presence.get(environment);
        if (!room) {
          const reason = `the topology has no environment '${environment}': add its file to 'environment'`;
          const record = { environment, start: window.start };
          return { data: [], failed: [{ record, code: 'motion.environment', reason, retriable: false }] };
        }
        if (time < (due.get(environment) ?? 0)) return { data: [] };
        due.set(environment, (Math.floor(time / interval) + 1) * interval);

        const measures = measuresOf(window, room, time);
        const now = nowOf(measures);
        const step = Math.max(interval, window.points * window.step);
        if (now) newest.set(environment, { ...now, interval_ms: step / 1000 });
        return { data: measures };
      },
      describe: () => ({ rooms: Object.fromEntries(newest) }),
      snapshot: (): State => ({
        due: [...due],
        presence: Array.from(presence, ([environment, room]) => ({ environment, ...room.snapshot() })),
      }),
      restore: (saved: State) => {
        due.clear();
        for (const [environment, time] of saved.due) due.set(environment, time);
        for (const room of saved.presence) presence.get(room.environment)?.restore(room);
      },
    };
  },
});

/** What the newest measures say about a room, as plain JSON. */
interface RoomNow {
  /** ISO 8601, event time. */
  readonly time: string;
  readonly origin: Provenance['origin'];
  readonly motion: number;
  readonly presence_probability: number;
  /** Null until it is known. */
  readonly presence: boolean | null;
  /** Time until the next measures, at most, unless windows stay away, milliseconds. */
  readonly interval_ms: number;
}

/** Undefined if no link was measured. */
function nowOf(measures: readonly Measure[]): Omit<RoomNow, 'interval_ms'> | undefined {
  const ofRoom = (wanted: string) =>
    measures.find(({ name, subject }) => name === wanted && subject === null);
  const motion = ofRoom('motion');
  const probability = ofRoom('presence_probability');
  const presence = ofRoom('presence');
  if (!motion || !probability) return undefined;
  return {
    time: isoTime(motion.time),
    origin: motion.provenance.origin,
    motion: motion.value,
    presence_probability: probability.value,
    presence: presence ? presence.value === 1 : null,
  };
}

/** The statement of a measure of `calibrate` about a link; null: it is another measure. */
function quietOf({ name, value, source }: Measure): QuietLink | null {
  if (source !== 'csiflow') return null;
  if (name === 'motion_threshold') return { threshold: value };
  return name === 'noise_level_db' ? { level: value / 10 } : null;
}

/** Measures of a window's links, and of the room. */
function measuresOf(window: Window, room: RoomPresence, time: number): readonly Measure[] {
  const { environment } = window;
  const measures: Measure[] = [];
  const give = (name: string, subject: string | null, value: number) =>
    measures.push(measureOf(window, { name, environment, subject, time, value }));
  const samples = window.links.flatMap((link) => {
    const sample = linkMotion(link, window);
    return isMeasured(sample) ? [[link.id, sample] as const] : [];
  });
  const evidence = room.see(time, samples);
  evidence.forEach(({ motion, excess }, i) => {
    give('motion', samples[i]![0], motion);
    give('motion_energy_db', samples[i]![0], 10 * excess);
  });
  if (evidence.length === 0) return measures;
  const motions = evidence.map(({ motion }) => motion);
  give('motion', null, quantile(motions, 0.75));
  give('presence_probability', null, room.probability);
  if (room.present !== null) give('presence', null, room.present ? 1 : 0);
  return measures;
}
