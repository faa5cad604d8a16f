import { Type } from 'typebox';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { Environment, Measure, PoseFrame, Provenance, SensedEvent } from '../../pipeline/model/index.js';
import { RoomNote, type RoomNoteState } from '../shared/room-note.js';
import { SightFields, Sights, type SightSettings, type SightState } from '../shared/sights.js';
import { Vigil, type Stretch, type VigilSettings, type VigilState } from './vigil.js';

const MINUTE = 60_000_000;

export const detectInactivity = defineOperator({
  name: 'detect-inactivity',
  summary: 'Reports persons who are present and have not moved for a long time.',
  description: `
Use it behind \`track-persons\`; connect the measures of \`detect-motion\` too. It outputs one event \`inactivity\` for each stretch of
\`threshold_minutes\` in which a person did not move, at the event time at which the stretch reached that length. The next one follows only
after the person has moved. Movement is

- a change of the track's position by \`distance_m\`, \`steps\` times within 10 s;
- another posture, for \`posture_lasts_ms\`;
- motion of the room (the measure \`motion\` with \`subject\` null) of \`motion\` or more for \`motion_lasts_ms\`, while only one
  person is present. With several persons the motion cannot be assigned, and counts for none.

A person who lies in a zone of kind \`bed\` is asleep, not inactive (\`ignore_bed\`).

The network can lose a person who keeps still. A person out of sight counts as still present, and is reported if
the room stays without motion, unless they left: they were walking within the last 3 s or, if \`exits\` names zones, were last
seen in one of these. A person who was lying has not left. Nobody counts as present once \`detect-motion\` has learnt the empty room
and reports with certainty that the room is empty (\`presence_probability\` below 0.05). A new person counts as the one out of sight.

The event has \`minutes\`, \`posture\`, \`in_sight\` and the last position; severity is high if the person lies outside zones of the kinds \`bed\` and \`sofa\`, otherwise medium.

A person counts as present after appearing with \`arrival_confidence\`, as people who walk do, or after being in sight for \`min_sight\` of the last
half minute: in an empty room the network reports a person now and then, who never moves.

Gotchas: without poses it outputs nothing, because motion alone cannot distinguish a person who left from one who keeps still. A pet or a fan can
cause constant motion: raise \`motion\`. Stretches follow the track's number: a person whose number changes starts a new stretch.
`,
  inputs: ['pose', 'measure'],
  requires: ['pose'],
  outputs: ['event'],
  stateFields: [],
  stateVersion: 3,
  timeFields: ['time', 'sureSince', 'steps', 'turning', 'since', 'seen', 'walked', 'moving'],
  liveFields: [
    'threshold_minutes',
    'distance_m',
    'steps',
    'posture_lasts_ms',
    'motion',
    'motion_lasts_ms',
    'ignore_bed',
  ],
  config: Type.Object(
    {
      threshold_minutes: Type.Number({
        minimum: 0.001,
        maximum: 1440,
        default: 30,
        description: 'How long a person must be without movement, minutes.',
      }),
      distance_m: Type.Number({
        minimum: 0.05,
        maximum: 10,
        default: 0.5,
        description: 'Distance at which a change of position counts, metres.',
      }),
      steps: Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 5,
        description:
          "This many changes of position within 10 s are a movement. For exact positions use 1; the shipped network's position of a still person jumps.",
      }),
      posture_lasts_ms: Type.Number({
        minimum: 0,
        maximum: 600_000,
        default: 10_000,
        description: 'A new posture that lasts this long is a movement, milliseconds.',
      }),
      motion: Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.25,
        description: 'Motion of the room from which somebody is moving.',
      }),
      motion_lasts_ms: Type.Number({
        minimum: 0,
        maximum: 60_000,
        default: 2000,
        description: 'How long motion of the room must last to count, milliseconds.',
      }),
      ignore_bed: Type.Boolean({
        default: true,
        description: 'Whether to ignore persons who lie in a zone of kind `bed`.',
      }),
      exits: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 64,
        default: [],
        description:
          'Ids of the zones through which people leave. Without any, a person who goes out of sight while walking has left.',
      }),
      ...SightFields,
    },
    { additionalProperties: false },
  ),
  settings: {
    'alerts.inactivity_detection.enabled': 'enabled',
    'analytics.alert_thresholds.inactivity_timeout': {
      field: 'threshold_minutes',
      show: (stored) => Math.round((stored as number) * 60e6) / 1e6,
      store: (value) => (value as number) / 60,
    },
  },
  examples: [
    { title: 'Half an hour', config: {} },
    { title: 'A bathroom with one door', config: { threshold_minutes: 15, exits: ['door'] } },
  ],
  create: (config, context) => {
    const settingsOf = (now: typeof config): VigilSettings => ({
      threshold: now.threshold_minutes * MINUTE,
      distance: now.distance_m,
      steps: now.steps,
      postureLasts: now.posture_lasts_ms * 1000,
      motion: now.motion,
      motionLasts: now.motion_lasts_ms * 1000,
      ignoreBed: now.ignore_bed,
      exits: now.exits,
    });
    const settings = settingsOf(config);
    for (const id of config.exits)
      if (!context.environments.some(({ zones }) => zones.some((zone) => zone.id === id)))
        context.log.warn('no environment has the zone that `exits` names', { zone: id });
    const rooms = new Map(
      context.environments.map((environment) => [environment.id, new Room(environment, settings, config)]),
    );
    return {
      process: (data): Output<SensedEvent> => {
        if (data.port === 'pose') {
          const room = rooms.get(data.environment);
          if (room) return { data: room.takePoseFrame(data) };
          const reason = `the topology has no environment '${data.environment}': add its file to 'environment'`;
          const record = { environment: data.environment, frame_id: data.frameId };
          return { data: [], failed: [{ record, code: 'inactivity.environment', reason, retriable: false }] };
        }
        const events = rooms.get(data.environment)?.measure(data) ?? [];
        return events.length === 0 ? NOTHING : { data: events };
      },
      adjust: (next) => {
        for (const room of rooms.values()) room.adjust(settingsOf(next as typeof config));
      },
      snapshot: () => Array.from(rooms.values(), (room) => room.snapshot()),
      restore: (state: readonly RoomState[]) => {
        for (const saved of state) rooms.get(saved.environment)?.restore(saved);
      },
    };
  },
});

