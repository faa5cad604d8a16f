/** Activity of a source between two moments. */
export interface SourceLoad {
  readonly id: string;
  /** Records that it dropped per second, by reason. */
  readonly droppedPerS: Readonly<Record<string, number>>;
  /** Batches that wait in it. */
  readonly waiting: number;
  /** How far event time is behind the clock, seconds, and how fast that grows, seconds per second; null: unknown. */
  readonly lagS: number | null;
  readonly lagGrowth: number | null;
}

/** What a source loses because all nodes together cannot process its records as fast as they arrive. */
export interface Pressure {
  readonly source: string;
  /** Records. */
  readonly droppedPerS: number;
  /** Seconds; null: unknown. */
  readonly behindS: number | null;
}

/** Reasons under which a source drops records that nothing had the time to process. */
const UNPROCESSED: readonly string[] = ['kernel_buffer', 'queue_full', 'stale'];
/** Batches in transit. */
const FEW = 2;
/** A source falls behind at this rate, seconds per second: less may be due to the moments of the two readings. */
const FALLING = 0.1;

/**
 * The source that suffers most from a machine that is too slow: it drops records because nothing has the time to
 * process them, or records wait in it and fall further behind. Null if none does; one that only catches up does not.
 */
export function pressureOf(sources: readonly SourceLoad[]): Pressure | null {
  const pressed = sources.flatMap(({ id, droppedPerS: dropped, waiting, lagS, lagGrowth }) => {
    const droppedPerS = UNPROCESSED.reduce((sum, reason) => sum + (dropped[reason] ?? 0), 0);
    const isFalling = waiting > FEW && lagGrowth !== null && lagGrowth >= FALLING;
    return droppedPerS > 0 || isFalling ? [{ source: id, droppedPerS, behindS: lagS }] : [];
  });
  return (
    pressed.toSorted((a, b) => b.droppedPerS - a.droppedPerS || (b.behindS ?? 0) - (a.behindS ?? 0))[0] ??
    null
  );
}

/** For people. @param unit of what it drops */
export function pressureText({ source, droppedPerS, behindS }: Pressure, unit = 'records'): string {
  const parts = [
    ...(behindS !== null && behindS >= 0.1 ? [`${source} is ${figure(behindS)} s behind`] : []),
    ...(droppedPerS > 0 ? [`${figure(droppedPerS)} ${unit}/s are dropped at ${source}`] : []),
  ];
  return `This machine is too slow: ${parts.join(', and ') || `records wait at ${source}`}.`;
}

const figure = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));
