import { Type } from 'typebox';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { Environment, Measure, PoseFrame, Provenance, SensedEvent } from '../../pipeline/model/index.js';
import { RoomNote, type RoomNoteState } from '../shared/room-note.js';
import { SightFields, Sights, type SightSettings, type SightState } from '../shared/sights.js';
import { Vigil, type Stretch, type VigilSettings, type VigilState } from './vigil.js';

const MINUTE = 60_000_000;

export const detectInactivity = defineOperator({
  name: 'detect-inactivity',
  summary: 'Reports persons who are there and have not moved for long.',
  description: `
Use it behind \`track-persons\`; give it the measures of \`detect-motion\` too. It gives one event \`inactivity\` for each stretch of
\`threshold_minutes\` in which a person did not move, at the event time at which the stretch became that long. The next one comes only
after the person has moved. Movement is

- to change one's place by \`distance_m\`, as the track has it, \`steps\` times within 10 s;
- another posture, for \`posture_lasts_ms\`;
- motion of the room (the measure \`motion\` with \`subject\` null) of \`motion\` or more for \`motion_lasts_ms\`, while one person alone
  is there: it is theirs. Of several nobody knows who moved, and it counts for none.

Who lies in a zone of kind \`bed\` is asleep, not inactive (\`ignore_bed\`).

Somebody who keeps still may be lost by the network. Whose track goes out of sight is taken to be there still, and is reported when
the room stays without motion, unless they left: they were walking within the last 3 s, or, where \`exits\` names zones, were last
seen in one of these; who lay has not left. And nobody is there still once \`detect-motion\` has learnt how the room looks while it is
empty, and says that it surely looks so (\`presence_probability\` below 0.05). A new person while somebody is out of sight is taken for them.

The event has \`minutes\`, \`posture\`, \`in_sight\` and the last place; severity is high where the person lies, outside of a bed, else medium.

Somebody is there who came \`arrival_confidence\` sure, as who walks is, or is in sight for \`min_sight\` of the last half minute: in an empty
room the network claims a person now and then, who never moves.

Gotchas: without poses it says nothing, as motion alone cannot tell who left from who keeps still. A pet or a fan may keep the
room's motion up: raise \`motion\`. An event hangs on the track's number: a person whose number changes begins a new stretch.
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
        description: 'How long a person must not have moved, minutes.',
      }),
      distance_m: Type.Number({
        minimum: 0.05,
        maximum: 10,
        default: 0.5,
        description: 'How far from where they were a person has changed their place, metres.',
      }),
      steps: Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 5,
        description:
          'So many changes of place within 10 s are a movement. Where places are exact 1 is right; the place that the shipped network gives for a still person jumps.',
      }),
      posture_lasts_ms: Type.Number({
        minimum: 0,
        maximum: 600_000,
        default: 10_000,
        description: 'Another posture that lasts for so long is a movement, milliseconds.',
      }),
      motion: Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.25,
        description: 'Motion of the room from which on somebody moves.',
      }),
      motion_lasts_ms: Type.Number({
        minimum: 0,
        maximum: 60_000,
        default: 2000,
        description: 'How long the room must be in motion for it to count, milliseconds.',
      }),
      ignore_bed: Type.Boolean({
        default: true,
        description: 'Who lies in a zone of kind `bed` is not inactive.',
      }),
      exits: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 64,
        default: [],
        description:
          'Ids of the zones that people leave by. Without any, who walks when they go out of sight has left.',
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
        context.log.warn('no environment has the zone that is named as an exit', { zone: id });
    const rooms = new Map(
      context.environments.map((environment) => [environment.id, new Room(environment, settings, config)]),
    );
    return {
      process: (data): Output<SensedEvent> => {
        if (data.port === 'pose') {
          const room = rooms.get(data.environment);
          if (room) return { data: room.frame(data) };
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
      restore: (state) => {
        for (const saved of state as RoomState[]) rooms.get(saved.environment)?.restore(saved);
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
  /** Of the newest pose frame. */
  #provenance: Provenance | null = null;

  constructor(environment: Environment, settings: VigilSettings, sight: SightSettings) {
    this.#environment = environment.id;
    this.#vigil = new Vigil(environment, settings);
    this.#sights = new Sights(sight);
  }

  adjust(settings: VigilSettings): void {
    this.#vigil.adjust(settings);
  }

  frame({ time, persons, provenance }: PoseFrame): SensedEvent[] {
    this.#provenance = provenance;
    this.#sights.see(time, persons);
    const there = persons.filter((person) => this.#sights.isThere(person));
    return this.#events(this.#vigil.frame(time, there, (person) => this.#sights.isTrusted(person)));
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
    return stretches.map(({ person, since, time, inSight, position, posture, confidence, inBed }) => ({
      port: 'event',
      id: `${this.#environment}-inactivity-${person}-${Math.round(since / 1000)}`,
      type: 'inactivity',
      severity: posture === 'lying' && !inBed ? 'high' : 'medium',
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
