import type { Socket } from 'node:dgram';

/** Enough for a burst of some thousand datagrams. */
export const USUAL_BUFFER_BYTES = 8_388_608;

/** Asks the kernel for a receive buffer of a bound socket. @returns the bytes that it granted */
export function setReceiveBuffer(socket: Socket, bytes: number): number {
  socket.setRecvBufferSize(bytes);
  // Linux says twice what it grants: the other half is for its own notes (socket(7)).
  return socket.getRecvBufferSize() / (process.platform === 'linux' ? 2 : 1);
}

/** What to do where it granted less. */
export const bufferAdvice = (bytes: number): string =>
  `raise net.core.rmem_max (sysctl -w net.core.rmem_max=${bytes}), or lower receive_buffer_bytes`;
