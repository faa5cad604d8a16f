import type { ServerResponse } from 'node:http';
import { ApiError } from '../../service/errors.js';

/**
 * Ends the work of a call whose caller has disconnected, or that takes too long. Its signal is made when it is first
 * asked for: few endpoints need it, and making one takes 3 % of the processor time of a call.
 */
export class CallEnd {
  readonly #response: ServerResponse;
  #abort: AbortController | null = null;
  #reason: ApiError | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get signal(): AbortSignal {
    this.#abort ??= this.#begin();
    return this.#abort.signal;
  }

  /** Aborts the signal, also one that is asked for later. The first reason counts. */
  end(reason: ApiError): void {
    this.#reason ??= reason;
    this.#abort?.abort(this.#reason);
  }

  #begin(): AbortController {
    const response = this.#response;
    // The request itself closes once its body is read.
    const closed = (): void => {
      if (!response.writableFinished) this.end(gone());
    };
    if (response.closed) closed();
    else response.once('close', closed);
    const abort = new AbortController();
    if (this.#reason) abort.abort(this.#reason);
    return abort;
  }
}

/** Never sent: nobody waits for the answer. */
const gone = (): ApiError => new ApiError('TIMEOUT', 'The caller disconnected before the answer');
