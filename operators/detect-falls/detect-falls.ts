import { Type, type Static } from 'typebox';
import {
  defineOperator,
  inputFile,
  NOTHING,
  type Complaint,
  type Context,
  type Output,
} from '../../pipeline/component/index.js';
import type { SensedEvent, Window } from '../../pipeline/model/index.js';
import { rateOf, Shortage, snrOf } from './impacts/shortage.js';
import { withUsableLinks } from '../shared/usable-links.js';
import { FADING_SAMPLES } from './motion/floored.js';
import { judgeOf } from './verdict/judge.js';
import { FALL_SETTINGS } from './settings.js';
import { RATE_HZ } from './motion/tracks.js';
import { Watch, type WatchState } from './watch.js';

/** A full floor decays to half, so a larger number can never be reached. */
const MAX_WARM_UP_MS = (FADING_SAMPLES / 2 / RATE_HZ) * 1000;

const CONFIG = Type.Object(
  {
    method: Type.Union([Type.Literal('nets'), Type.Literal('rule')], {
      default: 'nets',
      description:
        '`nets`: the average of small nets. `rule`: `min(rise, drop) + 2 fast` of each peak, averaged over links, weighted by the power of motion; weaker, but simple and without training.',
    }),
    weights: Type.Optional(
      inputFile({
        description:
          "Weights that `csiflow train falls` wrote, relative to the topology's folder: for one link (`--recordings`), for several (`--several`), or for several with few frames a second (`--slow`). They replace the shipped ones of their kind; those of `--several` are then used for any number of frames.",
      }),
    ),
    threshold: Type.Optional(
      Type.Number({
        minimum: -50,
        maximum: 50,
        description:
          'Score from which a candidate is a fall. Default: that of the weights, or 1.2 for the rule. A lower value finds more falls and raises more false alarms.',
      }),
    ),
    room_quantile: Type.Optional(
      Type.Number({
        minimum: 0.5,
        maximum: 0.9999,
        description:
          "Raises the threshold to this quantile of the room's own candidates, after the first 200. For one link, 0.95 to 0.99 over a day of ordinary life is a good choice; nobody may fall during that day. Over several links, only 0.998 and more has an effect, the same as a higher `threshold`.",
      }),
    ),
    warm_up_ms: Type.Integer({
      minimum: 0,
      maximum: MAX_WARM_UP_MS,
      default: 60_000,
      description:
        'Until each link with motion has delivered for this long, the threshold of one link is raised by 2 (0.5 for the rule), milliseconds: noise floors are still being learnt, and ordinary motion may look like a fall.',
    }),
    cooldown_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 10_000,
      description:
        'After a fall, no further fall is reported in the same environment for this long, milliseconds.',
    }),
    warn: Type.Boolean({
      default: false,
      description:
        'Whether to report `fall_suspected` as soon as motion ends as in a fall, 1.7 s later. A fall or `fall_withdrawn` follows within 30 s, or after `notify_delay_ms`. Requires several links and the method `nets`.',
    }),
    warn_threshold: Type.Optional(
      Type.Number({
        minimum: -50,
        maximum: 50,
        description: 'Score from which a fall is suspected. Default: that of the weights.',
      }),
    ),
    notify_delay_ms: Type.Integer({
      minimum: 0,
      maximum: 600_000,
      default: 0,
      description:
        'Holds a fall for this long, and drops it (counted as `recovered`) if the person walks upright again in the meantime, milliseconds of event time.',
    }),
  },
  { additionalProperties: false },
);

