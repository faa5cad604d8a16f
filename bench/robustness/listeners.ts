import { WebSocket } from 'ws';

/** Tells the service that a client which reads nothing is there: its own question waits behind what is unread. */
const PONG_MS = 10_000;
/**
 * How long a slow client reads nothing. The system and the service hold some 5 MB for it, the messages of 15 s; half a
 * minute after it has closed the connection, the service ends it without a word, and the client never hears why.
 */
export const STALL_MS = 30_000;
/** How long it then reads, to hear what it missed or why it was closed. */
const CATCH_UP_MS = 5_000;
/** Close code for a client that is too slow (docs/websocket.md). */
const TOO_SLOW = 1013;
/** Every format in which a pose can be requested. */
const WHOLE = { include_keypoints: true, include_3d: true, include_dense_pose: true };

const connect = async (address: string, key: string): Promise<WebSocket> => {
  const url = `${address.replace('http', 'ws')}/ws/pose`;
  const socket = new WebSocket(url, ['pose_v1'], { headers: { 'X-API-Key': key } });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  // The close that follows says it.
  socket.on('error', () => undefined);
  return socket;
};

const subscribe = (socket: WebSocket, filters: object): void => {
  socket.send(JSON.stringify({ type: 'subscribe', channel: 'pose_updates', filters }));
};

/** Reads all that comes. */
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
 * Asks for everything of all rooms and reads nothing until it must have been closed for it; then it hears why, and
 * connects anew.
 */
export class Staller {
  /** How often it was closed, by code. */
  readonly closes = new Map<number, number>();
  readonly #address: string;
  readonly #key: string;
  readonly #rooms: readonly string[];
  #socket: WebSocket | undefined;
  #timers: NodeJS.Timeout[] = [];

  /** @param key of its own: the streams of an account are few */
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
    // Twice each: as many as a connection may hold.
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
