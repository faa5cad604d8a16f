import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Admin, Kafka } from 'kafkajs';
import { loadKafka } from '../../../pipeline/kafka/index.js';
import { led } from '../../../pipeline/kafka/led.js';
import { until } from '../waiting.js';
import { freePorts, Server, serverFolder, servicesFolder } from './server.js';

export interface ClusterOptions {
  readonly nodes?: number;
  /** Further lines of `server.properties`. */
  readonly properties?: readonly string[];
  /** An additional listener on each broker that uses TLS and only admits this user (SCRAM-SHA-512). */
  readonly login?: { readonly name: string; readonly password: string };
}

/** Real brokers in KRaft mode; each is a controller too. */
export class KafkaCluster {
  readonly brokers: readonly string[];
  readonly nodes: readonly Server[];
  /** With `login`: `localhost:port` of the listeners that require it. */
  readonly secureBrokers: readonly string[];
  readonly #folder: string;
  readonly #client: Kafka;
  #admin: Admin | undefined;

  private constructor(
    folder: string,
    nodes: readonly Server[],
    brokers: readonly string[],
    secureBrokers: readonly string[],
    client: Kafka,
  ) {
    this.#folder = folder;
    this.nodes = nodes;
    this.brokers = brokers;
    this.secureBrokers = secureBrokers;
    this.#client = client;
  }

  static async start(options: ClusterOptions = {}): Promise<KafkaCluster> {
    const { nodes = 1, properties = [], login } = options;
    const folder = await serverFolder('kafka');
    const ports = await freePorts(3 * nodes);
    const brokers = ports.slice(0, nodes).map((port) => `127.0.0.1:${port}`);
    const voters = ports.slice(nodes, 2 * nodes).map((port, index) => `${index + 1}@127.0.0.1:${port}`);
    const secure = login ? ports.slice(2 * nodes).map((port) => `localhost:${port}`) : [];
    const id = randomUUID().replaceAll('-', '').slice(0, 22);
    if (login) await makeCertificate(folder);
    const servers = await Promise.all(
      brokers.map(async (broker, index) => {
        const home = join(folder, `node-${index + 1}`);
        const lines = [
          ...nodeProperties(home, index + 1, broker, voters, secure[index]),
          ...(login ? loginProperties(folder) : []),
          ...properties,
        ];
        await writeNode(home, id, lines, login);
        return new Server({
          name: `kafka ${index + 1}`,
          folder: home,
          ports: [ports[index]!],
          command: java('kafka.Kafka', join(home, 'server.properties')),
        });
      }),
    );
    const client = await clientOf(brokers);
    const cluster = new KafkaCluster(folder, servers, brokers, secure, client);
    try {
      await Promise.all(servers.map((server) => server.start()));
      const admin = await cluster.admin();
      // Before that, topics cannot be created: "Broker -1 not found in the cached metadata".
      await until('its brokers have a controller', async () => {
        const { brokers: known, controller } = await admin.describeCluster();
        return controller !== null && known.length === nodes;
      });
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** PEM file of the authority for the certificates of the listeners with a login. */
  get ca(): string {
    return join(this.#folder, 'server.crt');
  }

  /** A client of kafkajs for the test's own use. */
  get client(): Kafka {
    return this.#client;
  }

  async admin(): Promise<Admin> {
    if (!this.#admin) {
      const admin = this.#client.admin();
      await admin.connect();
      this.#admin = admin;
    }
    return this.#admin;
  }

  /** A new topic with a unique name. */
  async topic(partitions = 1, configEntries: { name: string; value: string }[] = []): Promise<string> {
    const topic = `t-${randomUUID()}`;
    const admin = await this.admin();
    await admin.createTopics({
      topics: [
        {
          topic,
          numPartitions: partitions,
          replicationFactor: Math.min(3, this.nodes.length),
          configEntries,
        },
      ],
      waitForLeaders: false,
    });
    await led(admin, topic);
    return topic;
  }

  /**
   * Values that a reader of committed messages sees, partition by partition: read by librdkafka, not by the
   * library that wrote them.
   */
  async values(topic: string): Promise<readonly string[]> {
    const from = ['-b', this.brokers.join(','), '-t', topic, '-o', 'beginning'];
    const { stdout } = await promisify(execFile)(
      'kcat',
      ['-C', '-e', '-q', ...from, '-X', 'isolation.level=read_committed'],
      { maxBuffer: 2 ** 28 },
    );
    return stdout.split('\n').slice(0, -1);
  }

  /** Headers of the first message of a topic with one partition, once it can be read; by librdkafka, too. */
  async headers(topic: string): Promise<Readonly<Record<string, string>>> {
    const from = ['-b', this.brokers.join(','), '-t', topic, '-o', 'beginning', '-c', '1'];
    const { stdout } = await promisify(execFile)('kcat', [
      ...['-C', '-q', ...from, '-X', 'isolation.level=read_committed'],
      ...['-f', '%h\n'],
    ]);
    const pairs = stdout.trim().split(',');
    return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s, 2) as [string, string]));
  }

