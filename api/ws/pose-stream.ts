import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { Data, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import type { Caller } from '../auth/authenticator.js';
import { isoTime } from '../contract/form.js';
import type { PoseSelection } from '../contract/pose.js';
import { viewOfEnvironment, type Deployment } from '../deployment.js';
import { addressKey } from '../limits/addresses.js';
import type { Hosts } from '../limits/hosts.js';
import { Connection, type Subscription } from './connection.js';
import { MessageError, readMessage, type PoseFilters } from './messages.js';

const CONNECTIONS_PER_ADDRESS = 100;
const STREAMS_PER_ACCOUNT = 10;
const TICK_MS = 1_000;
const STATUS_EVERY_TICKS = 5;
const LARGEST_MESSAGE = 64 * 1024;
/** Time that clients have to answer in at a shutdown. */
const GRACE_MS = 1_000;

/** Section 6: /ws/pose under every mount and at the root. */
export class PoseStream {
  readonly #deployment: Deployment;
  readonly #hosts: Hosts;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_MESSAGE,
    handleProtocols: (protocols) => (protocols.has('pose_v1') ? 'pose_v1' : false),
  });
  readonly #connections = new Set<Connection>();
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;
  #unlisten: () => void = () => undefined;

  constructor(deployment: Deployment, server: Server, hosts: Hosts, paths: ReadonlySet<string>) {
    this.#deployment = deployment;
    this.#hosts = hosts;
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#upgrade(request, socket, head, paths).catch((error: unknown) => {
        this.#deployment.log.error('a WebSocket could not be opened', { reason: String(error) });
        socket.destroy();
      });
    });
    this.#timer = setInterval(() => {
      this.#tick();
    }, TICK_MS);
    this.#timer.unref();
    deployment.main.onChange(() => {
      this.#attach();
    });
    this.#attach();
  }

  /** Connections and messages that slow clients missed. */
  describe(): { connections: number; skipped: number } {
    const skipped = [...this.#connections].reduce((total, connection) => total + connection.skipped, 0);
    return { connections: this.#connections.size, skipped };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unlisten();
    for (const connection of this.#connections) connection.close(1001, 'the server stops');
    this.#server.close();
    setTimeout(() => {
      for (const connection of this.#connections) connection.terminate();
    }, GRACE_MS).unref();
  }

  #tick(): void {
    const now = this.#deployment.clock.now() / 1000;
    for (const connection of this.#connections) this.#look(connection, now);
    if (++this.#ticks % STATUS_EVERY_TICKS === 0) this.#sendStatus();
  }

  /** Where users or keys cannot be read, nobody's credential can be told to be good. */
  #look(connection: Connection, now: number): void {
    try {
      connection.tick(now);
    } catch (error) {
      this.#deployment.log.error('a credential could not be looked at', { reason: String(error) });
      connection.close(1011, 'the credential could not be looked at');
    }
  }

  /** Follows the feed that the topology has now: a restart makes a new one. */
  #attach(): void {
    this.#unlisten();
    const [feed] = this.#deployment.main.feeds.values();
    this.#unlisten = feed
      ? feed.listen((records) => {
          this.#deliver(records);
        })
      : () => undefined;
  }

  async #upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    paths: ReadonlySet<string>,
  ): Promise<void> {
    socket.on('error', (error) => {
      this.#deployment.log.debug('a WebSocket failed', { reason: error.message });
    });
    const target = request.url ?? '/';
    const url = URL.canParse(target, 'http://localhost') ? new URL(target, 'http://localhost') : null;
    if (!url || !paths.has(url.pathname)) {
      refuse(socket, '404 Not Found');
      return;
    }
    if (!this.#hosts.allows(request.headers.host)) {
      refuse(socket, '421 Misdirected Request');
      return;
    }
    const caller = await this.#callerOf(request, url);
    if (!caller) {
      refuse(socket, '401 Unauthorized');
      return;
    }
    const address = addressKey(request.socket.remoteAddress ?? '');
    const others = [...this.#connections].filter((other) => other.address === address);
    if (others.length >= CONNECTIONS_PER_ADDRESS) {
      refuse(socket, '429 Too Many Requests', { 'Retry-After': '60' });
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#welcome(webSocket, caller, address);
    });
  }

  /** By token or, for services, by key. */
  async #callerOf(request: IncomingMessage, url: URL): Promise<Caller | null> {
    const { authenticator } = this.#deployment;
    const token = tokenOf(request, url);
    const caller = token === null ? null : await authenticator.bearer(token);
    const key = request.headers['x-api-key'];
    return caller ?? (typeof key === 'string' ? authenticator.apiKey(key) : null);
  }

  #welcome(socket: WebSocket, caller: Caller, address: string): void {
    const connection = new Connection(socket, caller, address);
    this.#connections.add(connection);
    socket.on('close', () => {
      this.#connections.delete(connection);
    });
    socket.on('error', (error) => {
      this.#deployment.log.debug('a WebSocket failed', { reason: error.message });
    });
    socket.on('message', (data) => {
      this.#receive(connection, data);
    });
    connection.send({
      type: 'connection_established',
      client_id: connection.id,
      server_time: isoTime(this.#deployment.clock.now()),
      supported_protocols: ['pose_v1', 'alerts_v1'],
    });
  }

  #receive(connection: Connection, data: RawData): void {
    if (!connection.takeMessage()) return;
    try {
      if (!Buffer.isBuffer(data))
        throw new MessageError('VALIDATION_ERROR', 'a message must come in one piece');
      this.#answer(connection, readMessage(data.toString()));
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      connection.send(errorMessage(error.code, error.message));
    }
  }

  #answer(connection: Connection, message: ReturnType<typeof readMessage>): void {
    if (message.type === 'ping') {
      connection.send({ type: 'pong', timestamp: isoTime(this.#deployment.clock.now()) });
      return;
    }
    if (message.type === 'unsubscribe') {
      if (!connection.remove(message.subscription_id)) {
        throw new MessageError(
          'RESOURCE_NOT_FOUND',
          `No subscription ${message.subscription_id.slice(0, 64)} on this connection`,
        );
      }
      connection.send({ type: 'unsubscription_confirmed', subscription_id: message.subscription_id });
      return;
    }
    this.#subscribe(connection, message);
  }

  #subscribe(
    connection: Connection,
    message: Extract<ReturnType<typeof readMessage>, { type: 'subscribe' }>,
  ): void {
    if (message.channel === 'pose_updates') this.#checkStream(connection, message.filters);
    const added = connection.add(message);
    if (!added) {
      throw new MessageError(
        'RATE_LIMIT_EXCEEDED',
        'This connection holds as many subscriptions as it may: unsubscribe from one first',
      );
    }
    connection.send({
      type: 'subscription_confirmed',
      channel: added.channel,
      subscription_id: added.id,
      filters_applied: added.filters,
    });
  }

  /** @throws MessageError for an environment that nobody senses, and past the streams of an account. */
  #checkStream({ name }: Connection, { environment_id: environment }: PoseFilters): void {
    const known = this.#deployment.main.topology.environments.map(({ id }) => id);
    if (environment !== undefined && !known.includes(environment)) {
      throw new MessageError(
        'RESOURCE_NOT_FOUND',
        `No environment is named ${environment}; there are ${known.join(', ')}`,
      );
    }
    const streams = [...this.#connections]
      .filter((other) => other.name === name)
      .reduce((total, other) => total + other.streams, 0);
    if (streams >= STREAMS_PER_ACCOUNT) {
      throw new MessageError(
        'RATE_LIMIT_EXCEEDED',
        `An account may hold ${STREAMS_PER_ACCOUNT} streams: unsubscribe from one first`,
      );
    }
  }

  #deliver(records: readonly Data[]): void {
    for (const record of records) {
      if (record.port === 'pose') this.#deliverPose(record);
      else if (record.port === 'event' && record.source === 'csiflow') this.#deliverAlert(record);
    }
  }

  /** One serialisation for each distinct filter: the text around it differs only by the subscription's id. */
  #deliverPose(frame: PoseFrame): void {
    const rendered = new Map<string, string | null>();
    this.#each('pose_updates', (connection, subscription) => {
      const key = JSON.stringify(subscription.filters);
      let body = rendered.get(key);
      if (body === undefined) rendered.set(key, (body = this.#render(frame, subscription.filters)));
      if (body !== null)
        connection.sendText(`{"type":"pose_update","subscription_id":"${subscription.id}",${body}}`);
    });
  }

  /** Null where the frame does not match the filters. */
  #render(frame: PoseFrame, filters: PoseFilters): string | null {
    if (filters.environment_id !== undefined && filters.environment_id !== frame.environment) return null;
    const { frame_id, persons, timestamp, ...frameB } = viewOfEnvironment(
      this.#deployment,
      frame.environment,
    ).frameB(frame, selectionOf(filters));
    if (filters.person_ids && persons.length === 0) return null;
    const metadata = { ...frameB.metadata, processing_time_ms: frameB.processing_time_ms };
    return `"timestamp":${JSON.stringify(timestamp)},"data":${JSON.stringify({ frame_id, persons, metadata })}`;
  }

  #deliverAlert(event: SensedEvent): void {
    const text = JSON.stringify(alertMessage(event));
    this.#each('alerts', (connection, { filters }) => {
      if (filters.alert_types && !filters.alert_types.includes(event.type)) return;
      if (filters.severity && !filters.severity.includes(event.severity)) return;
      connection.sendText(text);
    });
  }

  #sendStatus(): void {
    const { main, probe, clock } = this.#deployment;
    const traffic = probe.traffic();
    const { state } = main.status();
    const text = JSON.stringify({
      type: 'system_status',
      timestamp: isoTime(clock.now()),
      status: {
        processing_fps: traffic.posesPerSecond,
        active_persons: traffic.activeTracks,
        system_health: state === 'running' ? 'good' : state,
        gpu_utilization: 0,
      },
    });
    this.#each('system_status', (connection) => {
      connection.sendText(text);
    });
  }

  #each<C extends Subscription['channel']>(
    channel: C,
    send: (connection: Connection, subscription: Extract<Subscription, { channel: C }>) => void,
  ): void {
    for (const connection of this.#connections) {
      for (const subscription of connection.subscriptions) {
        if (subscription.channel === channel)
          send(connection, subscription as Extract<Subscription, { channel: C }>);
      }
    }
  }
}

