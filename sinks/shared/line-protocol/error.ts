export type InfluxCode =
  | 'influxdb.credentials'
  | 'influxdb.database'
  | 'influxdb.refused'
  | 'influxdb.too_large'
  | 'influxdb.query'
  | 'influxdb.busy'
  | 'influxdb.unavailable';

/** InfluxDB's answer, or the lack of one. Never contains credentials. */
export class InfluxError extends Error {
  readonly code: InfluxCode;
  /** The server's own message. */
  readonly reason: string;
  /** Pause before the next request, as asked for by the server, milliseconds. */
  readonly retryAfterMs: number | null;
  /** No action is required: the server will recover. */
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
