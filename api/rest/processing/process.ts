import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { modelText, WHOLE, type PoseView } from '../../contract/pose.js';
import { PoseResultSchema } from '../../contract/pose-schema.js';
import { environmentOf } from '../../service/deployment/environments.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import { viewOf } from '../../contract/pose-views.js';
import {
  PoseProcessing,
  type Processed,
  type Processes,
} from '../../service/queries/processing/processing.js';
import { BodySchema, MAX_BODY, readProcessBody, type ProcessBody } from './process-body.js';
import type { Sensing } from '../../service/deployment/environments.js';

type Parts = Sensing | Processes;

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;

const ResponseSchema = Type.Object(
  {
    processing_id: Type.String(),
    status: Type.Enum(['completed', 'insufficient_data'], {
      description: '`insufficient_data`: the frames do not fill a window yet, so nothing was inferred.',
    }),
    processing_time_ms: Type.Number(),
    poses: Type.Array(PoseResultSchema, { description: 'Persons of each moment, oldest first.' }),
    metadata: Type.Object(
      {
        environment_id: Type.String(),
        model_version: Type.String({
          description: 'Including its training data; `none` if nothing was inferred.',
        }),
        processing_mode: Type.String(),
        csi_quality: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Share of the windows, over all links of the environment, covered by frames.',
        }),
        windows: Type.Integer({ description: 'Moments with a result of the network.' }),
        frames_taken: Type.Integer(),
        frames_dropped: Type.Record(Type.String(), Type.Integer(), {
          description: 'By reason, over the whole session: late, other_layout, not_finite.',
        }),
        held_ms: Type.Number({ description: 'Time covered by the frames of the call or session.' }),
        needed_ms: Type.Number({
          description: 'Time that they must cover for a first window.',
        }),
        tracking: Type.Boolean(),
        session_id: Type.Union([Type.String(), Type.Null()]),
        session_continued: Type.Boolean(),
        note: Type.String({ description: 'Limitations of the answer, in words.' }),
      },
      closed,
    ),
  },
  closed,
);

interface Answer {
  readonly id: string;
  readonly body: ProcessBody;
  readonly processed: Processed;
  readonly poses: Static<typeof PoseResultSchema>[];
  readonly milliseconds: number;
}

/** 4.2 */
const process = endpoint<ProcessBody, Answer>({
  method: 'POST',
  path: '/pose/process',
  summary: 'Poses from submitted CSI frames, inferred by the operators and the network of the main topology.',
  access: 'operator',
  limit: 'pose_processing',
  largest: MAX_BODY,
  readBody: readProcessBody,
  audit: false,
  status: 200,
  async handle(body, { deployment, account }) {
    const began = deployment.clock.elapsed();
    const { processing_options: options = {}, session_id: session } = body;
    const densePose = options.return_dense_pose ?? false;
    const processed = await processingOf(deployment).process({
      frames: body.csi_data,
      session: session ?? null,
      account: account!.name,
      tracking: options.enable_tracking ?? null,
      minConfidence: options.confidence_threshold ?? 0,
      maxPersons: options.max_persons ?? null,
      drawn: densePose,
    });
    const poses = await recordsOf(
      processed,
      viewOf(environmentOf(deployment, processed.environment)),
      densePose,
    );
    const milliseconds = deployment.clock.elapsed() - began;
    return { id: randomUUID(), body, processed, poses, milliseconds };
  },
  b: formView({
    body: BodySchema,
    response: ResponseSchema,
    read: ({ body }) => body,
    render: (answer) => ({ data: answerBody(answer) }),
  }),
});

export const processEndpoints = [process];

const processings = new WeakMap<object, PoseProcessing>();

function processingOf(deployment: Pick<Deployment, Parts>): PoseProcessing {
  const known = processings.get(deployment);
  if (known) return known;
  const made = new PoseProcessing(deployment);
  processings.set(deployment, made);
  return made;
}

/** Persons of each moment. A picture takes a millisecond or two: other calls get their turn in between. */
async function recordsOf(
  { environment, poseFrames }: Processed,
  view: PoseView,
  densePose: boolean,
): Promise<Answer['poses']> {
  const selection = { ...WHOLE, densePose };
  const poses: Answer['poses'] = [];
  for (const { time, frameId, persons } of poseFrames)
    for (const person of persons) {
      poses.push(view.recordB({ time, frameId, environment, person }, selection));
      if (densePose) await turn();
    }
  return poses;
}

function answerBody({ id, body, processed, poses, milliseconds }: Answer): Static<typeof ResponseSchema> {
  const { environment, poseFrames } = processed;
  const quality =
    poseFrames.reduce((sum, { signalQuality }) => sum + signalQuality, 0) / (poseFrames.length || 1);
  const last = poseFrames.at(-1);
  return {
    processing_id: id,
    status: last ? 'completed' : 'insufficient_data',
    processing_time_ms: thousandths(milliseconds),
    poses,
    metadata: {
      environment_id: environment,
      model_version: last ? modelText(last) : 'none',
      processing_mode: 'replay',
      csi_quality: thousandths(quality),
      windows: poseFrames.length,
      frames_taken: processed.taken,
      frames_dropped: processed.dropped,
      held_ms: processed.span / 1000,
      needed_ms: processed.needed / 1000,
      tracking: processed.tracked,
      session_id: body.session_id ?? null,
      session_continued: processed.continued,
      note: noteOf(processed, quality),
    },
  };
}

/** Coverage below which a pose is unreliable. */
const WELL_COVERED = 0.8;

function noteOf(processed: Processed, quality: number): string {
  if (processed.poseFrames.length === 0)
    return (
      `A pose is inferred from how the channel changes over ${processed.needed / 1000} ms of frames of all links; ${heldOf(processed)}, ` +
      'so nothing was inferred: persons may be there or not. Send a run of frames, or continue with a session_id.'
    );
  if (quality < WELL_COVERED)
    return `Frames cover ${Math.round(100 * quality)} % of the windows over all links: the poses are less reliable than those of the running topology.`;
  return 'Inferred like those of the running topology.';
}

function heldOf({ taken, span, needed, dropped }: Processed): string {
  if (taken === 1 && span === 0) return 'one frame is one moment';
  if (span < needed) return `these frames cover ${span / 1000} ms`;
  const late = dropped['late'] ? ' (frames older than the newest of the session are ignored)' : '';
  return `these frames complete no window${late}`;
}

const thousandths = (value: number): number => Math.round(value * 1000) / 1000;