export const detectFalls = defineOperator({
  name: 'detect-falls',
  summary:
    'Reports falls: isolated bursts of motion of about a second, fast for their size, with quiet before and after.',
  description: `
Reads windows (any length; a grid step of 50 ms or less).

**One link** is judged at each peak of its motion, by twelve features per antenna relative to the peak itself, from amplitudes
at 20 Hz, sampled at five shifted times, so that it hardly matters where frames lie between the points of the windows; all
scores are averaged. Windows have to overlap for that, with a grid step of 20 ms or less. An alarm follows 3.7 s after the peak, because the quiet afterwards is part of the pattern.

**Several links** are judged together at each sudden end of motion. A small network reads, in ten steps per second from 5 s before the end
to 10 s after it: how much the amplitudes of each antenna changed within 20 to 1000 ms, how similar the changes of neighbouring carriers were,
how slow means changed within 0.5 to 4 s, and how far the room is from its usual state. It accepts any number of antennas. Short lags
separate fast motion from slow, so **send 50 frames per second** (at 20, 55 instead of 78 % of simulated falls are found, by networks of their own); lags shorter than the frame interval are ignored.
Noise hides falls as well: with an SNR of 15 to 20 dB of each link, 50 % are found, with 30 to 35 dB 85 %. An alarm
follows about 11 s after the fall. The network
was trained on simulated rooms, with the simulator's falls and those of rag-dolls, behind \`denoise\`, \`phase-sanitize\` and \`window\`, since no recording of a fall over several links with
an open licence is known.

Each antenna learns a noise floor from all its input (10th percentile, decaying over half an hour). During the first \`warm_up_ms\`
a single link raises an alarm only at a clear fall, and the event has \`noise_floor: learning\`. If people are tracked, connect their poses
too: the event then names a person and a position. With poses from three links or more, there is no fall if they show nobody
from 1 to 6 s after the motion (counted as \`nobody_there\`): a pet moved, or somebody left. Nor is there a fall if they show the
person who would have fallen only in zones of the kinds \`bed\` and \`sofa\` for these 6 s (\`resting\`), or in a pet area and below
its \`max_height\` in all of the last seconds (\`pet\`): somebody who falls there was upright before.

**Warnings.** With \`warn: true\`, an end of motion that looks like a fall so far is reported as \`fall_suspected\` 1.7 s after it: a small
logistic model reads the outputs of the networks' lower layers for the last six seconds. A \`fall_detection\` that names it as \`suspected\` follows about
ten seconds later, or \`fall_withdrawn\` within 30 s. If a later end of motion looks more like a fall in the meantime, it is reported, and the first
one withdrawn (\`reason: surer\`, \`replaced_by\`): somebody who stops and then falls raises two suspicions. Neither is an alert: webhooks and subscribers to alerts receive them if they list their types.
Warnings neither add nor delay falls.

**Gotchas.** Picking something up and deep squats look much like falls at this rate. The operator misses slow falls, and falls while others move.
With several links, it finds three of four simulated falls at one false alarm per hour of eventful life (about ten ordinary hours); with \`threshold: -0.9\`, nine of ten at five.
Of 45 falls of rag-dolls that no training used, it found 37. Falls unlike both may be missed (docs/reports/falls-several-links.md). Typical false alarms are
walks that end in standing, kneeling or leaving, and sitting down abruptly.
Recovery requires poses of the person who fell, or of the only person there: upright and in sight
for 2 s, and a metre away from the starting point. Without poses everything is reported, late.
The weights for one link come from one person's falls on one chip: train your own with \`csiflow train falls --recordings\`; \`docs/reports/suite.md\` has their accuracy elsewhere,
\`docs/reports/falls-several-links.md\` that of several links.
`,
  inputs: ['window', 'pose'],
  requires: ['window'],
  outputs: ['event'],
  needsAmplitude: () => 'because its learnt state depends on them',
  stateVersion: 4,
  timeFields: ['time', 'due', 'since', 'lastFall'],
  stateFields: ['method'],
  liveFields: [
    'threshold',
    'room_quantile',
    'warm_up_ms',
    'cooldown_ms',
    'warn_threshold',
    'notify_delay_ms',
  ],
  config: CONFIG,
  check: ({ method, warn, weights }): readonly Complaint[] => {
    if (method !== 'rule') return [];
    return [
      ...(warn
        ? [{ path: ['warn'], message: 'the rule cannot warn; remove `warn` or change `method`' }]
        : []),
      ...(weights === undefined
        ? []
        : [{ path: ['weights'], message: 'the rule has no weights; remove `weights` or change `method`' }]),
    ];
  },
  settings: FALL_SETTINGS,
  examples: [
    { title: 'Defaults', config: {} },
    { title: 'Without learned weights', config: { method: 'rule' } },
    { title: 'An immediate warning for a carer nearby', config: { warn: true } },
    { title: 'A room with much exercise', config: { room_quantile: 0.999 } },
    { title: 'Your own weights', config: { weights: '../models/my-falls.json' } },
  ],
  create: (config, context) => {
    let judge = judgeOf(config, context.folder);
    const dropped: Context['metrics']['dropped'] = (reason, count) => {
      context.metrics.dropped(reason, count);
    };
    const environments = new Map(
      context.environments.map((environment) => [
        environment.id,
        new Watch(environment, config, judge, dropped),
      ]),
    );
    const tellShortages = shortageTeller(config, context);
    return {
      process: (data): Output<SensedEvent> => {
        const watch = environments.get(data.environment);
        if (!watch) return NOTHING;
        if (data.port === 'pose') {
          const withdrawn = watch.see(data);
          return withdrawn.length === 0 ? NOTHING : { data: withdrawn };
        }
        tellShortages(data);
        return watch.take(data);
      },
      watermark: (time) => {
        const due = [...environments.values()].flatMap((watch) => watch.release(time));
        return due.length === 0 ? NOTHING : { data: due };
      },
      reanchor: () => {
        for (const watch of environments.values()) watch.beginGrid();
        return NOTHING;
      },
      adjust: (next) => {
        const changed = next as Static<typeof CONFIG>;
        judge = judgeOf(changed, context.folder);
        for (const watch of environments.values()) watch.adjust(changed, judge);
      },
      snapshot: () => ({ environments: [...environments.values()].map((watch) => watch.snapshot()) }),
      restore: (state: { readonly environments: readonly WatchState[] }) => {
        for (const saved of state.environments) {
          environments.get(saved.environment)?.restore(saved);
        }
      },
      describe: () => ({
        method: judge.model ? 'nets' : 'rule',
        model: judge.model ? `${judge.model.name} ${judge.model.version}` : null,
        threshold: judge.threshold,
        warn_threshold: judge.warning?.threshold ?? null,
      }),
    };
  },
});

