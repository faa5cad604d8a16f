import { WebSocket } from 'ws';

/**
 * Interval of unsolicited pongs, which show the service that a client which reads nothing is alive: the
 * service's own ping is queued behind unread messages.
 */
const PONG_MS = 10_000;
/**
 * How long a slow client reads nothing. The system and the service buffer about 5 MB for it, the messages of
 * 15 s; half a minute after closing the connection, the service drops it without a close frame, and the
 * client never learns the reason.
 */
const STALL_MS = 30_000;
/** How long it then reads, to receive what it missed or the reason for the close. */
const CATCH_UP_MS = 5_000;
/** Close code for a client that is too slow (docs/websocket.md). */
const TOO_SLOW = 1013;
/** All formats of a pose that can be requested. */
const WHOLE = { include_keypoints: true, include_3d: true, include_dense_pose: true };

const connect = async (address: string, key: string): Promise<WebSocket> => {
  const url = `${address.replace('http', 'ws')}/ws/pose`;
  const socket = new WebSocket(url, ['pose_v1'], { headers: { 'X-API-Key': key } });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  // The close event that follows reports it.
  socket.on('error', () => undefined);
  return socket;
};

const subscribe = (socket: WebSocket, filters: object): void => {
  socket.send(JSON.stringify({ type: 'subscribe', channel: 'pose_updates', filters }));
};

/** Reads all messages. */
export class Reader {
  /** Messages so far. */
  updates = 0;
  closed = false;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', () => this.updates++);
    socket.on('close', () => {
      this.closed = true;
    });
    subscribe(socket, { environment_id: 'room-1' });
  }

  static async open(address: string, key: string): Promise<Reader> {
    return new Reader(await connect(address, key));
  }

  end(): void {
    this.#socket.terminate();
  }
}

/**
 * Subscribes to everything in all rooms and reads nothing until the service must have closed it; then it
 * reads the reason and reconnects.
 */
export class Staller {
  /** Number of closes, by code. */
  readonly closes = new Map<number, number>();
  readonly #address: string;
  readonly #key: string;
  readonly #rooms: readonly string[];
  #socket: WebSocket | undefined;
  #timers: NodeJS.Timeout[] = [];

  /** @param key its own: an account has few streams */
  constructor(address: string, key: string, rooms: readonly string[]) {
    this.#address = address;
    this.#key = key;
    this.#rooms = rooms;
  }

  get tooSlow(): number {
    return this.closes.get(TOO_SLOW) ?? 0;
  }

  async open(): Promise<void> {
    const socket = await connect(this.#address, this.#key);
    this.#socket = socket;
    socket.on('close', (code) => {
      this.#stop();
      if (this.#socket !== socket) return;
      this.closes.set(code, (this.closes.get(code) ?? 0) + 1);
      void this.open();
    });
    // Twice each: the limit of a connection.
    for (const room of [...this.#rooms, ...this.#rooms])
      subscribe(socket, { environment_id: room, ...WHOLE });
    this.#timers.push(
      setInterval(() => {
        socket.pong();
      }, PONG_MS),
    );
    this.#stall(socket);
  }

  #stall(socket: WebSocket): void {
    socket.pause();
    const reads = setTimeout(() => {
      socket.resume();
      this.#timers.push(
        setTimeout(() => {
          this.#stall(socket);
        }, CATCH_UP_MS),
      );
    }, STALL_MS);
    this.#timers.push(reads);
  }

  end(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
    this.#stop();
  }

  #stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }
}
