/** An event time as a parameter, whole microseconds since 1970. */
export interface Instant {
  readonly micros: bigint;
}

/** A value that enters a query as a parameter. Plain, so that building a query does not load DuckDB. */
export type Parameter = string | number | bigint | Instant;
export type Parameters = Readonly<Record<string, Parameter>>;

/** @param time microseconds since 1970; rounded to whole ones. */
export const instantOf = (time: number): Instant => ({ micros: BigInt(Math.round(time)) });
