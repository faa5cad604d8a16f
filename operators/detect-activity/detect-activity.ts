import { Type } from 'typebox';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { Environment, Measure, PoseFrame, Provenance, SensedEvent } from '../../pipeline/model/index.js';
import { SightFields, Sights, type SightSettings, type SightState } from '../shared/sights.js';
import {
  ACTIVITIES,
  Diary,
  type Change,
  type DiarySettings,
  type DiaryState,
  type PersonMinute,
} from './diary.js';
import { WRITES } from './written.js';

export const detectActivity = defineOperator({
  name: 'detect-activity',
  summary: 'Classifies the activity of tracked persons (walk, stand, sit, lie), with seconds per minute.',
  description: `
Use it behind \`track-persons\`. Rules determine the activity, frame by frame, from the network's posture and the track's speed:

- **lying** if the posture is lying;
- **walking** if the floor speed is \`walking_m_s\` or more, whatever the posture, until it falls below half of that;
- **sitting** if the posture is sitting, otherwise **standing**.

A new activity counts once frames have shown it for \`dwell_ms\`, and then from its beginning; shorter periods count as
the previous activity. All times are event time. It outputs

- events \`activity_changed\` at the time at which the new activity began, with \`activity\`, \`previous\` and \`seconds\` (since
  the previous one began), of low severity; none for a person's first activity;
- measures \`walking_seconds\`, \`standing_seconds\`, \`sitting_seconds\`, \`lying_seconds\`, one per person (\`subject\`) and
  minute, at the start of the minute, once the minute is over and fully decided; omitted if 0.

Only frames that show the person (\`active\`, not \`lost\`) count, and only of certain persons: those who appeared with \`arrival_confidence\`, as
people who walk do, or who were in sight for \`min_sight\` of the last half minute. In an empty room the network reports a person now and then. Time
between frames that are more than \`max_gap_ms\` apart does not count. At the end of input the current minute is output as far as it got.

Gotchas: it is as accurate as the postures of its input; \`docs/analytics.md\` has figures for the shipped network. Getting up,
sitting down and bending are not separate activities. A person who has fallen and lies on the floor is lying.
`,
  inputs: ['pose'],
  outputs: ['event', 'measure'],
  writes: WRITES,
  stateFields: [],
  settings: { 'analytics.enable_activity_recognition': 'enabled' },
  stateVersion: 2,
  timeFields: ['time', 'sureSince', 'since', 'seemsSince', 'counted', 'seen'],
  config: Type.Object(
    {
      walking_m_s: Type.Number({
        minimum: 0.05,
        maximum: 3,
        default: 0.3,
        description: 'Speed over the floor from which a person is walking, metres per second.',
      }),
      dwell_ms: Type.Number({
        minimum: 0,
        maximum: 20_000,
        default: 2000,
        description: 'How long a new activity must last to count, milliseconds.',
      }),
      max_gap_ms: Type.Number({
        minimum: 10,
        maximum: 60_000,
        default: 1000,
        description:
          'Time between frames of a person that are further apart than this does not count, milliseconds; at least the hop of the windows.',
      }),
      ...SightFields,
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'Activities of tracked persons', config: {} },
    { title: 'A network whose postures fluctuate', config: { dwell_ms: 5000 } },
  ],
  create: (config, context) => {
    const settings = {
      walkingSpeed: config.walking_m_s,
      dwell: config.dwell_ms * 1000,
      maxGap: config.max_gap_ms * 1000,
    };
    const rooms = new Map(
      context.environments.map((environment) => [environment.id, new Room(environment, settings, config)]),
    );
    return {
      process: (poseFrame): Output<SensedEvent> => {
        const room = rooms.get(poseFrame.environment);
        if (room) return { data: room.take(poseFrame) };
        const reason = `the topology has no environment '${poseFrame.environment}': add its file to 'environment'`;
        return {
          data: [],
          failed: [{ record: poseFrame, code: 'activity.environment', reason, retriable: false }],
        };
      },
      watermark: (time): Output<Measure> => {
        const measures = Array.from(rooms.values()).flatMap((room) => room.close(time));
        return measures.length === 0 ? NOTHING : { data: measures };
      },
      reanchor: (): Output<Measure> => ({
        data: Array.from(rooms.values()).flatMap((room) => room.closeAll()),
      }),
      snapshot: () => Array.from(rooms.values(), (room) => room.snapshot()),
      restore: (state: readonly RoomState[]) => {
        for (const saved of state) rooms.get(saved.environment)?.restore(saved);
      },
    };
  },
});

interface RoomState extends DiaryState {
  readonly environment: string;
  readonly provenance: Provenance | null;
  readonly lag: number;
  readonly sights: SightState;
}

/** One environment. */
class Room {
  readonly #environment: string;
  readonly #diary: Diary;
  readonly #sights: Sights;
  #provenance: Provenance | null = null;
  /** Difference between a pose frame's time and the event time at its arrival, microseconds. */
  #lag = 0;

  constructor({ id, zones }: Environment, settings: DiarySettings, sight: SightSettings) {
    this.#environment = id;
    this.#diary = new Diary(settings);
    this.#sights = new Sights(sight, zones);
  }

  take({ time, windowEnd, persons, provenance }: PoseFrame): SensedEvent[] {
    this.#provenance = provenance;
    this.#lag = Math.max(this.#lag, windowEnd - time);
    this.#sights.see(time, persons);
    return persons.flatMap((person) => {
      const { track } = person;
      if (track?.state === 'ended') this.#diary.leave(track.id);
      if (track?.state !== 'active' || !this.#sights.isThere(person)) return [];
      const change = this.#diary.see(track.id, person, time);
      if (!change) return [];
      const { confidence, position } = person;
      return [this.#event(change, { confidence, location: { ...position }, provenance })];
    });
  }

  close(time: number): Measure[] {
    return this.#measures(this.#diary.close(time - this.#lag));
  }

  /** The unfinished minutes. */
  closeAll(): Measure[] {
    return this.#measures(this.#diary.closeAll());
  }

  #measures(minutes: readonly PersonMinute[]): Measure[] {
    const provenance = this.#provenance;
    if (!provenance) return [];
    return minutes.flatMap(({ minute, person, times }) =>
      ACTIVITIES.flatMap((activity, index): Measure[] => {
        const value = Math.round(times[index]! / 1000) / 1000;
        if (value === 0) return [];
        return [
          {
            port: 'measure',
            name: `${activity}_seconds`,
            environment: this.#environment,
            subject: String(person),
            time: minute,
            value,
            source: 'csiflow',
            provenance,
          },
        ];
      }),
    );
  }

  snapshot(): RoomState {
    return {
      environment: this.#environment,
      provenance: this.#provenance,
      lag: this.#lag,
      sights: this.#sights.snapshot(),
      ...this.#diary.snapshot(),
    };
  }

  restore(state: RoomState): void {
    this.#provenance = state.provenance;
    this.#lag = state.lag;
    this.#sights.restore(state.sights);
    this.#diary.restore(state);
  }

  #event(
    { person, activity, previous, time, seconds }: Change,
    rest: Pick<SensedEvent, 'confidence' | 'location' | 'provenance'>,
  ): SensedEvent {
    return {
      port: 'event',
      id: `${this.#environment}-activity_changed-${person}-${Math.round(time / 1000)}`,
      type: 'activity_changed',
      severity: 'low',
      environment: this.#environment,
      time,
      person,
      metadata: { activity, previous, seconds: Math.round(seconds * 1000) / 1000 },
      source: 'csiflow',
      ...rest,
    };
  }
}
