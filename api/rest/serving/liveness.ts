import type { IncomingMessage, RequestListener } from 'node:http';
import { addressKey } from '../../service/limits/addresses.js';
import type { Form } from '../../service/form.js';
import type { Hosts } from '../../service/limits/hosts.js';
import type { Limits } from '../../service/limits/limits.js';
import { hostProblem } from './access.js';
import { requestIdOf, SECURITY_HEADERS } from './answers.js';
import { ALIVE, isReading } from './probes.js';

/** What an answer of `/livez` depends on. */
export interface LivenessOptions {
  readonly hosts: Hosts;
  readonly limits: Limits;
  /** The form of the service. */
  readonly form: Form;
}

/**
 * Answers plain calls of `/livez` before Koa, which takes most of their time. All other calls go on, also those of
 * `/livez` with a query, an `Origin` or another host: Koa answers these with the same headers, or with an error.
 */
export function answerLiveness(
  { hosts, limits, form }: LivenessOptions,
  otherwise: RequestListener,
): RequestListener {
  return (request, response) => {
    if (!isPlain(request) || hostProblem(request, hosts) !== null) {
      otherwise(request, response);
      return;
    }
    const address = addressKey(request.socket.remoteAddress ?? '');
    limits.show(form, 'pose_data', address).then(
      (left) => {
        response.writeHead(200, {
          Vary: 'Accept-Encoding, Origin',
          'X-Request-Id': requestIdOf(request.headers['x-request-id']),
          ...SECURITY_HEADERS,
          'Content-Type': 'text/plain; charset=utf-8',
          'Content-Length': ALIVE.length,
          ...left,
        });
        response.end(ALIVE);
      },
      // Koa reports what the counter says.
      () => {
        otherwise(request, response);
      },
    );
  };
}

const isPlain = (request: IncomingMessage): boolean =>
  request.url === '/livez' && isReading(request) && request.headers.origin === undefined;
