import { createSocket } from 'node:dgram';
import { setReceiveBuffer, USUAL_BUFFER_BYTES } from '../../../pipeline/sources/receive-buffer.js';

/** The least that a receiver of Node can do: it counts datagrams. Any message asks for the count. */
const socket = createSocket('udp4').bind(0, '127.0.0.1');
let received = 0;
socket.on('message', () => {
  received++;
});
socket.once('listening', () => {
  setReceiveBuffer(socket, USUAL_BUFFER_BYTES);
  process.send!(socket.address().port);
});
process.on('message', () => {
  process.send!(received);
});
process.once('disconnect', () => {
  socket.close();
});
