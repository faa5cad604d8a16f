import { Type, type Static } from 'typebox';
import { fromIsoTime } from '../../../../pipeline/base/iso-time.js';
import { ApiError } from '../../errors.js';

const closed = { additionalProperties: false } as const;

/** Largest number of frames in one call. */
export const MAX_FRAMES = 4096;

const ComplexSchema = Type.Object({ real: Type.Number(), imag: Type.Number() }, closed);

/** 4.2: `csi_data`, one measurement. Optional fields of `metadata` are those of the format `csi-json`. */
export const FrameSchema = Type.Object(
  {
    timestamp: Type.String({ format: 'date-time' }),
    antenna_data: Type.Array(Type.Array(ComplexSchema, { minItems: 1, maxItems: 1024 }), {
      minItems: 1,
      maxItems: 8,
      description: "For each antenna, a value for each subcarrier, in the link's layout.",
    }),
    metadata: Type.Object(
      {
        router_id: Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Id of a link of the environment, or the sender that a link names.',
        }),
        sampling_rate: Type.Optional(
          Type.Number({
            exclusiveMinimum: 0,
            description: 'Frames per second; the timestamps take precedence.',
          }),
        ),
        signal_strength: Type.Optional(Type.Number({ minimum: -200, maximum: 100, description: 'dBm' })),
        subcarriers: Type.Optional(
          Type.Array(Type.Integer({ minimum: -2048, maximum: 2048 }), {
            maxItems: 1024,
            description: 'Their indices, if the link was not heard yet.',
          }),
        ),
        centre_mhz: Type.Optional(Type.Number({ minimum: 1, maximum: 100_000 })),
        bandwidth_mhz: Type.Optional(Type.Number({ minimum: 1, maximum: 1000 })),
      },
      closed,
    ),
  },
  closed,
);

type FrameBody = Static<typeof FrameSchema>;

/** A frame without its numbers. */
export interface PackedFrame {
  /** Id of a link, or its sender. */
  readonly router: string;
  /** Microseconds. */
  readonly time: number;
  /** dBm; NaN if unknown. */
  readonly rssi: number;
  readonly antennas: number;
  readonly subcarriers: number;
  /** Index of its first value. */
  readonly at: number;
  /** Its own layout data. */
  readonly stated: {
    readonly subcarriers?: Int16Array;
    readonly centre_mhz?: number;
    readonly bandwidth_mhz?: number;
  };
}

/** The frames of a call, with their numbers in one buffer, which moves between threads without a copy. */
export interface PackedFrames {
  readonly frames: readonly PackedFrame[];
  /** Real and imaginary parts of each subcarrier of each antenna of each frame. */
  readonly values: Float32Array<ArrayBuffer>;
  /** Sent as a single frame, not as a list. */
  readonly alone: boolean;
}

/** The field of a frame. */
export const fieldOf = ({ alone }: Pick<PackedFrames, 'alone'>, index: number): string =>
  alone ? 'csi_data' : `csi_data.${index}`;

/** @throws ApiError 422 with a frame whose antennas differ, or whose values cannot be stored */
export function packFrames(sent: FrameBody | readonly FrameBody[]): PackedFrames {
  const alone = !isList(sent);
  const bodies = isList(sent) ? sent : [sent];
  const sizes = bodies.map(({ antenna_data: antennas }) => 2 * antennas.length * antennas[0]!.length);
  const values = new Float32Array(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  const frames = bodies.map((body, index) => {
    const frame = packedFrame(body, at);
    fill(values, frame, body.antenna_data, `${fieldOf({ alone }, index)}.antenna_data`);
    at += sizes[index]!;
    return frame;
  });
  return { frames, values, alone };
}

const isList = (sent: FrameBody | readonly FrameBody[]): sent is readonly FrameBody[] => Array.isArray(sent);

function packedFrame({ timestamp, antenna_data: antennas, metadata }: FrameBody, at: number): PackedFrame {
  const { router_id: router, signal_strength: rssi = NaN, subcarriers, centre_mhz, bandwidth_mhz } = metadata;
  return {
    ...{ router, rssi, at, time: fromIsoTime(timestamp) },
    antennas: antennas.length,
    subcarriers: antennas[0]!.length,
    stated: {
      ...(subcarriers && { subcarriers: Int16Array.from(subcarriers) }),
      ...(centre_mhz !== undefined && { centre_mhz }),
      ...(bandwidth_mhz !== undefined && { bandwidth_mhz }),
    },
  };
}

function fill(
  values: Float32Array,
  { at: begin, subcarriers }: PackedFrame,
  antennas: FrameBody['antenna_data'],
  field: string,
): void {
  const odd = antennas.findIndex((row) => row.length !== subcarriers);
  if (odd >= 0)
    throw wrong(
      `${field}.${odd}`,
      `must have ${subcarriers} subcarriers like antenna 0`,
      antennas[odd]!.length,
    );
  let at = begin;
  for (const { real, imag } of antennas.flat()) {
    values[at++] = real;
    values[at++] = imag;
  }
  if (!values.subarray(begin, at).every(Number.isFinite))
    throw wrong(field, 'has a value that is not a finite 32-bit number', null);
}

export const wrong = (field: string, message: string, received: unknown): ApiError =>
  new ApiError('VALIDATION_ERROR', `${field}: ${message}`, {
    details: { fields: [{ field, message, received }] },
  });
