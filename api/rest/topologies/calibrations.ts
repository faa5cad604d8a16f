import { Type } from 'typebox';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import {
  calibrationOf,
  cancelCalibration,
  saveCalibration,
  startCalibration,
} from '../../service/deployment/calibrations.js';
import type { Sensing } from '../../service/deployment/environments.js';
import { WHO } from '../../service/deployment/learnt.js';
import type { Asked, Calibration } from '../../service/deployment/measurement.js';
import { applyRefused } from './topology-changes.js';

const endpoint = endpointsWith<Sensing | 'calibrations' | 'watch'>();

const closed = { additionalProperties: false } as const;
const PathSchema = Type.Object({ environment_id: Type.String() });

const CalibrationSchema = Type.Object(
  {
    state: Type.Enum(['none', 'measuring', 'measured', 'saved', 'failed']),
    who: Type.Enum([...WHO], {
      description: 'Who was to be in the room: nobody, or one person who walks about.',
    }),
    seconds: Type.Number({ description: 'Event time that it takes.' }),
    heard_seconds: Type.Number({ description: 'Time without frames does not count.' }),
    presence_seconds: Type.Union([Type.Number(), Type.Null()], {
      description:
        'Seconds in which a motion detector, such as `detect-motion`, noticed somebody; null without one.',
    }),
    links: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          heard: Type.Boolean({ description: 'False: no frames arrived, so its former profile stays.' }),
          change_db: Type.Union([Type.Number(), Type.Null()], {
            description: 'Mean difference from the former profile; null without one.',
          }),
        },
        closed,
      ),
    ),
    echo_db: Type.Union([Type.Number(), Type.Null()], {
      description:
        'By how many decibels the one who walked changed the channels more than people in the training of `infer-pose`; null unless measured or saved.',
    }),
    reduced_db: Type.Union([Type.Number(), Type.Null()], {
      description:
        'By how many decibels `infer-pose` reduces all changes of the room once this is saved: nothing up to an `echo_db` of 5, all of it from 10 to 15, and 15 above. Null if `echo_db` is.',
    }),
    doubt: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the result may be wrong, for people; null if nothing says so.',
    }),
    file: Type.String({ description: "Relative to the topology's folder." }),
    problem: Type.Union([Type.String(), Type.Null()]),
  },
  closed,
);

const render = ({ heard, presence, echoDb, reducedDb, links, ...rest }: Calibration) => ({
  data: {
    ...rest,
    heard_seconds: heard,
    presence_seconds: presence,
    echo_db: echoDb,
    reduced_db: reducedDb,
    links: links.map(({ id, isHeard, changeDb }) => ({ id, heard: isHeard, change_db: changeDb })),
  },
});

const show = endpoint<string, Calibration>({
  method: 'GET',
  path: '/environments/:environment_id/calibration',
  summary: 'The newest measurement of a room.',
  access: 'operator',
  limit: 'health',
  status: 200,
  handle: async (id, { deployment }) => calibrationOf(deployment, id),
  b: formView({
    path: PathSchema,
    response: CalibrationSchema,
    read: ({ path }) => path.environment_id,
    render,
  }),
});

const start = endpoint<Asked & { readonly id: string }, Calibration>({
  method: 'POST',
  path: '/environments/:environment_id/calibration',
  summary:
    'Measures a room while its topology runs: empty, or with one person who walks. Nothing is changed until the result is saved.',
  access: 'operator',
  limit: 'configuration',
  status: 202,
  audit: ({ seconds, who }) => ({ seconds, who }),
  handle: async ({ id, ...asked }, { deployment }) => startCalibration(deployment, id, asked),
  b: formView({
    path: PathSchema,
    body: Type.Object(
      {
        seconds: Type.Integer({ minimum: 1, maximum: 3600, description: 'Event time; 60 is enough.' }),
        who: Type.Optional(
          Type.Enum([...WHO], {
            default: 'nobody',
            description: '`walker`: one person walks about, and the empty room was measured before.',
          }),
        ),
      },
      closed,
    ),
    response: CalibrationSchema,
    read: ({ path, body: { seconds, who = 'nobody' } }) => ({ id: path.environment_id, seconds, who }),
    render,
  }),
});

const save = endpoint<string, Calibration>({
  method: 'POST',
  path: '/environments/:environment_id/calibration/save',
  summary: 'Writes a measurement to the calibration file of the pose network, and restarts the topology.',
  access: 'operator',
  limit: 'configuration',
  status: 200,
  async handle(id, { deployment }) {
    try {
      return await saveCalibration(deployment, id);
    } catch (error) {
      throw applyRefused(error);
    }
  },
  b: formView({
    path: PathSchema,
    response: CalibrationSchema,
    read: ({ path }) => path.environment_id,
    render,
  }),
});

const cancel = endpoint<string, null>({
  method: 'DELETE',
  path: '/environments/:environment_id/calibration',
  summary: 'Ends a measurement, and forgets its result.',
  access: 'operator',
  limit: 'configuration',
  status: 204,
  async handle(id, { deployment }) {
    cancelCalibration(deployment, id);
    return null;
  },
  b: formView({
    path: PathSchema,
    response: Type.Null(),
    read: ({ path }) => path.environment_id,
    render: () => ({ data: null }),
  }),
});

/** Guided calibration of rooms. */
export const calibrationEndpoints = [show, start, save, cancel];
