import { Type, type Static } from 'typebox';
import { choice, type Complaint } from '../../component/index.js';
import type { Step } from './person/activities.js';

/** Activities of the people in a scene, as written in a topology file. */

const StepSchema = Type.Object(
  {
    activity: choice(
      {
        walk: 'Walks to `to`, or from one random place to another for `seconds`.',
        stand: 'Stands still.',
        arms: 'Stands and moves the arms.',
        sit_down: 'Sits down on a chair.',
        sit: 'Sits still, having sat down if need be.',
        get_up: 'Gets up from sitting or lying.',
        bend: 'Bends or squats, and comes up again.',
        lie_down: 'Lies down on `on`.',
        lie: 'Lies still, having lain down if need be.',
        fall: 'Falls to the floor within about a second: out of a walk, from standing, off the chair or the bed. See `fall`.',
        turn: 'Turns on the spot.',
        away: 'Walks to the door and out, stays away for `seconds`, and comes back in. A script that begins with it begins outside.',
        pick_up: 'Picks something up from the floor.',
        jump: 'Jumps on the spot, once or for `seconds`.',
        kneel: 'Kneels down for `seconds`, and gets up again.',
        crawl: 'Crawls on hands and knees for `seconds`, and gets up again.',
        exercise: 'Does squats.',
      },
      { description: 'What the person does. People who sit or lie get up first if needed.' },
    ),
    seconds: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 86_400,
        description:
          'Duration; default a few seconds, random. People who sit or lie for long move a limb or the head now and then.',
      }),
    ),
    to: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 2,
        description:
          'Floor point to walk to, metres. Of `away`: the door, on the nearest wall; default the `door` of the room.',
      }),
    ),
    speed: Type.Optional(
      Type.Number({
        minimum: 0.3,
        maximum: 1.6,
        description: 'Walking speed, metres per second; random by default.',
      }),
    ),
    on: Type.Optional(
      choice(
        {
          chair: 'To sit on.',
          sofa: 'To sit low on, leaning back, or to lie on.',
          bed: '0.4 to 0.55 m high, to lie on.',
          floor: 'To lie on.',
        },
        { description: 'Where to sit (default: chair) or lie down (default: bed).' },
      ),
    ),
    fast: Type.Optional(
      Type.Boolean({ description: 'For sitting and lying down: drops onto it; default false.' }),
    ),
    fall: Type.Optional(
      choice(
        {
          forward: 'On the front.',
          backward: 'On the back.',
          left: 'On the left.',
          right: 'On the right.',
          slump: 'The legs give way, down on the spot.',
          slide: 'Goes to a wall, slides down it in a few seconds, and mostly tips over.',
        },
        {
          description:
            'Kind of a fall; directions as seen by the person; random by default. Off a bed a person rolls over its edge, off a chair to the front or a side.',
        },
      ),
    ),
  },
  { additionalProperties: false, description: 'One step of a script.' },
);

/**
 * One person walks, sits, lies down, gets up, walks, falls, lies on the floor for 20 s, gets up again, and at last
 * rests on the bed: the minute shows breathing.
 */
const DAY: Static<typeof StepSchema>[] = [
  { activity: 'walk', seconds: 9, speed: 1 },
  { activity: 'sit', seconds: 4 },
  { activity: 'get_up' },
  { activity: 'walk', seconds: 5, speed: 0.9 },
  { activity: 'lie', seconds: 5, on: 'bed' },
  { activity: 'get_up' },
  { activity: 'walk', seconds: 8, speed: 1.1 },
  { activity: 'fall' },
  { activity: 'lie', seconds: 20 },
  { activity: 'get_up' },
  { activity: 'stand', seconds: 3 },
  { activity: 'walk', seconds: 15 },
  { activity: 'arms', seconds: 5 },
  { activity: 'bend' },
  { activity: 'lie', seconds: 60 },
];

