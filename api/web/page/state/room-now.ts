/** What a node tells about itself. */
export interface Described {
  readonly kind: string;
  readonly details: object;
}

/** As `detect-motion` describes a room. */
export interface RoomNow {
  readonly time: string;
  readonly origin: string;
  readonly motion: number;
  readonly presence_probability: number;
  readonly presence: boolean | null;
  /** Time until newer measures are due, milliseconds. Version 0.5.0 does not tell it. */
  readonly interval_ms?: number;
}

/** What the first node that measures its motion says about a room. */
export function roomNowIn(nodes: readonly Described[], id: string): RoomNow | undefined {
  return nodes
    .map(
      ({ details }) => (details as { readonly rooms?: Readonly<Record<string, unknown>> | null }).rooms?.[id],
    )
    .find(isRoomNow);
}

/** Operators of your own may describe their rooms otherwise. */
function isRoomNow(told: unknown): told is RoomNow {
  if (typeof told !== 'object' || told === null) return false;
  const { time, origin, motion, presence_probability: probability } = told as Partial<RoomNow>;
  return (
    typeof time === 'string' &&
    typeof origin === 'string' &&
    typeof motion === 'number' &&
    typeof probability === 'number'
  );
}

/** After this time without newer measures they are stale, milliseconds; nodes are asked every two seconds. */
export const staleAfter = (intervalMs: number): number => Math.max(STALE_MS, 2 * intervalMs + ASKED_MS);

const STALE_MS = 6_000;
const ASKED_MS = 2_000;
