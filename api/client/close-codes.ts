/** Codes with which csiflow closes a WebSocket, and after which connecting again would fail again. */

/** The client sent more than it may. */
export const TOO_MANY_MESSAGES = 1008;
/** The credential has expired or was revoked. */
export const CREDENTIAL_ENDED = 4401;
