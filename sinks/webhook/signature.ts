import { createHmac } from 'node:crypto';

/**
 * What a receiver checks: HMAC-SHA256 by the shared secret over `<timestamp>.<body>`, in hexadecimal. The
 * time stamp is part of it, so that a call that was overheard cannot be repeated later.
 */
export const signature = (secret: string, timestamp: number, body: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
