export type InfluxCode =
  | 'influxdb.credentials'
  | 'influxdb.database'
  | 'influxdb.refused'
  | 'influxdb.too_large'
  | 'influxdb.query'
  | 'influxdb.busy'
  | 'influxdb.unavailable';

/** InfluxDB's answer, or the lack of one. Never holds credentials. */
export class InfluxError extends Error {
  readonly code: InfluxCode;
  /** The server's own words. */
  readonly reason: string;
  /** Milliseconds for which it asks not to be called. */
  readonly retryAfterMs: number | null;
  /** Nobody need do anything: the server comes back, or has time again. */
  readonly retriable: boolean;

  constructor(code: InfluxCode, message: string, reason = message, retryAfterMs: number | null = null) {
    super(message);
    this.name = 'InfluxError';
    this.code = code;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.retriable = code === 'influxdb.unavailable' || code === 'influxdb.busy';
  }
}
