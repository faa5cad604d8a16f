import { computed, signal } from '@preact/signals';
import {
  CREDENTIAL_ENDED,
  type Live,
  type LiveState,
  type LiveSubscription,
  type PoseUpdate,
} from '../../../client/index.js';
import { alertsProblem, areAlertsStored, hearAcknowledgement, hearAlert, loadAlerts } from './alerts.js';
import { loadEarlier } from './earlier.js';
import { hasPoses, motion, motionStaleMs } from './motion.js';
import { loadScene, room, roomNamed, scene } from './scene.js';
import { logOut, service, token } from './session.js';
import { now } from './time.js';

export type Persons = PoseUpdate<'b'>['data']['persons'];
export type Person = Persons[number];

export interface PoseFrame {
  readonly room: string;
  readonly persons: Persons;
  /** Milliseconds since 1970: of the data, and of its arrival. */
  readonly time: number;
  readonly at: number;
  readonly mode: string;
  readonly model: string;
}

/** After this time without a pose frame, the displayed data is stale. */
export const STALE_MS = 3_000;
/** How long a trail is. */
export const TRAIL_MS = 8_000;
/** Between two points: more would overlap, and each is drawn with every picture. */
const TRAIL_STEP_MS = 100;
/** The rate of pose frames covers this time: a busy chain sends them in bursts. */
const RATE_MS = 5_000;

export const poseFrame = signal<PoseFrame | null>(null);
/** Why no pose frames arrive, in the service's words. */
export const poseFramesProblem = signal('');
/** Positions by person, oldest first. */
export type Trails = ReadonlyMap<number, readonly { readonly x: number; readonly y: number }[]>;
export type GrowingTrails = Map<number, { x: number; y: number; at: number }[]>;
/** Trails of the people in the newest pose frames. */
export const trails: GrowingTrails = new Map();
/** Whether the service is connected, and since when. */
export const link = signal({ connected: false, since: Date.now(), ever: false });

export const isAway = computed(() => link.value.ever && !link.value.connected);
/** When the pose frames of the displayed room arrived, in the last few seconds; first the time of the subscription. */
let arrivals: number[] = [];
/** Pose frames of the displayed room a second; null until it has been followed for a second. */
export const poseFrameRate = computed(() => {
  const [began] = arrivals;
  const seconds = Math.min(RATE_MS, now.value - (began ?? now.value)) / 1000;
  if (seconds < 1) return null;
  return arrivals.slice(1).filter((at) => at > now.value - RATE_MS).length / seconds;
});
/** The newest data about the displayed room: a pose frame, or motion if there are no poses. */
export const newestData = computed(() => (hasPoses.value ? poseFrame.value : motion.value));
export const isStale = computed(() => {
  const limit = hasPoses.value ? STALE_MS : motionStaleMs.value;
  const at = newestData.value?.at ?? null;
  return at === null || now.value - at > limit;
});

let live: Live<'b'> | null = null;
let poses: LiveSubscription | null = null;
/** Ends the loading of earlier alerts: each connection starts it, and there must be one. */
let stopEarlier = (): void => undefined;

/**
 * Follows the service until {@link disconnect}. The token is sent in the subprotocol list, so that it appears
 * in no URL.
 */
export function connect(): void {
  const made: Live<'b'> = service().live({
    maxWaitMs: 8_000,
    onState: (state) => {
      if (made === live) hearState(state);
    },
  });
  live = made;
  made.subscribe('alerts', { include_environment: true }, hearAlert);
  made.subscribe('acknowledgements', {}, hearAcknowledgement);
  // Regularly: somebody may have changed a room.
  made.subscribe('system_status', {}, () => void reload());
  followRoom();
}

export function disconnect(): void {
  const closed = live;
  live = null;
  poses = null;
  stopEarlier();
  closed?.close();
  poseFrame.value = null;
  arrivals = [];
  trails.clear();
  link.value = { connected: false, since: Date.now(), ever: false };
}

