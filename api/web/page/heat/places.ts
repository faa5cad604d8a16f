import { SPANS, type Span } from '../history/series.js';
import { service } from '../state/session.js';

/** Edge of a cell, metres, if the room is small enough for it. */
const CELL = 0.25;
const MAX_CELLS = 10_000;

/** @param size of the room, metres. @throws ServiceError */
export async function placesOf(
  environment: string,
  size: { readonly x: number; readonly y: number },
  span: Span,
) {
  const now = Date.now();
  const { data } = await service().rest.GET('/pose/places', {
    params: {
      query: {
        environment_id: environment,
        start_time: new Date(now - SPANS[span].hours * 3_600_000).toISOString(),
        end_time: new Date(now).toISOString(),
        cell_m: Math.max(CELL, Math.ceil(Math.sqrt((size.x * size.y) / MAX_CELLS) * 110) / 100),
      },
    },
  });
  return data!.data;
}
export type Places = Awaited<ReturnType<typeof placesOf>>;
