/** The message of an error; anything else that was thrown, as text. For browsers, which do not load the engine. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An error answer of the service. */
export class ServiceError extends Error {
  readonly status: number;
  /** Error code of the service interface: `POSE_DATA_NOT_FOUND`. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Identifies the call in the service's log. */
  readonly requestId: string;
  /** Seconds to wait, from the service; null if it sets none. */
  readonly retryAfter: number | null;

  constructor(response: Response, body: unknown) {
    const { code, message, details } = errorOf(body);
    super(message ?? `the service answered ${response.status}`);
    this.name = 'ServiceError';
    this.status = response.status;
    this.code = code ?? 'SYSTEM_ERROR';
    this.details = details ?? {};
    this.requestId = response.headers.get('X-Request-Id') ?? '';
    const wait = Number(response.headers.get('Retry-After') ?? NaN);
    this.retryAfter = Number.isFinite(wait) ? wait : null;
  }
}

/** A subscription that the service rejected. */
export class SubscriptionError extends Error {
  /** Like that of a {@link ServiceError}: `RATE_LIMIT_EXCEEDED`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'SubscriptionError';
    this.code = code;
  }
}

/** @throws ServiceError for anything but success; a proxy on the way may answer without JSON */
export async function requireSuccess(response: Response): Promise<void> {
  if (!response.ok) throw new ServiceError(response, await response.json().catch(() => null));
}

interface Described {
  readonly code?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A proxy on the way may answer without JSON. */
function errorOf(body: unknown): Described {
  if (typeof body !== 'object' || body === null || !('error' in body)) return {};
  return typeof body.error === 'object' && body.error !== null ? body.error : {};
}
