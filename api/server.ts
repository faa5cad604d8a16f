import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock, Logger } from '../pipeline/component/index.js';
import type { RunningTopology } from '../pipeline/runtime/status.js';
import { packageVersion } from '../pipeline/base/paths.js';
import { Acknowledgements } from './service/alerts/acknowledgements.js';
import { AuditLog } from './service/audit/audit-log.js';
import { ApiKeys } from './service/accounts/api-keys.js';
import { Authenticator } from './service/accounts/authenticator.js';
import { IdentityProvider, type IdentityProviderOptions } from './service/accounts/identity-provider.js';
import { Tokens } from './service/accounts/tokens.js';
import { Users } from './service/accounts/users.js';
import { Configuration } from './service/configuration/configuration.js';
import { factsOf } from './service/configuration/facts.js';
import type { Form } from './service/form.js';
import type { AskGpu } from './service/figures/gpu.js';
import type { Deployment } from './service/deployment/deployment.js';
import { Hosts } from './service/limits/hosts.js';
import { KnownAddresses } from './service/limits/known-addresses.js';
import { Limits, type LimitFigures } from './service/limits/limits.js';
import { answerLiveness } from './rest/serving/liveness.js';
import { oneAtATime } from './rest/serving/one-at-a-time.js';
import { answerUnreadable } from './rest/serving/unreadable.js';
import { LifecycleTimes } from './service/deployment/lifecycle-times.js';
import { createApp } from './rest/serving/app.js';
import { formAt } from './rest/serving/mounts.js';
import { CHOSEN_BASE, mounts, WEBSOCKET_PATH } from './rest/serving/mounts.js';
import { API_DOCUMENTS } from './rest/documents.js';
import { serveProbes } from './rest/serving/probes.js';
import { SystemProbe } from './service/figures/system-probe.js';
import { Topologies, type TopologiesOptions, type Workshop } from './service/deployment/topologies.js';
import { serveApiDocs } from './web/api-docs.js';
import { servePage } from './web/serve.js';
import { PoseStream } from './ws/pose-stream.js';

export interface ServerOptions {
  readonly main: RunningTopology;
  /** Topologies beside it, started and stopped by the caller. */
  readonly beside?: readonly RunningTopology[];
  readonly parse: TopologiesOptions['parse'];
  readonly workshop: Workshop;
  readonly clock: Clock;
  readonly log: Logger;
  /** Folder of users and keys. */
  readonly stateFolder: string;
  readonly host: string;
  /** 0 uses any free port. */
  readonly port: number;
  readonly form: Form;
  /** Endpoints under `/api/v1` with a separate form, by path: `/pose/tracking/{track_id}`. */
  readonly formsOf?: ReadonlyMap<string, Form>;
  /** Text of /metrics. */
  readonly metrics: () => Promise<string>;
  readonly watch: Deployment['watch'];
  /** Default: those of the interface. */
  readonly limits?: LimitFigures;
  /** Default: by `nvidia-smi`. */
  readonly askGpu?: AskGpu;
  /** Identity provider whose tokens are accepted besides our own. */
  readonly identityProvider?: IdentityProviderOptions;
  /** PEM. Without it the service speaks plain HTTP. */
  readonly tls?: { readonly certificate: Buffer; readonly key: Buffer };
  /** Names accepted in the `Host` header, besides those of this machine's loopback and bare addresses. */
  readonly hosts?: readonly string[];
  /** Folder of users, keys and sessions, which other processes may share. Default: the state folder. */
  readonly accountsFolder?: string;
  /** Origins whose pages may call the API from a browser. */
  readonly origins?: readonly string[];
  /** A reading call is answered with 504 after this many milliseconds. */
  readonly answerMs?: number;
  /** `/metrics` and the live page's scene also require a credential. */
  readonly loginRequired?: boolean;
  readonly slowMs?: SlowMs;
}

export interface RunningServer {
  /** `http://127.0.0.1:8000` */
  readonly address: string;
  /** Password of the `admin` created by this start; null if users existed already. */
  readonly firstPassword: string | null;
  /** Figures of the WebSocket. */
  streams(): ReturnType<PoseStream['describe']>;
  /** Closes connections, then ends. */
  close(): Promise<void>;
}

/** Longer than any call may wait according to its own parameters. */
const ANSWER_MS = 60_000;
/** Time for open requests to finish at a shutdown. */
const GRACE_MS = 2_000;

/** Opens the service interface, the WebSocket, the live page and /metrics on one port. */
export async function openServer(options: ServerOptions): Promise<RunningServer> {
  const { main, watch, stateFolder, log, askGpu } = options;
  const probe = new SystemProbe({ main, watch, stateFolder, log, ...(askGpu && { askGpu }) });
  const audit = new AuditLog(stateFolder, log);
  try {
    return await serverWith({ probe, audit }, options);
  } catch (error) {
    // Their timers would go on: the probe stores figures every minute.
    await probe.close();
    await audit.close();
    throw error;
  }
}

/** Parts with timers: the function that opens the server closes them if that fails. */
type Timed = Pick<Deployment, 'probe' | 'audit'>;

