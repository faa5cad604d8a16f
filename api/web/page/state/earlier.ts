import { errorText, ServiceError } from '../../../client/errors.js';

export interface EarlierAlerts {
  /** Loads the stored alerts of a room; null: of all, in one request. Rejects if the service does not answer. */
  readonly load: (room: string | null) => Promise<void>;
  /** Ids of the rooms that there are now. */
  readonly rooms: () => readonly string[];
  /** Called after each attempt. @param rooms without an answer @param reason of the first; empty if all have answered */
  readonly tell: (rooms: readonly string[], reason: string) => void;
}

/** A service that has just started answers before its store is open. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;
/** Many rooms wait longer: each costs a request, and an account has 1,000 an hour for all that it does. */
const LONGEST_WAIT_PER_ROOM_MS = 10_000;

/**
 * Loads the alerts from before the page was opened, until those of all rooms are loaded. If the store of a room is
 * offline, those of the other rooms are loaded, and it is asked again after growing waits.
 * @returns ends it
 */
export function loadEarlier({ load, rooms, tell }: EarlierAlerts): () => void {
  let ended = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** @param left rooms that have not answered; null: not known */
  const attempt = async (number: number, left: readonly string[] | null): Promise<void> => {
    // One that was removed would never answer.
    const wanted = left?.filter((id) => rooms().includes(id)) ?? null;
    const failures = wanted === null ? await askAll(load, rooms()) : await askEach(load, wanted);
    if (ended) return;
    const still = failures.flatMap(({ room }) => room ?? []);
    const [first] = failures;
    tell(still, first ? errorText(first.reason) : '');
    if (!first) return;
    const next = still.length > 0 ? still : null;
    timer = setTimeout(() => void attempt(number + 1, next), waitMs(number, failures));
  };

  void attempt(1, null);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

interface Failure {
  /** Null: a request for all. */
  readonly room: string | null;
  readonly reason: unknown;
}

/** One request, unless a store is offline: then one for each room. */
async function askAll(load: EarlierAlerts['load'], rooms: readonly string[]): Promise<readonly Failure[]> {
  try {
    await load(null);
    return [];
  } catch (reason) {
    const isOffline = reason instanceof ServiceError && reason.status === 503;
    return isOffline && rooms.length > 1 ? askEach(load, rooms) : [{ room: null, reason }];
  }
}

async function askEach(load: EarlierAlerts['load'], rooms: readonly string[]): Promise<readonly Failure[]> {
  const answers = await Promise.allSettled(rooms.map((room) => load(room)));
  return answers.flatMap((answer, i) =>
    answer.status === 'rejected' ? [{ room: rooms[i]!, reason: answer.reason as unknown }] : [],
  );
}

/** Doubles with each attempt, and is at least what the service asks for. */
function waitMs(attempt: number, failures: readonly Failure[]): number {
  const longest = Math.max(LONGEST_WAIT_MS, LONGEST_WAIT_PER_ROOM_MS * failures.length);
  const asked = failures.map(({ reason }) => (reason instanceof ServiceError ? (reason.retryAfter ?? 0) : 0));
  return Math.max(
    Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), longest),
    ...asked.map((seconds) => 1000 * seconds),
  );
}
