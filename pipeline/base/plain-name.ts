/** A text that may be a name where a path is allowed, too: see `inputFile` with `orName`. */
export const PLAIN_NAME = /^[a-z0-9-]+$/;
