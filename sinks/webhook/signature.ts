import { createHmac } from 'node:crypto';

/**
 * The signature that receivers check: HMAC-SHA256 with the shared secret over `<timestamp>.<body>`, in
 * hexadecimal. It covers the timestamp, so that an intercepted call cannot be replayed later.
 */
export const signature = (secret: string, timestamp: number, body: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
