import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { Data, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { codeOf } from '../contract/errors.js';
import { ApiError } from '../service/errors.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { type Form } from '../service/form.js';
import type { Deployment } from '../service/deployment/deployment.js';
import { placeOf, placesOf } from '../service/deployment/places.js';
import { viewOfEnvironment } from '../contract/pose-views.js';
import { addressKey } from '../service/limits/addresses.js';
import type { Hosts } from '../service/limits/hosts.js';
import type { Limits } from '../service/limits/limits.js';
import { hostProblem } from '../rest/access.js';
import { answerSocket } from '../rest/socket-answer.js';
import { alertMessage, isWanted } from './alerts.js';
import { Connection, FULL_BYTES, type Subscription } from './connection.js';
import { EndedSubscriptions, RESUME_MS } from './ended.js';
import { Feeds } from './feeds.js';
import {
  MessageError,
  readMessage,
  type AlertFilters,
  type Channel,
  type Subscribe,
} from '../contract/client-messages.js';
import { PoseGroups, poseUpdate } from './pose-groups.js';
import { answerPlainly } from './plain-call.js';
import { Recent } from './recent.js';
import { callerOf, presentedBy, whyRefused } from './upgrade.js';

const CONNECTIONS_PER_ADDRESS = 100;
const STREAMS_PER_ACCOUNT = 10;
const TICK_MS = 1_000;
const STATUS_EVERY_TICKS = 5;
const LARGEST_MESSAGE = 64 * 1024;
/** Time that clients have to answer in at a shutdown. */
const GRACE_MS = 1_000;
/** Frames of all environments, and alerts, that are kept for who comes back. */
const RECENT_FRAMES = 3000;
const RECENT_FRAMES_OF_ONE = 300;
const RECENT_ALERTS = 200;
/** Bytes of frames that are sent to who comes back: the rest would be left out as for a slow client. */
const RESUME_BYTES = FULL_BYTES / 2;
/** Close code while the websocket sink is switched off in the configuration. */
const SWITCHED_OFF = 4503;

/** What a connection is asked for with. */
export interface Upgrading {
  /** Where the WebSocket is, with the form that persons have there. */
  readonly paths: ReadonlyMap<string, Form>;
  /** The form that an error at another path is told in. */
  readonly formAt: (path: string) => Form;
  /** Refused connections show what is left of them; made-up credentials are counted. */
  readonly limits: Limits;
}

/** `/ws/pose` under every mount and at the root. */
export class PoseStream {
  readonly #deployment: Deployment;
  readonly #hosts: Hosts;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_MESSAGE,
    handleProtocols: (protocols) => (protocols.has('pose_v1') ? 'pose_v1' : false),
  });
  readonly #connections = new Set<Connection>();
  readonly #groups: PoseGroups;
  readonly #ended = new EndedSubscriptions();
  readonly #frames = new Map<string, Recent<PoseFrame>>();
  readonly #alerts = new Recent<SensedEvent>(RECENT_ALERTS);
  readonly #feeds: Feeds;
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;
  #skippedByGone = 0;

  constructor(deployment: Deployment, server: Server, hosts: Hosts, upgrading: Upgrading) {
    this.#deployment = deployment;
    this.#hosts = hosts;
    this.#groups = new PoseGroups((environment) => viewOfEnvironment(deployment, environment));
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
      if (this.#isOff) this.#closeAll(SWITCHED_OFF, 'the WebSocket is switched off');
    });
    this.#feeds = new Feeds(deployment.topologies, (records) => {
      this.#deliver(records);
    });
  }

  /** `skipped`: messages that slow clients missed. `serialised`: frames that were made into messages, once for each distinct filter. */
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
    this.#closeAll(1001, 'the server stops');
    this.#server.close();
    setTimeout(() => {
      for (const connection of this.#connections) connection.terminate();
    }, GRACE_MS).unref();
  }

  #closeAll(code: number, reason: string): void {
    for (const connection of this.#connections) connection.close(code, reason);
  }

  /** The main topology, whose configuration this is, has websocket sinks, and none of them is switched on. */
  get #isOff(): boolean {
    const sinks = this.#deployment.main.topology.nodes.filter(
      ({ component }) => component.kind === 'sink' && component.name === 'websocket',
    );
    return sinks.length > 0 && sinks.every(({ enabled }) => enabled === false);
  }

  #tick(): void {
    for (const connection of this.#connections) this.#look(connection, this.#now);
    if (++this.#ticks % STATUS_EVERY_TICKS === 0) this.#sendStatus(this.#connections);
  }

  /** Milliseconds since 1970. */
  get #now(): number {
    return this.#deployment.clock.now() / 1000;
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

  // ---------------------------------------------------------------- connections

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
    if (!url || !form) return refused(new ApiError('RESOURCE_NOT_FOUND', 'No WebSocket is here'));
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
    // A browser is not told why an upgrade is refused, but it is told a close code.
    if (this.#isOff) {
      connection.close(SWITCHED_OFF, 'the WebSocket is switched off');
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
    const subscriptions = [...connection.subscriptions];
    for (const subscription of subscriptions) this.#end(connection, subscription);
    this.#ended.keep(connection.name, subscriptions, this.#now);
  }

  // ---------------------------------------------------------------- what clients ask for

  #receive(connection: Connection, data: RawData): void {
    if (!connection.takeMessage()) return;
    try {
      if (!Buffer.isBuffer(data))
        throw new MessageError('VALIDATION_ERROR', 'a message must come in one piece');
      this.#answer(connection, readMessage(data.toString()));
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      connection.send({ type: 'error', code: error.code, message: error.message });
    }
  }

  #answer(connection: Connection, message: ReturnType<typeof readMessage>): void {
    switch (message.type) {
      case 'ping':
        connection.send({ type: 'pong', timestamp: isoTime(this.#deployment.clock.now()) });
        return;
      case 'unsubscribe':
        this.#unsubscribe(connection, message.subscription_id);
        return;
      case 'subscribe':
        if (message.resume) this.#resume(connection, message, message.resume);
        else this.#subscribe(connection, message);
    }
  }

  #unsubscribe(connection: Connection, id: string): void {
    const subscription = connection.find(id);
    if (!subscription)
      throw new MessageError('RESOURCE_NOT_FOUND', `No subscription ${id.slice(0, 64)} on this connection`);
    this.#end(connection, subscription);
    connection.send({ type: 'unsubscription_confirmed', subscription_id: id });
  }

  #subscribe(connection: Connection, { channel, filters = {} }: Subscribe): void {
    const subscription = {
      id: randomUUID(),
      channel,
      filters,
      environment: this.#environmentOf(filters),
      form: connection.form,
      alertsBefore: this.#alerts.total,
    } as Subscription;
    this.#begin(connection, subscription);
    this.#confirm(connection, subscription);
  }

  /** @throws MessageError where the subscription is not there any more: then another one is to be made. */
  #resume(
    connection: Connection,
    message: Subscribe,
    { subscription_id: id }: { subscription_id: string },
  ): void {
    const known = this.#takeOver(connection, id);
    if (known?.channel !== message.channel) {
      if (known) this.#ended.keep(connection.name, [known], this.#now);
      throw new MessageError(
        'RESOURCE_NOT_FOUND',
        `No subscription ${id.slice(0, 64)} to ${message.channel} has ended in the last ${RESUME_MS / 1000} seconds: subscribe without resume`,
      );
    }
    const filters = message.filters ?? known.filters;
    const resumed = { ...known, filters, environment: this.#environmentOf(filters) } as Subscription;
    this.#begin(connection, resumed);
    const { texts, missed } = this.#missedBy(resumed, message);
    this.#confirm(connection, resumed, { resumed: { sent: texts.length, missed } });
    for (const text of texts) connection.sendText(text);
  }

  /** From the connection that it had: one that broke without a word may still seem to be there. */
  #takeOver(connection: Connection, id: string): Subscription | null {
    for (const other of this.#connections) {
      const subscription = other.name === connection.name ? other.find(id) : undefined;
      if (!subscription) continue;
      this.#end(other, subscription);
      return subscription;
    }
    return this.#ended.take(id, connection.name, this.#now);
  }

  #begin(connection: Connection, subscription: Subscription): void {
    if (subscription.channel === 'pose_updates') this.#checkStreams(connection);
    if (!connection.add(subscription)) {
      throw new MessageError(
        'RATE_LIMIT_EXCEEDED',
        'This connection holds as many subscriptions as it may: unsubscribe from one first',
      );
    }
    if (subscription.channel === 'pose_updates') this.#groups.add(subscription, connection);
  }

  #end(connection: Connection, subscription: Subscription): void {
    connection.remove(subscription.id);
    if (subscription.channel === 'pose_updates') this.#groups.remove(subscription);
  }

  #confirm(connection: Connection, { channel, id, filters }: Subscription, more: object = {}): void {
    const type = 'subscription_confirmed';
    connection.send({ type, channel, subscription_id: id, filters_applied: filters, ...more });
    if (channel === 'system_status') this.#sendStatus([connection]);
  }

  /** Where none is named the one that all calls are about. @throws MessageError where nobody senses it */
  #environmentOf(filters: { readonly environment_id?: string }): string {
    try {
      return placeOf(this.#deployment, filters.environment_id).environment.id;
    } catch (error) {
      if (error instanceof ApiError) throw new MessageError(codeOf(error), error.message);
      throw error;
    }
  }

  /** @throws MessageError past the streams of an account */
  #checkStreams({ name }: Connection): void {
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

  // ---------------------------------------------------------------- what a client that was away has missed

  /** Messages to be sent, oldest first, and how many more there were at most. */
  #missedBy(subscription: Subscription, { resume }: Subscribe): { texts: readonly string[]; missed: number } {
    if (subscription.channel === 'pose_updates' && resume && 'frame_id' in resume)
      return this.#missedFrames(subscription, resume.frame_id);
    if (subscription.channel === 'alerts')
      return this.#missedAlerts(subscription, resume && 'alert_id' in resume ? resume.alert_id : undefined);
    return { texts: [], missed: 0 };
  }

  /** Newest first, until they are too many to be sent at once. */
  #missedFrames(
    { id, environment, filters, form }: Subscription<'pose_updates'>,
    last: number,
  ): { texts: readonly string[]; missed: number } {
    const kept = this.#frames.get(environment)?.items ?? [];
    const later = kept.filter(({ frameId }) => frameId > last);
    const before = Math.max(0, (later[0]?.frameId ?? last + 1) - last - 1);
    // An older one is still here, so none between is gone: windows that gave no frame have numbers too.
    let missed = kept.length > later.length ? 0 : before;
    const texts: string[] = [];
    let bytes = 0;
    for (const frame of later.toReversed()) {
      const body = bytes < RESUME_BYTES ? this.#groups.render(frame, filters, form) : null;
      if (bytes >= RESUME_BYTES) missed++;
      else if (body !== null) texts.unshift(poseUpdate(id, body));
      bytes += body?.length ?? 0;
    }
    return { texts, missed };
  }

  /** @param last id of the last one that came; undefined: none that the client knows of */
  #missedAlerts(
    { filters, alertsBefore }: Subscription<'alerts'>,
    last: string | undefined,
  ): { texts: readonly string[]; missed: number } {
    const since = this.#alerts.since(alertsBefore);
    const place = since.findIndex(({ id }) => id === last);
    const gone = place >= 0 ? 0 : this.#alerts.total - alertsBefore - since.length;
    const texts = since
      .slice(place + 1)
      .filter((event) => isWanted(event, filters))
      .map((event) => this.#alertText(event, filters));
    return { texts, missed: gone };
  }

  // ---------------------------------------------------------------- what is told

  #deliver(records: readonly Data[]): void {
    for (const record of records) {
      if (record.port === 'pose') this.#deliverPose(record);
      else if (record.port === 'event' && record.source === 'csiflow') this.#deliverAlert(record);
    }
  }

  #deliverPose(frame: PoseFrame): void {
    if (!this.#frames.has(frame.environment)) this.#share();
    this.#frames.get(frame.environment)?.push(frame);
    this.#groups.deliver(frame);
  }

  /** Divides what may be kept among the environments that there are now. */
  #share(): void {
    const ids = new Set(placesOf(this.#deployment).map(({ environment }) => environment.id));
    for (const id of this.#frames.keys()) if (!ids.has(id)) this.#frames.delete(id);
    const share = Math.min(Math.ceil(RECENT_FRAMES / ids.size), RECENT_FRAMES_OF_ONE);
    for (const id of ids) {
      const known = this.#frames.get(id);
      if (known) known.limit = share;
      else this.#frames.set(id, new Recent<PoseFrame>(share));
    }
  }

  #deliverAlert(event: SensedEvent): void {
    this.#alerts.push(event);
    this.#tellEach(
      this.#connections,
      'alerts',
      ({ filters }) => isWanted(event, filters),
      (matching) =>
        this.#alertText(event, {
          include_environment: matching.some(({ filters }) => filters.include_environment === true),
        }),
    );
  }

  #alertText(event: SensedEvent, { include_environment }: AlertFilters): string {
    const place = placesOf(this.#deployment).find(({ environment }) => environment.id === event.environment);
    const domain = place?.running.topology.settings.domain;
    return JSON.stringify(alertMessage(event, domain, include_environment));
  }

  #sendStatus(connections: Iterable<Connection>): void {
    const { main, probe, clock, log } = this.#deployment;
    const to = [...connections];
    if (
      !to.some((connection) =>
        [...connection.subscriptions].some(({ channel }) => channel === 'system_status'),
      )
    )
      return;
    probe
      .resources()
      .then(({ gpu }) => {
        const { posesPerSecond, activeTracks } = probe.traffic();
        const { state } = main.status();
        const status = {
          processing_fps: posesPerSecond,
          active_persons: activeTracks,
          system_health: state === 'running' ? 'good' : state,
          gpu_utilization: gpu,
        };
        const text = JSON.stringify({ type: 'system_status', timestamp: isoTime(clock.now()), status });
        this.#tellEach(
          to,
          'system_status',
          () => true,
          () => text,
        );
      })
      .catch((error: unknown) => {
        log.error('the status could not be told', { reason: String(error) });
      });
  }

  /** Once a connection, however many of its subscriptions match: these messages name none. */
  #tellEach<C extends Channel>(
    connections: Iterable<Connection>,
    channel: C,
    matches: (subscription: Subscription<C>) => boolean,
    textFor: (matching: readonly Subscription<C>[]) => string,
  ): void {
    for (const connection of connections) {
      const matching = ([...connection.subscriptions] as Subscription<C>[]).filter(
        (subscription) => subscription.channel === channel && matches(subscription),
      );
      if (matching.length > 0) connection.sendText(textFor(matching));
    }
  }
}

