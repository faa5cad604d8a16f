import { Type } from 'typebox';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { Failure, PoseFrame } from '../../pipeline/model/index.js';
import { SightFields } from '../shared/sights.js';
import type { Finding } from './findings.js';
import { Watch, type WatchState } from './watch.js';
import { WRITES } from './written.js';

export const watchZones = defineOperator({
  name: 'watch-zones',
  summary: 'Reports who enters and leaves zones, how many people are where, intruders and crowds.',
  description: `
Use it behind \`track-persons\`, and connect the measures of \`detect-motion\` too. The environment's file defines zones, authorised hours, the size of a crowd and the time zone. It counts
persons in sight: with an active track and a confidence of at least \`min_confidence\`. A new person needs a confidence of \`arrival_confidence\`,
as walking people have, or must be in sight for \`min_sight\` of the last half minute: in an empty room the network reports a person now and then,
but less often. A person is in a zone as soon as their floor point lies inside the polygon,
until it lies more than \`margin_m\` outside (they then left at the edge) or is out of sight; each change counts once it has lasted
for \`min_stay_ms\`, and then from its beginning. A zone with \`min_height\` or \`max_height\` has only people whose highest keypoint is at such a height,
and those whose height is unknown (not \`articulated\`). Anyone who has been below \`max_height\` of a zone of the kind \`pet\` ever since they appeared counts nowhere. This avoids chatter at edges, and delays each result by \`min_stay_ms\` plus half
a window.

With \`detect-motion\`, both inputs determine presence. While the room is certainly empty (\`presence_probability\` below 0.05: it has
learnt the empty room), nobody new counts, and everybody out of sight has left. While it reports presence and nobody is in sight, one person
counts as still being in the same position, regardless of \`max_lost_ms\`: somebody who rested when last seen, otherwise the person seen last.

People who walk out of a room with three links or more have left sooner. That needs two things: they walked in their last 3 s in sight, and since
then the poses have been certain for \`vacant_ms\`, without a break, that nobody is there (\`counts\` gives nobody 0.9 or more).

Events:

- \`zone_entered\` and \`zone_left\`, with \`zone\`, \`zone_name\` and \`dwell_seconds\`; \`authorised\` in zones of the kinds
  \`restricted\` and \`perimeter\`; \`out_of_sight\` if a track ended instead of walking out.
- \`intrusion\`, once more people are in such a zone (without one: in the environment) than permitted at that hour, with
  \`zone\`, \`persons\` and \`threat_level\`: medium at a perimeter, otherwise high; one level higher with two or more excess people.
  The next one follows only after it has ended; the measure \`intrusion_seconds\` then has its duration.
- \`crowd\`, once \`crowd_persons\` are in the environment; medium, or high from twice that number.

Measures: \`occupancy\` of the environment (\`subject\` null) and of each zone whenever it changes; \`occupancy_known\`: 0 from
when nothing says who is there, and 1, followed by all \`occupancy\`, from when something does again; \`person_entered\` for each new
person; and the basis of analytics, once per minute of event time, listed in [docs/analytics.md](../../analytics.md). Sums of 0
and minutes without pose frames are omitted there.

Gotchas: people who keep still are often lost for a while. They count as still present for \`max_lost_ms\`, as long as
the tracker retains them (its \`max_age_ms\`) and they were in sight for \`min_sight\` of the last half minute. So an unseen exit is noticed only after that time. A pose frame
is valid until the next one, at most \`max_gap_ms\`: after that nobody is in sight. Over one or two links, a pose frame in which nobody
counts, though the networks see somebody whom they cannot confirm, is none either: whether the room is empty is unknown, so that time is not observed.
`,
  inputs: ['pose', 'measure'],
  requires: ['pose'],
  outputs: ['event', 'measure'],
  writes: WRITES,
  stateFields: [],
  stateVersion: 3,
  timeFields: ['time', 'sureSince', 'began', 'vacantSince', 'walked', 'accrued', 'settled', 'intruding'],
  config: Type.Object(
    {
      margin_m: Type.Number({
        minimum: 0,
        maximum: 10,
        default: 0.25,
        description: 'How far outside a zone a person must be to have left it, metres.',
      }),
      min_stay_ms: Type.Number({
        minimum: 0,
        maximum: 60_000,
        default: 1000,
        description:
          'How long a person must be in a zone, or out of it, for the change to count, milliseconds.',
      }),
      ...SightFields,
      max_lost_ms: Type.Number({
        minimum: 0,
        maximum: 600_000,
        default: 20_000,
        description:
          'How long a person whose track is lost, or below `min_confidence`, still counts as present at the last position, milliseconds; at most until the end of the track. Somebody who walked has left after `vacant_ms`, if that is sooner.',
      }),
      vacant_ms: Type.Number({
        minimum: 0,
        maximum: 600_000,
        default: 3000,
        description:
          'How long poses must be certain of an empty room until somebody who walked out of sight has left, milliseconds, with and without `detect-motion`. They never are with one or two links, or if pose frames are more than a second apart (`hop_ms` of `window`).',
      }),
      max_gap_ms: Type.Number({
        minimum: 100,
        maximum: 60_000,
        default: 5000,
        description: 'How long a pose frame is valid without a following one, milliseconds.',
      }),
      moving_m_s: Type.Number({
        minimum: 0.01,
        maximum: 10,
        default: 0.2,
        description: 'Speed on the floor from which a person counts as moving, metres per second.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'Defaults', config: {} },
    { title: 'Zones that ignore people passing by', config: { min_stay_ms: 5000 } },
  ],
  create: (config, context) => {
    const settings = {
      margin: config.margin_m,
      stay: Math.round(config.min_stay_ms * 1000),
      lost: Math.round(config.max_lost_ms * 1000),
      vacant: Math.round(config.vacant_ms * 1000),
      gap: Math.round(config.max_gap_ms * 1000),
      moving: config.moving_m_s,
    };
    const watches = new Map(
      context.environments.map((environment) => [environment.id, new Watch(environment, settings, config)]),
    );
    return {
      process: (record): Output<Finding> => {
        if (record.port === 'measure') {
          watches.get(record.environment)?.hear(record);
          return NOTHING;
        }
        const watch = watches.get(record.environment);
        if (!watch) {
          const reason = `the topology has no environment '${record.environment}': add its file to 'environment'`;
          return refused(record, 'zones.environment', reason);
        }
        const time = Math.round(record.time);
        if (!(time > watch.time)) {
          const reason = `a pose frame of ${record.time} us arrived after one of ${watch.time} us: pose frames must arrive in order of time`;
          return refused(record, 'zones.order', reason);
        }
        const { findings, left } = watch.see(time === record.time ? record : { ...record, time });
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
      restore: (state: readonly (WatchState & { readonly environment: string })[]) => {
        for (const saved of state) watches.get(saved.environment)?.restore(saved);
      },
    };
  },
});

function refused({ environment, frameId, time }: PoseFrame, code: string, reason: string): Output<never> {
  const failure: Failure = { record: { environment, frameId, time }, code, reason, retriable: false };
  return { data: [], failed: [failure] };
}