interface RoomState extends VigilState {
  readonly environment: string;
  readonly provenance: Provenance | null;
  readonly sights: SightState;
  readonly presence: RoomNoteState;
}

/** One environment. */
class Room {
  readonly #environment: string;
  readonly #vigil: Vigil;
  readonly #sights: Sights;
  readonly #presence = new RoomNote();
  /** From the newest pose frame. */
  #provenance: Provenance | null = null;

  constructor(environment: Environment, settings: VigilSettings, sight: SightSettings) {
    this.#environment = environment.id;
    this.#vigil = new Vigil(environment, settings);
    this.#sights = new Sights(sight, environment.zones);
  }

  adjust(settings: VigilSettings): void {
    this.#vigil.adjust(settings);
  }

  takePoseFrame({ time, persons, provenance }: PoseFrame): SensedEvent[] {
    this.#provenance = provenance;
    this.#sights.see(time, persons);
    const there = persons.filter((person) => this.#sights.isThere(person));
    return this.#events(this.#vigil.takePoseFrame(time, there, (person) => this.#sights.isTrusted(person)));
  }

  measure(measure: Measure): SensedEvent[] {
    const { name, subject, source, time, value } = measure;
    if (subject !== null || source !== 'csiflow') return [];
    this.#presence.see(measure);
    if (this.#presence.looksEmpty(time)) this.#vigil.leave();
    return name === 'motion' ? this.#events(this.#vigil.motion(time, value)) : [];
  }

  snapshot(): RoomState {
    return {
      environment: this.#environment,
      provenance: this.#provenance,
      sights: this.#sights.snapshot(),
      presence: this.#presence.snapshot(),
      ...this.#vigil.snapshot(),
    };
  }

  restore(state: RoomState): void {
    this.#provenance = state.provenance;
    this.#sights.restore(state.sights);
    this.#presence.restore(state.presence);
    this.#vigil.restore(state);
  }

  #events(stretches: readonly Stretch[]): SensedEvent[] {
    const provenance = this.#provenance;
    if (!provenance) return [];
    return stretches.map(({ person, since, time, inSight, position, posture, confidence, isRestful }) => ({
      port: 'event',
      id: `${this.#environment}-inactivity-${person}-${Math.round(since / 1000)}`,
      type: 'inactivity',
      severity: posture === 'lying' && !isRestful ? 'high' : 'medium',
      environment: this.#environment,
      time,
      confidence,
      person,
      location: { ...position },
      metadata: { minutes: (time - since) / MINUTE, posture, in_sight: inSight },
      source: 'csiflow',
      provenance,
    }));
  }
}
