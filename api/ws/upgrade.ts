import type { IncomingMessage } from 'node:http';

/** From `?token=`, `Authorization`, or the subprotocol list `["pose_v1", "<token>"]`. */
export function tokenOf(request: IncomingMessage, url: URL): string | null {
  const fromQuery = url.searchParams.get('token');
  if (fromQuery) return fromQuery;
  const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer) return bearer;
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
  return protocols.find((part) => part.split('.').length === 3) ?? null;
}