/** Of 8.4, though it has no window: the next look is worth it in a minute. @param now milliseconds since 1970 */
function tooManyConnections(now: number): ApiError {
  const windowSeconds = 60;
  const resetAt = new Date(now + windowSeconds * 1000).toISOString();
  return new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `An address may have ${CONNECTIONS_PER_ADDRESS} connections: wait ${windowSeconds} seconds, or close one`,
    {
      details: { limit: { limit: CONNECTIONS_PER_ADDRESS, windowSeconds, resetAt } },
      headers: { 'Retry-After': String(windowSeconds) },
    },
  );
}

const asksForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

/** In the form of the path that was asked for. */
function refuse(
  request: IncomingMessage,
  socket: Duplex,
  error: ApiError,
  { paths, formAt, limits }: Upgrading,
): Promise<void> {
  const path = urlOf(request)?.pathname ?? '/';
  return answerSocket(socket, error, paths.get(path) ?? formAt(path), limits);
}

const urlOf = ({ url = '/' }: IncomingMessage): URL | null =>
  URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : null;

/** A handshake that is none: the header says which versions would be (RFC 6455, section 4.4). */
const unreadable = ({ message }: Error): ApiError =>
  new ApiError('BAD_REQUEST', message, { headers: { 'Sec-WebSocket-Version': '13, 8' } });

const notSpoken = (): ApiError =>
  new ApiError('BAD_REQUEST', 'Only WebSockets are spoken besides HTTP/1.1: leave the header Upgrade out');