const selectionOf = (filters: PoseFilters): PoseSelection => ({
  keypoints: filters.include_keypoints ?? true,
  threeD: filters.include_3d ?? false,
  minConfidence: filters.min_confidence ?? 0,
  persons: filters.person_ids ? new Set(filters.person_ids) : null,
});

/** What someone should do about an event. */
const ACTIONS: Partial<Record<SensedEvent['type'], readonly string[]>> = {
  fall_detection: ['medical_response', 'notification'],
};

const alertMessage = (event: SensedEvent): object => ({
  type: 'alert',
  alert_id: event.id,
  timestamp: isoTime(event.time),
  alert_type: event.type,
  severity: event.severity,
  data: {
    person_id: event.person ?? 0,
    location: event.location ? { x: event.location.x, y: event.location.y } : { x: 0, y: 0 },
    confidence: event.confidence,
    video_clip_url: '',
  },
  actions_required: ACTIONS[event.type] ?? ['notification'],
});

const errorMessage = (code: string, message: string): object => ({ type: 'error', code, message });

/** From `?token=`, `Authorization`, or the subprotocol list `["pose_v1", "<token>"]`. */
function tokenOf(request: IncomingMessage, url: URL): string | null {
  const fromQuery = url.searchParams.get('token');
  if (fromQuery) return fromQuery;
  const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer) return bearer;
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
  return protocols.find((part) => part.split('.').length === 3) ?? null;
}

function refuse(socket: Duplex, status: string, headers: Readonly<Record<string, string>> = {}): void {
  const lines = Object.entries({ ...headers, Connection: 'close', 'Content-Length': '0' });
  socket.end(`HTTP/1.1 ${status}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
}
