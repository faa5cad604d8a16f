/** An answer of the service other than success. */
export class ServiceError extends Error {
  readonly status: number;
  /** Error code of the service interface: `POSE_DATA_NOT_FOUND`. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Names the call in the service's log. */
  readonly requestId: string;
  /** Seconds that the service asks to wait; null where it does not say. */
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

/** What the service does not grant of a subscription. */
export class SubscriptionError extends Error {
  /** As that of a {@link ServiceError}: `RATE_LIMIT_EXCEEDED`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'SubscriptionError';
    this.code = code;
  }
}

/** @throws ServiceError for anything but success; a proxy on the way may answer with what is no JSON */
export async function requireSuccess(response: Response): Promise<void> {
  if (!response.ok) throw new ServiceError(response, await response.json().catch(() => null));
}

interface Described {
  readonly code?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A proxy on the way may answer with something else. */
function errorOf(body: unknown): Described {
  if (typeof body !== 'object' || body === null || !('error' in body)) return {};
  return typeof body.error === 'object' && body.error !== null ? body.error : {};
}
