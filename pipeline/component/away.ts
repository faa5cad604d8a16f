/**
 * Codes of the system (and of Node's HTTP client) that mean that the other side, or the disk, is unavailable
 * at the moment.
 */
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'ENOSPC',
  'EDQUOT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/** How deep a chain of causes is followed. */
const DEPTH = 8;

/**
 * Whether an error means that the other side is only unavailable, so that a retry may help: a code of the
 * network, a full disk, or `retriable: true`, on the error or one of its causes. `retriable: false` says no.
 */
export function isAway(error: unknown, depth = DEPTH): boolean {
  if (!(error instanceof Error) || depth === 0) return false;
  if ('retriable' in error && typeof error.retriable === 'boolean') return error.retriable;
  if ('code' in error && typeof error.code === 'string' && AWAY.has(error.code)) return true;
  if (error instanceof AggregateError && error.errors.some((one) => isAway(one, depth - 1))) return true;
  return isAway(error.cause, depth - 1);
}
