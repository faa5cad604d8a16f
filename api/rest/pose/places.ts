import { Type, type Static } from 'typebox';
import { TooManyRows, type Place, type Reader } from '../../../pipeline/component/index.js';
import type { Environment } from '../../../pipeline/model/index.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import type { Sensing } from '../../service/deployment/environments.js';
import { ApiError } from '../../service/errors.js';
import type { Range } from '../../service/queries/analytics/periods.js';
import { askedOf, RangeParameters } from '../requests/asked.js';

const endpoint = endpointsWith<Sensing>();

const closed = { additionalProperties: false } as const;

const MAX_CELLS = 10_000;
const [MINUTE, HOUR, DAY] = [60e6, 3600e6, 24 * 3600e6];

const PlacesQuery = Type.Object(
  {
    ...RangeParameters,
    cell_m: Type.Number({
      minimum: 0.05,
      maximum: 10,
      default: 0.25,
      description: `Edge of a cell, metres. A room has at most ${MAX_CELLS} cells.`,
    }),
  },
  closed,
);

interface Places {
  readonly environment: string;
  readonly cell: number;
  /** From one pose frame to the next, seconds; 0 if there are no pose frames. */
  readonly poseFrameSeconds: number;
  readonly cells: readonly Place[];
}

export const places = endpoint<Static<typeof PlacesQuery>, Places>({
  method: 'GET',
  path: '/pose/places',
  summary: 'How long people in sight were in each cell of the floor, over a range of time.',
  access: 'viewer',
  limit: 'pose_data',
  status: 200,
  async handle(query, call) {
    const { environment, reader, range } = await askedOf(query, call);
    const { cell_m: cell } = query;
    requireFewCells(environment, cell);
    const [poseFrameSeconds, cells] = await Promise.all([
      spacingOf(reader, environment.id, range),
      reader
        .places({ environment: environment.id, ...range, size: environment.size, cell })
        .catch(refuseTooMany),
    ]);
    return { environment: environment.id, cell, poseFrameSeconds, cells };
  },
  b: formView({
    query: PlacesQuery,
    response: Type.Object(
      {
        environment_id: Type.String(),
        cell_m: Type.Number(),
        cells: Type.Array(
          Type.Object(
            {
              x: Type.Number({ description: 'Middle of the cell, metres.' }),
              y: Type.Number(),
              seconds: Type.Number({ description: 'Two people at the same time count twice.' }),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
    read: ({ query }) => query,
    render: ({ environment, cell, poseFrameSeconds, cells }) => ({
      data: {
        environment_id: environment,
        cell_m: cell,
        cells: cells.map(({ x, y, persons }) => ({
          x: millimetres((x + 0.5) * cell),
          y: millimetres((y + 0.5) * cell),
          seconds: Math.round(persons * poseFrameSeconds * 10) / 10,
        })),
      },
    }),
  }),
});

/** @throws ApiError 422 */
function requireFewCells({ id, size }: Environment, cell: number): void {
  const cells = Math.ceil(size.x / cell) * Math.ceil(size.y / cell);
  if (cells <= MAX_CELLS) return;
  const least = Math.ceil(Math.sqrt((size.x * size.y) / MAX_CELLS) * 100) / 100;
  const message = `divides ${id} into ${cells} cells, of at most ${MAX_CELLS}: use ${least} or more`;
  throw new ApiError('VALIDATION_ERROR', `cell_m: ${message}`, {
    details: { fields: [{ field: 'cell_m', message, received: cell }] },
  });
}

/**
 * Seconds from one pose frame to the next, from the fullest minute (hour, if the range is longer than a day):
 * others lack those of the time while nothing ran.
 */
async function spacingOf(reader: Reader, environment: string, { start, end }: Range): Promise<number> {
  const bucket = Math.min(end - start, end - start > DAY ? HOUR : MINUTE);
  const buckets = await reader.summaries({ environment, start, end, bucket, offset: start % bucket });
  const most = buckets.reduce((found, { frames }) => Math.max(found, frames), 0);
  return most === 0 ? 0 : bucket / 1e6 / most;
}

/** @throws ApiError 400 */
function refuseTooMany(error: unknown): never {
  if (error instanceof TooManyRows) throw new ApiError('BAD_REQUEST', error.message);
  throw error;
}

const millimetres = (metres: number): number => Math.round(metres * 1000) / 1000;
