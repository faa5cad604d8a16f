import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts, Server, serverFolder, servicesFolder } from './server.js';

const run = promisify(execFile);

export interface KafkaCluster {
  /** One a broker, in order. */
  readonly servers: readonly Server[];
  /** `host:port`, one a broker. */
  readonly brokers: string[];
  stop(): Promise<void>;
}

/** Brokers in KRaft mode, plain text, each broker a controller too; up in 5 to 15 s. */
export async function startKafka(nodes = 1): Promise<KafkaCluster> {
  const folder = await serverFolder('kafka');
  const ports = await freePorts(2 * nodes);
  const ids = Array.from({ length: nodes }, (_, index) => index + 1);
  const quorum = ids.map((id) => `${id}@127.0.0.1:${ports[nodes + id - 1]}`).join(',');
  const replicas = Math.min(3, nodes);
  const servers = await Promise.all(
    ids.map((id) =>
      makeBroker(join(folder, String(id)), id, quorum, ports[id - 1]!, ports[nodes + id - 1]!, replicas),
    ),
  );
  await Promise.all(servers.map((server) => server.start()));
  return {
    servers,
    brokers: ports.slice(0, nodes).map((port) => `127.0.0.1:${port}`),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const java = (main: string, file: string): readonly string[] => [
  'java',
  '-Xmx256m',
  '-XX:+UseSerialGC',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-cp',
  join(servicesFolder, 'kafka-4.3.1', '*'),
  ...(main === 'format'
    ? ['kafka.tools.StorageTool', 'format', '--ignore-formatted', '-t', 'csiflowCiCluster000000g', '-c', file]
    : ['kafka.Kafka', file]),
];

async function makeBroker(
  folder: string,
  id: number,
  quorum: string,
  port: number,
  controllerPort: number,
  replicas: number,
): Promise<Server> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'server.properties');
  const inSync = replicas > 1 ? replicas - 1 : 1;
  await writeFile(
    file,
    `process.roles=broker,controller
node.id=${id}
controller.quorum.voters=${quorum}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${folder}/data
auto.create.topics.enable=false
default.replication.factor=${replicas}
min.insync.replicas=${inSync}
offsets.topic.num.partitions=4
offsets.topic.replication.factor=${replicas}
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=${replicas}
transaction.state.log.min.isr=${inSync}
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
log.segment.bytes=67108864
log.cleaner.dedupe.buffer.size=16777216
`,
  );
  const [program, ...words] = java('format', file);
  await run(program!, words);
  return new Server({ name: `Kafka ${id}`, folder, ports: [port], command: java('serve', file) });
}
