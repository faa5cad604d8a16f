import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Admin, Kafka } from 'kafkajs';
import { loadKafka } from '../../../pipeline/kafka/index.js';
import { freePorts, Server, serverFolder, servicesFolder } from './server.js';

export interface ClusterOptions {
  readonly nodes?: number;
  /** Further lines of `server.properties`. */
  readonly properties?: readonly string[];
  /** For SCRAM-SHA-512. */
  readonly users?: readonly { readonly name: string; readonly password: string }[];
}

/** Real brokers in KRaft mode; each is a controller too. */
export class KafkaCluster {
  readonly brokers: readonly string[];
  readonly nodes: readonly Server[];
  readonly #folder: string;
  readonly #client: Kafka;
  #admin: Admin | undefined;

  private constructor(folder: string, nodes: readonly Server[], brokers: readonly string[], client: Kafka) {
    this.#folder = folder;
    this.nodes = nodes;
    this.brokers = brokers;
    this.#client = client;
  }

  static async start({ nodes = 1, properties = [], users = [] }: ClusterOptions = {}): Promise<KafkaCluster> {
    const folder = await serverFolder('kafka');
    const ports = await freePorts(2 * nodes);
    const brokers = ports.slice(0, nodes).map((port) => `127.0.0.1:${port}`);
    const voters = ports.slice(nodes).map((port, index) => `${index + 1}@127.0.0.1:${port}`);
    const id = randomUUID().replaceAll('-', '').slice(0, 22);
    const servers = await Promise.all(
      brokers.map(async (_, index) => {
        const home = join(folder, `node-${index + 1}`);
        const [port, controller] = [ports[index]!, ports[nodes + index]!];
        await writeNode(home, id, index + 1, port, controller, voters, properties, users);
        return new Server({
          name: `kafka ${index + 1}`,
          folder: home,
          ports: [port],
          command: java('kafka.Kafka', join(home, 'server.properties')),
        });
      }),
    );
    const client = await clientOf(brokers);
    const cluster = new KafkaCluster(folder, servers, brokers, client);
    try {
      await Promise.all(servers.map((server) => server.start()));
      await cluster.admin();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
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

  /** A new topic, of a name of its own. */
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
      waitForLeaders: true,
    });
    return topic;
  }

  /** Values that a reader of committed messages sees, partition by partition: by librdkafka, not by the library that wrote them. */
  async values(topic: string): Promise<readonly string[]> {
    const from = ['-b', this.brokers.join(','), '-t', topic, '-o', 'beginning'];
    const { stdout } = await promisify(execFile)(
      'kcat',
      ['-C', '-e', '-q', ...from, '-X', 'isolation.level=read_committed'],
      { maxBuffer: 2 ** 28 },
    );
    return stdout.split('\n').slice(0, -1);
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

async function writeNode(
  home: string,
  cluster: string,
  id: number,
  port: number,
  controller: number,
  voters: readonly string[],
  more: readonly string[],
  users: NonNullable<ClusterOptions['users']>,
): Promise<void> {
  const replicas = Math.min(3, voters.length);
  const insync = Math.max(1, replicas - 1);
  const data = join(home, 'data');
  await mkdir(data, { recursive: true });
  const properties = [
    'process.roles=broker,controller',
    `node.id=${id}`,
    `controller.quorum.voters=${voters.join(',')}`,
    `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    `log.dirs=${data}`,
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
    'log.cleaner.dedupe.buffer.size=16777216',
    ...more,
  ];
  await writeFile(join(home, 'server.properties'), `${properties.join('\n')}\n`);
  // The broker's own tool makes the folder its own.
  const [command, ...args] = java(
    'kafka.tools.StorageTool',
    'format',
    '-t',
    cluster,
    '-c',
    join(home, 'server.properties'),
    ...users.flatMap(({ name, password }) => [
      '--add-scram',
      `SCRAM-SHA-512=[name=${name},password=${password}]`,
    ]),
  );
  await promisify(execFile)(command!, args);
}
