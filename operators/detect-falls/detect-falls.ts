import { Type, type Static } from 'typebox';
import { defineOperator, NOTHING, type Complaint, type Output } from '../../pipeline/component/index.js';
import type { SensedEvent } from '../../pipeline/model/index.js';
import { FADING_SAMPLES } from './floored.js';
import { judgeOf } from './judge.js';
import { FALL_SETTINGS } from './settings.js';
import { RATE_HZ } from './tracks.js';
import { Watch, type WatchState } from './watch.js';

/** A floor fades to half when it is full, so that no more than this can be asked of it. */
const MAX_WARM_UP_MS = (FADING_SAMPLES / 2 / RATE_HZ) * 1000;

const CONFIG = Type.Object(
  {
    method: Type.Union([Type.Literal('nets'), Type.Literal('rule')], {
      default: 'nets',
      description:
        '`nets`: small nets, averaged. `rule`: `min(rise, drop) + 2 fast` of each peak, links averaged by the power of the motion that they saw; without learning, weaker, but plain.',
    }),
    threshold: Type.Optional(
      Type.Number({
        minimum: -50,
        maximum: 50,
        description:
          'Score from which on a candidate is a fall. Default: that of the weights, or 1.2 for the rule. Lower finds more falls and more that are none.',
      }),
    ),
    room_quantile: Type.Optional(
      Type.Number({
        minimum: 0.5,
        maximum: 0.9999,
        description:
          "Raises the threshold to this quantile of the room's own candidates, once 200 were seen. 0.95 to 0.99 over a day of ordinary life is a good choice; nobody may fall meanwhile.",
      }),
    ),
    warm_up_ms: Type.Integer({
      minimum: 0,
      maximum: MAX_WARM_UP_MS,
      default: 60_000,
      description:
        'Until each link that sees something was there for so long, the threshold of one link is raised by 2 (0.5 for the rule), milliseconds: noise floors are still being learnt, and ordinary motion may look like a fall.',
    }),
    cooldown_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 10_000,
      description: 'After a fall, no other is reported in the same environment for so long, milliseconds.',
    }),
    warn: Type.Boolean({
      default: false,
      description:
        'Whether `fall_suspected` is told as soon as motion ends as in a fall, 1.7 s later, and followed by a fall or by `fall_withdrawn` within 30 s, or when `notify_delay_ms` is over. Several links, method `nets`.',
    }),
    warn_threshold: Type.Optional(
      Type.Number({
        minimum: -50,
        maximum: 50,
        description: 'Score from which on a fall is suspected. Default: that of the weights.',
      }),
    ),
    notify_delay_ms: Type.Integer({
      minimum: 0,
      maximum: 600_000,
      default: 0,
      description:
        'A fall is held back for so long, and left out (counted as `recovered`) if the one who fell walks upright again meanwhile, milliseconds of event time.',
    }),
  },
  { additionalProperties: false },
);

export const detectFalls = defineOperator({
  name: 'detect-falls',
  summary:
    'Reports falls: isolated bursts of motion of about a second, fast for their size, with quiet on both sides.',
  description: `
Reads windows (any length; a grid step of 50 ms or less).

**One link** is judged at each peak of its motion, by twelve features per antenna relative to the peak itself, from amplitudes
at 20 Hz; the scores of its antennas are averaged. An alarm comes 3.7 s after the peak: the quiet afterwards is part of what tells a fall.

**Several links** are judged together at each sudden end of motion. A small network reads, ten times a second, by how much the
amplitudes of each antenna changed within 20 to 1000 ms, how alike neighbouring carriers changed, how slow means changed within 0.5 to
4 s, and how far the room is from how it usually is, from 5 s before the end to 10 s after it; it takes any number of antennas. Short lags tell fast motion from slow, so that **50 frames a second or
more find more falls**; lags shorter than the time between frames are left out. An alarm comes about 11 s after the fall. The network
was trained on simulated rooms behind \`denoise\`, \`phase-sanitize\` and \`window\`, since no recording of a fall over several links with
an open licence is known.

Each antenna learns a noise floor from all that it sees (10th percentile, faded over half an hour). Until \`warm_up_ms\` were
seen, one link raises an alarm only at a clear fall, and the event says \`noise_floor: learning\`. Where people are tracked, give it their poses too: the event then names a
person and a place.

**Warnings.** With \`warn: true\`, an end of motion that looks like a fall so far is told as \`fall_suspected\` 1.7 s after it: a small
logistic model reads what the networks' lower layers say of the last six seconds. A \`fall_detection\` that names it as \`suspected\` follows about
ten seconds later, or \`fall_withdrawn\` does, within 30 s. Neither is an alert: a webhook or a subscriber to alerts gets them by naming their types.
No fall is told that would not be told without warnings, nor later.

**Gotchas.** Picking something up and deep squats look much like falls at this rate. Slow falls, and falls while others move about, are missed.
With several links three of four simulated falls are found with one false alarm in an hour of eventful life (as much as happens in about ten ordinary ones); \`threshold: -1.5\` finds nineteen of twenty with five. A walk that ends in standing, kneeling or going out, and sitting down abruptly, is what is mistaken for a fall.
Whether somebody has recovered is seen by the poses of the one who fell, or of the only one there: upright and in sight
for 2 s, and a metre away from where that began. Without poses everything is reported, late.
The weights of one link come from one person's falls on one chip; \`docs/reports/falls.md\` has what they are worth elsewhere,
\`docs/reports/falls-several-links.md\` what several links are worth.
`,
  inputs: ['window', 'pose'],
  requires: ['window'],
  outputs: ['event'],
  needsAmplitude: () => 'since what it judges by was learnt from them',
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
  check: ({ method, warn }): readonly Complaint[] =>
    warn && method === 'rule'
      ? [{ path: ['warn'], message: 'the rule cannot warn; leave `warn` out, or `method`' }]
      : [],
  settings: FALL_SETTINGS,
  examples: [
    { title: 'As it comes', config: {} },
    { title: 'Without learned weights', config: { method: 'rule' } },
    { title: 'Somebody is near and wants to be warned at once', config: { warn: true } },
    { title: 'A room with much exercise', config: { room_quantile: 0.99 } },
  ],
  create: (config, context) => {
    let judge = judgeOf(config);
    const environments = new Map(
      context.environments.map((environment) => [environment.id, new Watch(environment.id, config, judge)]),
    );
    return {
      process: (data): Output<SensedEvent> => {
        const watch = environments.get(data.environment);
        if (!watch) return NOTHING;
        if (data.port === 'pose') {
          const { recovered, withdrawn } = watch.see(data);
          if (recovered > 0) context.metrics.dropped('recovered', recovered);
          return withdrawn.length === 0 ? NOTHING : { data: withdrawn };
        }
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
        judge = judgeOf(changed);
        for (const watch of environments.values()) watch.adjust(changed, judge);
      },
      snapshot: () => ({ environments: [...environments.values()].map((watch) => watch.snapshot()) }),
      restore: (state) => {
        for (const kept of (state as { environments: WatchState[] }).environments) {
          environments.get(kept.environment)?.restore(kept);
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
