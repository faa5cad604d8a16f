import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** From `?token=`, `Authorization`, or the subprotocol list `["pose_v1", "<token>"]`. */
export function tokenOf(request: IncomingMessage, url: URL): string | null {
  const fromQuery = url.searchParams.get('token');
  if (fromQuery) return fromQuery;
  const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer) return bearer;
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
  return protocols.find((part) => part.split('.').length === 3) ?? null;
}

/** Answers an upgrade with a status instead. */
export function refuse(socket: Duplex, status: string, headers: Readonly<Record<string, string>> = {}): void {
  const lines = Object.entries({ ...headers, Connection: 'close', 'Content-Length': '0' });
  socket.end(`HTTP/1.1 ${status}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
}