/** Subscribes to the pose frames of the displayed room, and drops those of the previous one. */
export function followRoom(): void {
  if (!live || !room.value) return;
  poses?.close();
  poseFrame.value = null;
  poseFramesProblem.value = '';
  arrivals = [Date.now()];
  trails.clear();
  const id = room.value.id;
  poses = live.subscribe(
    'pose_updates',
    { include_3d: true, environment_id: id },
    (update) => {
      hearPoseFrame(id, update);
    },
    (error) => {
      poses = null;
      poseFramesProblem.value = error.message;
      void reload();
    },
  );
}

function hearState(state: LiveState): void {
  link.value = {
    connected: state.connected,
    since: link.value.connected === state.connected ? link.value.since : Date.now(),
    ever: link.value.ever || state.connected,
  };
  if (state.connected) void enter(live);
  else {
    stopEarlier();
    if (!state.again) hearEnd(state);
  }
}

/** The connection has ended for good. */
function hearEnd({ code, reason }: { readonly code: number; readonly reason: string }): void {
  if (code === CREDENTIAL_ENDED) logOut('The login has expired: please log in again.');
  else
    poseFramesProblem.value = `The service ended the live connection (${reason || code}): reload the page.`;
}

async function enter(of: Live<'b'> | null): Promise<void> {
  await reload();
  if (of === live && link.value.connected) catchUp();
}

/** The service may have been restarted with other topologies, or the room removed with its topology. */
async function reload(): Promise<void> {
  try {
    await loadScene(token.value);
  } catch (error) {
    poseFramesProblem.value = `The rooms could not be loaded: ${String(error)}`;
  }
}

/** Alerts from before the page was opened. */
function catchUp(): void {
  stopEarlier();
  const rooms = scene.value?.environments ?? [];
  areAlertsStored.value = rooms.length === 0 || rooms.some(({ stored }) => stored);
  if (!areAlertsStored.value) return;
  stopEarlier = loadEarlier({
    load: loadAlerts,
    rooms: () => scene.value?.environments.filter(({ stored }) => stored).map(({ id }) => id) ?? [],
    tell: (rooms, reason) => {
      const names = rooms.map((id) => roomNamed(id)?.name ?? id).join(', ');
      alertsProblem.value =
        reason && `Earlier alerts ${names && `of ${names} `}could not be loaded: ${reason}`;
    },
  });
}

function hearPoseFrame(id: string, { timestamp, data }: PoseUpdate<'b'>): void {
  const at = Date.now();
  poseFrame.value = poseFrameOf(id, timestamp, data, at);
  const [began = at, ...earlier] = arrivals;
  arrivals = [began, ...earlier.filter((one) => one > at - RATE_MS), at];
  lengthen(trails, data.persons, at);
  for (const [person, trail] of trails) {
    while (trail.length > 0 && at - trail[0]!.at > TRAIL_MS) trail.shift();
    if (trail.length === 0) trails.delete(person);
  }
}

/** Adds the positions of a pose frame to trails. @param at milliseconds since 1970 */
export function lengthen(growing: GrowingTrails, persons: Persons, at: number): void {
  for (const { person_id, position } of persons) {
    if (!position) continue;
    const trail = growing.get(person_id) ?? [];
    const last = trail.at(-1);
    if (last && at - last.at < TRAIL_STEP_MS) continue;
    trail.push({ x: position.x, y: position.y, at });
    growing.set(person_id, trail);
  }
}

interface FrameBody {
  readonly persons: Persons;
  readonly metadata: { readonly processing_mode: string; readonly model_version: string };
}

/** @param at arrival of what arrives live, milliseconds since 1970 */
export const poseFrameOf = (
  id: string,
  timestamp: string,
  { persons, metadata }: FrameBody,
  at = Date.parse(timestamp),
): PoseFrame => ({
  room: id,
  persons,
  time: Date.parse(timestamp),
  at,
  mode: metadata.processing_mode.toUpperCase(),
  model: metadata.model_version,
});
