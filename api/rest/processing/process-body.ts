import { Type, type Static } from 'typebox';
import { compiledModule } from '../../../pipeline/base/paths.js';
import { ApiError } from '../../service/errors.js';
import {
  FrameSchema,
  MAX_FRAMES,
  packFrames,
  type PackedFrames,
} from '../../service/queries/processing/packed.js';
import { Thread, ThreadBusy, ThreadTooSlow } from '../../service/threads/thread.js';
import { parseJson } from '../requests/json.js';
import { checkBody } from '../requests/requests.js';

const closed = { additionalProperties: false } as const;

const CsiDataSchema = Type.Union(
  [FrameSchema, Type.Array(FrameSchema, { minItems: 1, maxItems: MAX_FRAMES })],
  {
    description:
      'One frame, or a run of up to 4096 frames over 60 seconds: a pose requires some seconds of frames of all links.',
  },
);

const SentSchema = Type.Object(
  {
    csi_data: CsiDataSchema,
    processing_options: Type.Optional(
      Type.Object(
        {
          confidence_threshold: Type.Optional(
            Type.Number({
              minimum: 0,
              maximum: 1,
              description: 'Omits persons with a lower confidence. Default 0.',
            }),
          ),
          max_persons: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 100,
              description: 'Largest number of persons per moment, by confidence. Default: all.',
            }),
          ),
          enable_tracking: Type.Optional(
            Type.Boolean({
              description: 'Whether to track and number persons. Default: as in the topology.',
            }),
          ),
          return_dense_pose: Type.Optional(
            Type.Boolean({ description: 'Default: false. At most 100 moments.' }),
          ),
        },
        closed,
      ),
    ),
    session_id: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_.-]{1,64}$',
        'x-expected': 'must be 1 to 64 letters, digits and _ . -',
        description:
          'A name of your choice: calls with the same name continue its windows and tracks. Expires after 60 s.',
      }),
    ),
  },
  // A large body could otherwise have millions of faults.
  { ...closed, 'x-first-error-only': true },
);
type Sent = Static<typeof SentSchema>;

export interface ProcessBody extends Omit<Sent, 'csi_data'> {
  readonly csi_data: PackedFrames;
}
/** The body as sent; reading it packs its frames. */
export const BodySchema = Type.Unsafe<ProcessBody>(SentSchema);

/** Limits of a body in bytes and values; its frames reach that of bytes first. */
export const MAX_BODY = { bytes: 8 * 2 ** 20, values: 1.5 * 2 ** 20 } as const;
/** Characters that take less than 20 ms to read: shorter bodies do not wait for a thread. */
const READ_HERE = 2 ** 18;

/** @throws ApiError like the checks of other bodies */
export function parseProcessBody(text: string): ProcessBody {
  const sent = checkBody(SentSchema, parseJson(text, { values: MAX_BODY.values, shown: true })) as Sent;
  return { ...sent, csi_data: packFrames(sent.csi_data) };
}

/** The thread's result for a body. */
export type Parsed =
  { readonly body: ProcessBody } | { readonly refused: Pick<ApiError, 'situation' | 'message' | 'details'> };

const thread = new Thread<string, Parsed>(compiledModule(import.meta.url, './process-body.worker.js'), {
  limitMs: 10_000,
  most: 8,
  heapMb: 512,
});

/**
 * Like {@link parseProcessBody}; a long text is parsed in a thread, because 8 MiB would block the event loop
 * for 200 ms.
 */
export async function readProcessBody(text: string): Promise<ProcessBody> {
  if (text.length <= READ_HERE) return parseProcessBody(text);
  const parsed = await thread.ask(text).catch((error: unknown) => {
    if (!(error instanceof ThreadBusy || error instanceof ThreadTooSlow)) throw error;
    throw new ApiError('SYSTEM_NOT_READY', `The body cannot be read now: ${error.message}`, {
      headers: { 'Retry-After': '1' },
    });
  });
  if ('body' in parsed) return parsed.body;
  const { situation, message, details } = parsed.refused;
  throw new ApiError(situation, message, { details });
}