export const PersonSchema = Type.Object(
  {
    start: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 2,
        description: 'Floor point, metres; random by default.',
      }),
    ),
    height_m: Type.Optional(
      Type.Number({ minimum: 0.9, maximum: 2.1, description: 'Height; by default random, 1.55 to 1.92.' }),
    ),
    reflectivity: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 4,
        description:
          "Share of the wave's amplitude that the body reflects; by default random, 0.8 to 1. More than 1 makes it stronger than any body.",
      }),
    ),
    breathing_bpm: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 60,
        description:
          'Breaths per minute, which move the chest by 4 mm; by default random, 12 to 18, and different in each run of the script.',
      }),
    ),
    script: Type.Array(StepSchema, {
      maxItems: 1000,
      default: DAY,
      description:
        'Steps in order, then from the start again, with other random numbers. The default walks, sits, lies down and falls within a minute; an empty script does random things, but does not fall.',
    }),
  },
  { additionalProperties: false, description: 'A person of the scene.' },
);

export const ThingSchema = Type.Object(
  {
    type: choice(
      {
        fan: 'Rotating blades: on a stand that may swing to and fro, or below the ceiling.',
        pet: 'A cat or small dog: walks, sleeps, jumps on furniture and down again.',
        curtain: 'Hangs at a wall and swings in a draught, in gusts.',
        falling_object: 'Falls from a shelf every minute or so, and is put back.',
      },
      { description: 'What moves.' },
    ),
    position: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 3,
        maxItems: 3,
        description:
          'Metres: middle of a fan, shelf of a falling object, where a pet begins, a point near the wall of a curtain. Random by default.',
      }),
    ),
    rpm: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 3000,
        description: 'Turns of a fan per minute; random by default.',
      }),
    ),
  },
  { additionalProperties: false, description: 'A moving thing that is not a person.' },
);

const corner = (description: string) => Type.Array(Type.Number(), { minItems: 3, maxItems: 3, description });

export const ObstacleSchema = Type.Object(
  {
    from: corner('A corner, metres.'),
    to: corner('The opposite corner.'),
    opacity: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.9,
      description: "Share of a wave's amplitude that it holds back.",
    }),
  },
  { additionalProperties: false, description: 'A box with edges along the walls.' },
);

export type ThingConfig = Static<typeof ThingSchema>;

/** Fan speed of things that are not fans. */
export const checkThings = (things: readonly ThingConfig[]): Complaint[] =>
  things.flatMap(({ type, rpm }, index) =>
    rpm !== undefined && type !== 'fan'
      ? [{ path: ['things', index, 'rpm'], message: `a ${type} has no \`rpm\`; leave it out` }]
      : [],
  );

export type PersonConfig = Static<typeof PersonSchema>;

export const DEFAULT_PEOPLE: PersonConfig[] = [{ script: DAY }];

/** Allowed values of `on`, by activity. */
const ON: Readonly<Partial<Record<Step['activity'], readonly string[]>>> = {
  sit: ['chair', 'sofa'],
  sit_down: ['chair', 'sofa'],
  lie: ['bed', 'sofa', 'floor'],
  lie_down: ['bed', 'sofa', 'floor'],
};

/** Settings of steps that do not apply to their activity. */
export function checkPeople(people: readonly PersonConfig[]): Complaint[] {
  return people.flatMap(({ script }, person) =>
    script.flatMap(({ activity, on, fast, fall }, step): Complaint[] => {
      const complain = (field: string, message: string): Complaint => ({
        path: ['people', person, 'script', step, field],
        message,
      });
      const supports = ON[activity];
      if (on !== undefined && !supports?.includes(on)) {
        const may = supports
          ? `nobody can ${activity} on a ${on}; one of ${supports.join(', ')}`
          : notOf('on', activity);
        return [complain('on', may)];
      }
      if (fast !== undefined && !supports) return [complain('fast', notOf('fast', activity))];
      if (fall !== undefined && activity !== 'fall') return [complain('fall', notOf('fall', activity))];
      return [];
    }),
  );
}

const notOf = (field: string, activity: string): string =>
  `\`${field}\` means nothing for the activity ${activity}; leave it out`;

/** Converts a step of the file to a step of the motion. */
export const stepOf = (step: PersonConfig['script'][number]): Step => ({
  activity: step.activity,
  ...(step.seconds === undefined ? {} : { seconds: step.seconds }),
  ...(step.to ? { to: [step.to[0]!, step.to[1]!] as const } : {}),
  ...(step.speed === undefined ? {} : { speed: step.speed }),
  ...(step.on ? { on: step.on } : {}),
  ...(step.fast === undefined ? {} : { fast: step.fast }),
  ...(step.fall ? { fall: step.fall } : {}),
});
