import { computed, signal } from '@preact/signals';
import { roomNowIn, staleAfter, type Described, type RoomNow } from './room-now.js';
import { room } from './scene.js';

/** What `detect-motion` says about a room. */
export interface Motion {
  readonly room: string;
  /** Milliseconds since 1970: of the data, and of its arrival; null: it had ended before the page was opened. */
  readonly time: number;
  readonly at: number | null;
  readonly mode: string;
  /** 0 for noise to 1 for strong movement. */
  readonly motion: number;
  /** 0 to 1. */
  readonly probability: number;
  /** Whether somebody is there; null until it is known. */
  readonly isPresent: boolean | null;
  /** Time until newer measures are due, milliseconds. */
  readonly intervalMs: number;
}

/** Whether the topology of the displayed room sends poses to the page: otherwise it shows motion and presence. */
export const hasPoses = computed(() => room.value === null || room.value.poses === 'sent');

const newest = signal<Motion | null>(null);
/** Motion in the displayed room; null before the first measure. */
export const motion = computed(() => (newest.value?.room === room.value?.id ? newest.value : null));

/** After this time without newer measures, milliseconds, those of the displayed room are stale. */
export const motionStaleMs = computed(() => staleAfter(motion.value?.intervalMs ?? 0));

/** Whether all sources of the displayed room's topology have ended, as recordings do. */
export const hasEnded = signal(false);

/** Takes what the nodes of the displayed room's topology tell about themselves. */
export function hearNodes(nodes: readonly Described[]): void {
  const sources = nodes.filter(({ kind }) => kind === 'source');
  hasEnded.value = sources.length > 0 && sources.every(({ details }) => 'ended' in details);
  const id = room.peek()?.id;
  if (id === undefined) return;
  const told = roomNowIn(nodes, id);
  if (told) hearMotion(id, told);
}

/** Recordings have times of their own: the age of their measures counts from when they were first heard. */
function hearMotion(id: string, told: RoomNow): void {
  const time = Date.parse(told.time);
  const before = newest.peek();
  if (before?.room === id && before.time === time) return;
  newest.value = {
    room: id,
    time,
    at: told.origin === 'live' ? time : before?.room !== id && hasEnded.peek() ? null : Date.now(),
    mode: told.origin.toUpperCase(),
    motion: told.motion,
    probability: told.presence_probability,
    isPresent: told.presence,
    intervalMs: told.interval_ms ?? 0,
  };
}
