import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The least that a server of Node can do: what the rates of the service interface are compared with. */
const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': '3' });
  response.end('ok\n');
});
server.listen(0, '127.0.0.1', () => {
  process.send!((server.address() as AddressInfo).port);
});
process.once('disconnect', () => {
  process.exit(0);
});
