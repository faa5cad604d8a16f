import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { ApiError } from '../service/errors.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { environmentOf } from '../service/deployment/environments.js';
import type { Deployment } from '../service/deployment/deployment.js';
import { viewOf } from '../contract/pose-views.js';
import { addressKey } from '../service/limits/addresses.js';
import type { Hosts } from '../service/limits/hosts.js';
import { hostProblem } from '../rest/serving/access.js';
import { Broadcast } from './broadcast.js';
import { Connection } from './connection.js';
import { Feeds } from './feeds.js';
import {
  asksForWebSocket,
  CONNECTIONS_PER_ADDRESS,
  notSpoken,
  refuse,
  tooManyConnections,
  unreadable,
  urlOf,
  type Upgrading,
} from './handshake.js';
import { MessageError, readMessage } from '../contract/client-messages.js';
import { MovedRooms } from './moved-rooms.js';
import { PoseGroups } from './pose-groups.js';
import { answerPlainly } from './plain-call.js';
import { Retained } from './retained.js';
import { Subscriptions } from './subscriptions.js';
import { callerOf, presentedBy, whyRefused } from './upgrade.js';
import { answering } from '../service/configuration/answering.js';

const TICK_MS = 1_000;
const STATUS_EVERY_TICKS = 5;
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Time for clients to answer at a shutdown. */
const GRACE_MS = 1_000;
/** Close code while the configuration disables the websocket sink. */
const SWITCHED_OFF = 4503;