async function serverWith(timed: Timed, options: ServerOptions): Promise<RunningServer> {
  const deployment = await deploymentOf(timed, options, () => stream.describe().connections);
  const { topologies, users, lifecycle, probe, audit } = deployment;
  const hosts = new Hosts([options.host, ...(options.hosts ?? [])]);
  const limits = new Limits(new KnownAddresses(options.stateFolder), options.limits);
  const handle = appFor(deployment, limits, hosts, options).callback();
  const server = serverFor(
    options.tls,
    options.slowMs ?? SLOW_MS,
    oneAtATime(
      answerLiveness({ hosts, limits, form: options.form }, (request, response) => {
        void handle(request, response);
      }),
    ),
  );
  const formOf = (path: string) => formAt(path, options.form);
  answerUnreadable(server, { limits, formOf });
  const paths = webSocketPaths(options);
  const stream = new PoseStream(deployment, server, hosts, { paths, limits, formAt: formOf });
  try {
    await listen(server, options.host, options.port);
  } catch (error) {
    stream.close();
    lifecycle.close();
    throw error;
  }
  const firstPassword = await users.makeFirstAdmin();
  const { port } = server.address() as AddressInfo;
  void topologies.resume();
  return {
    address: `${options.tls ? 'https' : 'http'}://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    firstPassword,
    streams: () => stream.describe(),
    async close() {
      stream.close();
      lifecycle.close();
      await topologies.close();
      await shut(server);
      await probe.close();
      await audit.close();
    },
  };
}

/** Dependencies of all calls, with the topologies of the state folder. */
async function deploymentOf(
  { probe, audit }: Timed,
  options: ServerOptions,
  clients: () => number,
): Promise<Deployment & { readonly topologies: Topologies }> {
  const { main, clock, log, stateFolder } = options;
  const accountsFolder = options.accountsFolder ?? stateFolder;
  const users = new Users(accountsFolder);
  const tokens = new Tokens(accountsFolder);
  const apiKeys = new ApiKeys(accountsFolder);
  const identityProvider = options.identityProvider
    ? new IdentityProvider(options.identityProvider, log)
    : null;
  let others = (): readonly RunningTopology[] => options.beside ?? [];
  const configuration = new Configuration({
    main,
    others: () => others(),
    stateFolder,
    clock,
    log,
    facts: factsOf(main, () => probe.traffic().framesPerSecond),
  });
  const topologies = await topologiesOf(options, configuration);
  others = () => topologies.list().filter((one) => one !== main);
  return {
    ...{ main, configuration, topologies, users, tokens, apiKeys, probe, audit, clients, clock, log },
    version: packageVersion(),
    form: options.form,
    formsOf: options.formsOf ?? new Map(),
    authenticator: new Authenticator({ users, tokens, apiKeys, identityProvider }),
    lifecycle: new LifecycleTimes(main, stateFolder),
    acknowledgements: new Acknowledgements(stateFolder),
    calibrations: new Map(),
    watch: options.watch,
    cursorKey: randomBytes(32),
  };
}

async function topologiesOf(options: ServerOptions, configuration: Configuration): Promise<Topologies> {
  const { main, stateFolder, log } = options;
  const topologies = new Topologies({
    main,
    given: options.beside ?? [],
    parse: async (text, id, unsaved) => {
      const loaded = await options.parse(text, id, unsaved);
      return id === main.topology.id ? configuration.overLoaded(loaded) : configuration.besideLoaded(loaded);
    },
    stateFolder,
    log,
    ...options.workshop,
  });
  await topologies.load();
  return topologies;
}

const appFor = (deployment: Deployment, limits: Limits, hosts: Hosts, options: ServerOptions) =>
  createApp(
    deployment,
    limits,
    {
      metrics: options.metrics,
      pages: [
        serveProbes(deployment),
        servePage(() => deployment.topologies.list().map((running) => running.topology)),
        serveApiDocs(API_DOCUMENTS, `openapi-${options.form}`),
      ],
    },
    {
      hosts,
      origins: options.origins ?? [],
      answerMs: options.answerMs ?? ANSWER_MS,
      loginRequired: options.loginRequired ?? false,
    },
  );

/** Paths of the WebSocket: under each mount of a form, at the root, and where the form is selected. */
const webSocketPaths = ({ form, formsOf }: ServerOptions): ReadonlyMap<string, Form> =>
  new Map([
    ...mounts(form).map((mount) => [mount.base + WEBSOCKET_PATH, mount.form] as const),
    ...[WEBSOCKET_PATH, CHOSEN_BASE + WEBSOCKET_PATH].map(
      (path) => [path, formsOf?.get(WEBSOCKET_PATH) ?? form] as const,
    ),
  ]);

/** Time for a request to arrive: slow ones would otherwise occupy connections (Slowloris). */
export interface SlowMs {
  readonly headers: number;
  /** Including its body. */
  readonly whole: number;
  /** Interval of that check. */
  readonly check: number;
}
const SLOW_MS: SlowMs = { headers: 10_000, whole: 30_000, check: 1_000 };
/** Limit of open connections; further ones are closed immediately. */
const MAX_CONNECTIONS = 4_096;

function serverFor(tls: ServerOptions['tls'], slow: SlowMs, handle: RequestListener): Server {
  const times = {
    headersTimeout: slow.headers,
    requestTimeout: slow.whole,
    connectionsCheckingInterval: slow.check,
  };
  const server = tls
    ? createTlsServer({ ...times, cert: tls.certificate, key: tls.key, minVersion: 'TLSv1.2' }, handle)
    : createServer(times, handle);
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/** @throws Error with the port and the remedy; its `code` is that of the system. */
async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      const message = taken
        ? `port ${port} of ${host} is in use: stop the program that uses it, or choose another port with --port`
        : `cannot listen on ${host}:${port}: ${error.message}`;
      reject(Object.assign(new Error(message, { cause: error }), { code: error.code }));
    });
    server.listen(port, host, resolve);
  });
}

async function shut(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      resolve();
    }),
  );
  server.closeIdleConnections();
  const impatience = setTimeout(() => {
    server.closeAllConnections();
  }, GRACE_MS);
  await closed;
  clearTimeout(impatience);
}
