/** Why a call cannot succeed. */
export type Situation =
  | 'BAD_REQUEST'
  | 'AUTHENTICATION_ERROR'
  | 'AUTHORIZATION_ERROR'
  | 'POSE_DATA_NOT_FOUND'
  | 'RESOURCE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'RESOURCE_CONFLICT'
  | 'PAYLOAD_TOO_LARGE'
  | 'PRECONDITION_FAILED'
  | 'MISDIRECTED'
  | 'VALIDATION_ERROR'
  | 'RATE_LIMIT_EXCEEDED'
  | 'HEADERS_TOO_LARGE'
  | 'SYSTEM_ERROR'
  | 'HARDWARE_ERROR'
  | 'MODEL_ERROR'
  | 'SYSTEM_NOT_READY'
  | 'TIMEOUT';

export interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly received: unknown;
}

/** Facts of an error, independent of the form. */
export interface ErrorDetails {
  readonly fields?: readonly FieldError[];
  readonly limit?: { readonly limit: number; readonly windowSeconds: number; readonly resetAt: string };
  readonly ranges?: { readonly requested: IsoRange; readonly available: IsoRange };
  /** The state that prevents the request. */
  readonly state?: string;
  /** URL of the process that can answer. */
  readonly elsewhere?: string;
}

export interface IsoRange {
  readonly start: string | null;
  readonly end: string | null;
}

/** A call that cannot succeed. Each form of the service interface converts it to a body. */
export class ApiError extends Error {
  readonly situation: Situation;
  readonly details: ErrorDetails;
  /** Additional headers, such as when to try again. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    situation: Situation,
    message: string,
    options: { details?: ErrorDetails; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.situation = situation;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
  }
}

/** 409 because of the state that something is in. */
export const conflict = (message: string, { state }: { readonly state: string }): ApiError =>
  new ApiError('RESOURCE_CONFLICT', message, { details: { state } });