/** The connections of `/ws/pose` under every mount and at the root: who may open one, and when it ends. */
export class PoseStream {
  readonly #deployment: Deployment;
  readonly #hosts: Hosts;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (protocols) => (protocols.has('pose_v1') ? 'pose_v1' : false),
  });
  readonly #connections = new Set<Connection>();
  readonly #groups: PoseGroups;
  readonly #moved: MovedRooms;
  readonly #subscriptions: Subscriptions;
  readonly #broadcast: Broadcast;
  readonly #feeds: Feeds;
  readonly #unlisten: () => void;
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;
  #skippedByGone = 0;

  constructor(deployment: Deployment, server: Server, hosts: Hosts, upgrading: Upgrading) {
    this.#deployment = deployment;
    this.#hosts = hosts;
    this.#moved = new MovedRooms(deployment);
    this.#groups = new PoseGroups((environment) => viewOf(environmentOf(deployment, environment)));
    const parts = {
      deployment,
      connections: this.#connections,
      groups: this.#groups,
      retained: new Retained(deployment, this.#groups),
      moved: this.#moved,
    };
    this.#broadcast = new Broadcast(parts);
    this.#subscriptions = new Subscriptions({
      ...parts,
      sendStatus: (connection) => {
        this.#broadcast.status([connection]);
      },
    });
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!asksForWebSocket(request) && answerPlainly(server, request, socket, head)) return;
      this.#upgrade(request, socket, head, upgrading).catch((error: unknown) => {
        this.#deployment.log.error('a WebSocket could not be opened', { reason: String(error) });
        socket.destroy();
      });
    });
    this.#server.on('wsClientError', (error: Error, socket: Duplex, request: IncomingMessage) => {
      void refuse(request, socket, unreadable(error), upgrading);
    });
    this.#timer = setInterval(() => {
      this.#tick();
    }, TICK_MS);
    this.#timer.unref();
    deployment.main.onChange(() => {
      if (this.#isOff) this.#closeAll(SWITCHED_OFF, 'the WebSocket is disabled');
    });
    this.#unlisten = deployment.acknowledgements.onAdd((acknowledged) => {
      this.#broadcast.acknowledged(acknowledged);
    });
    this.#feeds = new Feeds(deployment.topologies, (records) => {
      this.#broadcast.records(records);
    });
  }

  /** `skipped`: messages that slow clients missed. `serialised`: pose frames serialised, once for each distinct filter. */
  describe(): { connections: number; filters: number; skipped: number; serialised: number } {
    const skipped = [...this.#connections].reduce((total, connection) => total + connection.skipped, 0);
    return {
      connections: this.#connections.size,
      filters: this.#groups.size,
      skipped: this.#skippedByGone + skipped,
      serialised: this.#groups.serialised,
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#feeds.close();
    this.#unlisten();
    this.#closeAll(1001, 'the server stops');
    this.#server.close();
    setTimeout(() => {
      for (const connection of this.#connections) connection.terminate();
    }, GRACE_MS).unref();
  }

  #closeAll(code: number, reason: string): void {
    for (const connection of this.#connections) connection.close(code, reason);
  }

  /** The main topology, which this configuration belongs to, has such sinks, and all of them are disabled. */
  get #isOff(): boolean {
    const sinks = answering(this.#deployment.main.topology, 'streaming.websocket_enabled');
    return sinks.length > 0 && sinks.every(({ enabled }) => enabled === false);
  }

  #tick(): void {
    for (const connection of this.#connections) this.#look(connection, this.#now);
    if (++this.#ticks % STATUS_EVERY_TICKS !== 0) return;
    this.#broadcast.status(this.#connections);
    void this.#moved.look(this.#connections);
  }

  /** Milliseconds since 1970. */
  get #now(): number {
    return this.#deployment.clock.now() / 1000;
  }

  /** If users or keys cannot be read, no credential can be checked. */
  #look(connection: Connection, now: number): void {
    try {
      connection.tick(now);
    } catch (error) {
      this.#deployment.log.error('a credential could not be checked', { reason: String(error) });
      connection.close(1011, 'the credential could not be checked');
    }
  }

  async #upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    upgrading: Upgrading,
  ): Promise<void> {
    socket.on('error', (error) => {
      this.#deployment.log.debug('a WebSocket failed', { reason: error.message });
    });
    const url = urlOf(request);
    const form = url ? upgrading.paths.get(url.pathname) : undefined;
    const refused = (error: ApiError): Promise<void> => refuse(request, socket, error, upgrading);
    if (!asksForWebSocket(request)) return refused(notSpoken());
    if (!url || !form) return refused(new ApiError('RESOURCE_NOT_FOUND', 'There is no WebSocket here'));
    const wrongHost = hostProblem(request, this.#hosts);
    if (wrongHost) return refused(wrongHost);
    const { authenticator } = this.#deployment;
    const presented = presentedBy(request, url);
    const address = addressKey(request.socket.remoteAddress ?? '');
    const caller = await callerOf(authenticator, presented);
    if (!caller) return refused(await whyRefused(authenticator, upgrading.limits, presented, address));
    const others = [...this.#connections].filter((other) => other.address === address);
    if (others.length >= CONNECTIONS_PER_ADDRESS) return refused(tooManyConnections(this.#now));
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#welcome(webSocket, new Connection(webSocket, caller, address, form));
    });
  }

  #welcome(socket: WebSocket, connection: Connection): void {
    this.#connections.add(connection);
    socket.on('close', () => {
      this.#forget(connection);
    });
    socket.on('error', (error) => {
      this.#deployment.log.debug('a WebSocket failed', { reason: error.message });
    });
    socket.on('message', (data) => {
      this.#receive(connection, data);
    });
    // A browser does not learn why an upgrade is refused, but it receives a close code.
    if (this.#isOff) {
      connection.close(SWITCHED_OFF, 'the WebSocket is disabled');
      return;
    }
    connection.send({
      type: 'connection_established',
      client_id: connection.id,
      server_time: isoTime(this.#deployment.clock.now()),
      supported_protocols: ['pose_v1', 'alerts_v1'],
    });
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    this.#skippedByGone += connection.skipped;
    this.#subscriptions.forget(connection);
  }

  #receive(connection: Connection, data: RawData): void {
    if (!connection.takeMessage()) return;
    try {
      if (!Buffer.isBuffer(data))
        throw new MessageError('VALIDATION_ERROR', 'a message must not be fragmented');
      this.#subscriptions.answer(connection, readMessage(data.toString()));
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      connection.send({ type: 'error', code: error.code, message: error.message });
    }
  }
}
