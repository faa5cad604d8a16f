import { Type } from 'typebox';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { Failure, PoseFrame } from '../../pipeline/model/index.js';
import { SightFields } from '../shared/sights.js';
import type { Finding } from './findings.js';
import { Watch, type WatchState } from './watch.js';

export const watchZones = defineOperator({
  name: 'watch-zones',
  summary: 'Tells who enters and leaves zones, how many people are where, intruders and crowds.',
  description: `
Use it behind \`track-persons\`, and give it the measures of \`detect-motion\` too. Zones, authorised hours, the size of a crowd and the time zone are the environment's. It counts
persons in sight: their track is active, and they are \`min_confidence\` sure. To come, somebody must be \`arrival_confidence\` sure,
as who walks is, or be in sight for \`min_sight\` of the last half minute: in an empty room the network claims a person now and then,
but less often. A person is in a zone once its floor point lies inside of the polygon,
until it lies more than \`margin_m\` outside (it has left at the edge then) or is out of sight; either counts once it has lasted
for \`min_stay_ms\`, and then from its beginning on. So noise at an edge gives no chatter, and each result comes \`min_stay_ms\`, and half
a window, after what it tells of.

With \`detect-motion\`, presence is one estimate of both. While the room surely looks empty (\`presence_probability\` below 0.05: it has
learnt that look), nobody new comes, and who is out of sight has left. While somebody is present there and nobody is in sight, who
was seen last is still where they were, \`max_lost_ms\` or not.

Events:

- \`zone_entered\` and \`zone_left\`, with \`zone\`, \`zone_name\` and \`dwell_seconds\`; \`authorised\` in zones of the kinds
  \`restricted\` and \`perimeter\`; \`out_of_sight\` where a track ended rather than walked out.
- \`intrusion\`, once more people are in such a zone (where there is none: in the environment) than may be at that hour, with
  \`zone\`, \`persons\` and \`threat_level\`: medium at a perimeter, else high; one level more where two or more are too many.
  The next one comes after it is over, and \`intrusion_seconds\` tells then how long it was.
- \`crowd\`, once \`crowd_persons\` are in the environment; medium, or high from twice as many on.

Measures: \`occupancy\` of the environment (\`subject\` null) and of each zone whenever it changes; \`person_entered\` for each who
comes; and what analytics are made of, once a minute of event time, [docs/analytics.md](../../analytics.md) lists them. Sums of 0
are left out there, and a minute without frames altogether.

Gotchas: people who keep still are often lost for a while. They count as being where they were for \`max_lost_ms\`, as long as
the tracker keeps them (its \`max_age_ms\`) and they were in sight for \`min_sight\` of the last half minute, so who leaves unseen is missed as late. A frame
stands for the time until the next one, for \`max_gap_ms\` at most: after that nobody is in sight.
`,
  inputs: ['pose', 'measure'],
  requires: ['pose'],
  outputs: ['event', 'measure'],
  stateFields: [],
  stateVersion: 3,
  timeFields: ['time', 'sureSince', 'accrued', 'settled', 'intruding'],
  config: Type.Object(
    {
      margin_m: Type.Number({
        minimum: 0,
        maximum: 10,
        default: 0.25,
        description: 'How far outside of a zone a person must be to have left it, metres.',
      }),
      min_stay_ms: Type.Number({
        minimum: 0,
        maximum: 60_000,
        default: 1000,
        description: 'How long somebody must be in a zone, or out of it, until that counts, milliseconds.',
      }),
      ...SightFields,
      max_lost_ms: Type.Number({
        minimum: 0,
        maximum: 600_000,
        default: 20_000,
        description:
          'How long somebody whose track is lost, or below `min_confidence`, still counts as being where they were, milliseconds; not beyond the end of the track.',
      }),
      max_gap_ms: Type.Number({
        minimum: 100,
        maximum: 60_000,
        default: 5000,
        description: 'How long a pose frame holds where no other follows, milliseconds.',
      }),
      moving_m_s: Type.Number({
        minimum: 0.01,
        maximum: 10,
        default: 0.2,
        description: 'Speed on the floor from which a person counts as moving, metres a second.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'As it comes', config: {} },
    { title: 'Zones in which passing by does not count', config: { min_stay_ms: 5000 } },
  ],
  create: (config, context) => {
    const settings = {
      margin: config.margin_m,
      stay: Math.round(config.min_stay_ms * 1000),
      lost: Math.round(config.max_lost_ms * 1000),
      gap: Math.round(config.max_gap_ms * 1000),
      moving: config.moving_m_s,
    };
    const watches = new Map(
      context.environments.map((environment) => [environment.id, new Watch(environment, settings, config)]),
    );
    return {
      process: (frame): Output<Finding> => {
        if (frame.port === 'measure') {
          watches.get(frame.environment)?.hear(frame);
          return NOTHING;
        }
        const watch = watches.get(frame.environment);
        if (!watch) {
          const reason = `the topology has no environment '${frame.environment}': add its file to 'environment'`;
          return refused(frame, 'zones.environment', reason);
        }
        const time = Math.round(frame.time);
        if (!(time > watch.time)) {
          const reason = `a pose frame of ${frame.time} us came after one of ${watch.time} us: only later ones can be counted`;
          return refused(frame, 'zones.order', reason);
        }
        const { findings, left } = watch.see(time === frame.time ? frame : { ...frame, time });
        if (left > 0) context.metrics.dropped('too_many_persons', left);
        return findings.length === 0 ? NOTHING : { data: findings };
      },
      watermark: (time) => {
        const findings = [...watches.values()].flatMap((watch) => watch.reach(time));
        return findings.length === 0 ? NOTHING : { data: findings };
      },
      reanchor: () => ({ data: [...watches.values()].flatMap((watch) => watch.closeMinutes()) }),
      describe: () => ({
        occupancy: Object.fromEntries(Array.from(watches, ([id, { occupancy }]) => [id, occupancy])),
      }),
      snapshot: () => Array.from(watches, ([environment, watch]) => ({ environment, ...watch.snapshot() })),
      restore: (state) => {
        for (const saved of state as (WatchState & { environment: string })[])
          watches.get(saved.environment)?.restore(saved);
      },
    };
  },
});

function refused({ environment, frameId, time }: PoseFrame, code: string, reason: string): Output<never> {
  const failure: Failure = { record: { environment, frameId, time }, code, reason, retriable: false };
  return { data: [], failed: [failure] };
}
