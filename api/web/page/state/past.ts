import { computed, effect, signal } from '@preact/signals';
import { errorText } from '../../../client/errors.js';
import {
  poseFrame,
  poseFrameOf,
  isStale,
  lengthen,
  STALE_MS,
  trails,
  TRAIL_MS,
  type PoseFrame,
  type GrowingTrails,
  type Trails,
} from './connection.js';
import { room, view } from './scene.js';
import { client, service } from './session.js';

export const MINUTE_MS = 60_000;
const PAGE = 1000;

/** Start of the past minute on display, milliseconds since 1970; null: the room as it is now. */
export const minute = signal<number | null>(null);
/** The displayed moment of that minute, milliseconds since its start. */
export const moment = signal(0);

interface Recording {
  /** Oldest first. */
  readonly poseFrames: readonly PoseFrame[];
  /** Why they could not be loaded; empty if they were. */
  readonly problem: string;
}

/** The stored pose frames of the minute, and of the trails at its start; null while they are loaded. */
export const recording = signal<Recording | null>(null);

/** The displayed time, milliseconds since 1970; null: now, as in all views but that of the room. */
export const shownTime = computed(() =>
  minute.value === null || view.value !== 'room' ? null : minute.value + moment.value,
);
/** The displayed pose frame: the newest one, or the stored one of the displayed time. */
export const shownPoseFrame = computed(() =>
  shownTime.value === null
    ? poseFrame.value
    : poseFrameAt(recording.value?.poseFrames ?? [], shownTime.value),
);
/** Whether the room is displayed as it is now, with data that are too old for that. */
export const isOutdated = computed(() => shownTime.value === null && isStale.value);

export function goLive(): void {
  minute.value = null;
}

/** @param start milliseconds since 1970 */
export function goToMinute(start: number): void {
  moment.value = 0;
  minute.value = start;
}

/** @param time milliseconds since 1970 */
export function goToTime(time: number): void {
  const start = Math.floor(time / MINUTE_MS) * MINUTE_MS;
  goToMinute(start);
  moment.value = time - start;
}

/** Shows a later moment, if necessary of the next minute; ends at the minute that is not over yet. */
export function advance(milliseconds: number): void {
  if (minute.value === null || recording.value === null) return;
  const next = moment.value + milliseconds;
  if (next < MINUTE_MS) moment.value = next;
  else if (minute.value + 2 * MINUTE_MS <= Date.now()) goToMinute(minute.value + MINUTE_MS);
  else goLive();
}

/** Positions by person in the seconds before the displayed time. */
export function shownTrails(): Trails {
  const time = shownTime.peek();
  if (time === null) return trails;
  const found: GrowingTrails = new Map();
  for (const { persons, time: at } of recording.peek()?.poseFrames ?? [])
    if (at <= time && time - at <= TRAIL_MS) lengthen(found, persons, at);
  return found;
}

/** Null if nothing is stored: a pose frame holds for as long as live data would. */
function poseFrameAt(poseFrames: readonly PoseFrame[], time: number): PoseFrame | null {
  const found = poseFrames.findLast((one) => one.time <= time);
  return found && time - found.time <= STALE_MS ? found : null;
}

effect(() => {
  if (client.value === null) goLive();
});

effect(() => {
  const { value: start } = minute;
  const id = room.value?.id;
  recording.value = null;
  if (start === null || id === undefined) return undefined;
  let over = false;
  const show = (loaded: Recording): void => {
    if (!over) recording.value = loaded;
  };
  poseFramesOf(id, start).then(
    (poseFrames) => {
      show({ poseFrames, problem: '' });
    },
    (error: unknown) => {
      show({ poseFrames: [], problem: `The minute could not be loaded: ${errorText(error)}` });
    },
  );
  return () => {
    over = true;
  };
});

/** @throws ServiceError */
async function poseFramesOf(environment: string, start: number): Promise<readonly PoseFrame[]> {
  const range = {
    environment_id: environment,
    start_time: new Date(start - TRAIL_MS).toISOString(),
    end_time: new Date(start + MINUTE_MS).toISOString(),
    include_3d: true,
    limit: PAGE,
  };
  const poseFrames: PoseFrame[] = [];
  let cursor: string | null = null;
  do {
    const query: typeof range & { cursor?: string } = { ...range, ...(cursor !== null && { cursor }) };
    const { data } = await service().rest.GET('/pose/frames', { params: { query } });
    const page: NonNullable<typeof data>['data'] = data!.data;
    poseFrames.push(...page.frames.map((body) => poseFrameOf(environment, body.timestamp, body)));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return poseFrames;
}