/**
 * Frames a second, and signal to noise (dB), below which far fewer falls are found over several links: 55 % at 20 Hz, 50 %
 * at 15 to 20 dB, 78 % in general.
 */
const ENOUGH = { hz: 25, db: 20 };

const shortagesOf = (environment: string): readonly [Shortage, (figure: number) => string][] => [
  [
    new Shortage(rateOf, ENOUGH.hz),
    (rate) =>
      `the links of ${environment} deliver ${rate.toFixed(0)} frames a second on average: at 20, half of the falls over several links are missed; send 50 (docs/accuracy.md#frame-rates)`,
  ],
  [
    new Shortage(snrOf, ENOUGH.db),
    (snr) =>
      `the links of ${environment} have a signal-to-noise ratio of ${snr.toFixed(0)} dB on average: with 15 to ${ENOUGH.db}, half of the falls over several links are missed; move nodes closer together, or use better antennas (docs/accuracy.md#signal-to-noise)`,
  ],
];

/** Tells people once of each room whose links have too few frames, or too much noise, for the networks for several. */
function shortageTeller(
  { method }: Pick<Static<typeof CONFIG>, 'method'>,
  { environments, log }: Context,
): (window: Window) => void {
  const several = environments.filter(({ links }) => method === 'nets' && links.length > 1);
  const shortages = new Map(several.map(({ id }) => [id, shortagesOf(id)]));
  return (window) => {
    const own = shortages.get(window.environment);
    if (!own) return;
    const usable = withUsableLinks(window);
    // A single link that is left is judged by other networks.
    if (usable.links.length < 2) return;
    for (const [shortage, text] of own) {
      const figure = shortage.see(usable);
      if (figure !== null) log.warn(text(figure));
    }
  };
}