  /**
   * Resolves when the topic has no open transaction. A broker answers a commit before it has written the
   * marker that makes the transaction visible: an immediate read may miss it.
   */
  async decided(topic: string): Promise<void> {
    while ((await this.#ends(topic, 'read_committed')) !== (await this.#ends(topic, 'read_uncommitted')));
  }

  /** The ends of the partitions for a reader with this isolation level. */
  async #ends(topic: string, isolation: string): Promise<string> {
    const offsets = await (await this.admin()).fetchTopicOffsets(topic);
    const partitions = offsets.flatMap(({ partition }) => ['-t', `${topic}:${partition}:-1`]);
    const from = ['-b', this.brokers.join(','), '-X', `isolation.level=${isolation}`];
    const { stdout } = await promisify(execFile)('kcat', ['-Q', ...from, ...partitions]);
    return stdout.split('\n').sort().join('\n');
  }

  async stop(): Promise<void> {
    await this.#admin?.disconnect();
    await Promise.all(
      this.nodes.map(async (node) => {
        await node.crash();
      }),
    );
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function clientOf(brokers: readonly string[]): Promise<Kafka> {
  const kafkajs = await loadKafka();
  return new kafkajs.Kafka({
    clientId: 'test',
    brokers: [...brokers],
    retry: { initialRetryTime: 50, maxRetryTime: 1000, retries: 60 },
    logCreator: () => () => undefined,
  });
}

/** Small: the tests share two cores. */
const java = (...args: readonly string[]): readonly string[] => [
  'java',
  '-Xmx256m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-cp',
  join(servicesFolder, 'kafka-4.3.1', '*'),
  ...args,
];

function nodeProperties(
  home: string,
  id: number,
  broker: string,
  voters: readonly string[],
  secure: string | undefined,
): readonly string[] {
  const replicas = Math.min(3, voters.length);
  const insync = Math.max(1, replicas - 1);
  const controller = voters[id - 1]!.split('@')[1]!;
  const listeners = [`PLAINTEXT://${broker}`, `CONTROLLER://${controller}`];
  const protocols = ['PLAINTEXT:PLAINTEXT', 'CONTROLLER:PLAINTEXT'];
  if (secure !== undefined) {
    listeners.push(`SECURE://${secure}`);
    protocols.push('SECURE:SASL_SSL');
  }
  return [
    'process.roles=broker,controller',
    `node.id=${id}`,
    `controller.quorum.voters=${voters.join(',')}`,
    `listeners=${listeners.join(',')}`,
    'controller.listener.names=CONTROLLER',
    'inter.broker.listener.name=PLAINTEXT',
    `listener.security.protocol.map=${protocols.join(',')}`,
    `log.dirs=${join(home, 'data')}`,
    'auto.create.topics.enable=false',
    `default.replication.factor=${replicas}`,
    `min.insync.replicas=${insync}`,
    'offsets.topic.num.partitions=4',
    `offsets.topic.replication.factor=${replicas}`,
    'transaction.state.log.num.partitions=4',
    `transaction.state.log.replication.factor=${replicas}`,
    `transaction.state.log.min.isr=${insync}`,
    'group.initial.rebalance.delay.ms=0',
    'group.min.session.timeout.ms=1000',
    'log.segment.bytes=67108864',
    // Tests write messages with old timestamps: a broker would delete them half a minute after its start.
    'log.retention.ms=-1',
    'log.cleaner.dedupe.buffer.size=16777216',
  ];
}

const loginProperties = (folder: string): readonly string[] => [
  'sasl.enabled.mechanisms=SCRAM-SHA-512',
  'listener.name.secure.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;',
  'ssl.keystore.type=PEM',
  `ssl.keystore.location=${join(folder, 'server.pem')}`,
];

/** For `localhost`, self-signed. */
async function makeCertificate(folder: string): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'server.key'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const run = promisify(execFile);
  await run('openssl', ['req', '-x509', ...key, '-days', '2', ...name, '-out', 'server.crt'], {
    cwd: folder,
  });
  const parts = await Promise.all(['server.key', 'server.crt'].map((file) => readFile(join(folder, file))));
  await writeFile(join(folder, 'server.pem'), Buffer.concat(parts));
}

async function writeNode(
  home: string,
  cluster: string,
  properties: readonly string[],
  login: ClusterOptions['login'],
): Promise<void> {
  await mkdir(join(home, 'data'), { recursive: true });
  const file = join(home, 'server.properties');
  await writeFile(file, `${properties.join('\n')}\n`);
  // The broker's own tool formats the folder.
  const user = login ? ['--add-scram', `SCRAM-SHA-512=[name=${login.name},password=${login.password}]`] : [];
  const [command, ...args] = java('kafka.tools.StorageTool', 'format', '-t', cluster, '-c', file, ...user);
  await promisify(execFile)(command!, args);
}
