import type { Agent, IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';

export interface Post {
  readonly url: URL;
  readonly agent: Agent;
  /** Undefined: the system's own. */
  readonly lookup: LookupFunction | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The start of the answer. */
  readonly text: string;
}

/** Limit of bytes read from an answer. */
const MAX_ANSWER_BYTES = 4096;

/**
 * One POST, following no redirect. Rejects with the system's error if there is no answer in time; if the
 * answer does not end, its status counts.
 */
export function post({ url, agent, lookup, headers, body, timeoutMs }: Post): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    let answered: (() => void) | undefined;
    const request = send(
      url,
      {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        ...(lookup && { lookup }),
      },
      (response) => {
        const { statusCode: status = 0, headers: answer } = response;
        let text = '';
        answered = () => {
          clearTimeout(timer);
          resolve({ status, headers: answer, text });
        };
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part.slice(0, MAX_ANSWER_BYTES - text.length);
          if (text.length >= MAX_ANSWER_BYTES) request.destroy();
        });
        response.once('close', answered);
      },
    );
    const timer = setTimeout(() => {
      request.destroy(Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    request.on('error', (error) => {
      clearTimeout(timer);
      // An error while reading the body ends the reading; the status is known by then.
      if (answered) answered();
      else reject(error);
    });
    request.end(body);
  });
}
