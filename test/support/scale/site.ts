import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Admin } from 'kafkajs';
import { writeRooms } from '../../../bench/speed/scale/rooms.js';
import { KafkaCluster } from '../servers/kafka.js';
import { Fleet } from './fleet.js';

/** The differences between shared topologies. */
export interface SharedTopology {
  readonly sessionMs: number;
  /** Operators besides `motion`, one per line. */
  readonly operators?: readonly string[];
  /** Nodes whose results are written to the topic. */
  readonly results: readonly string[];
}

/** A real Kafka and a folder for processes that share the rooms of one topology. */
export class ScaleSite {
  readonly cluster: KafkaCluster;
  readonly #folder = mkdtempSync(join(tmpdir(), 'csiflow-scale-'));
  readonly #fleets: Fleet[] = [];

  private constructor(cluster: KafkaCluster) {
    this.cluster = cluster;
  }

  static async start(): Promise<ScaleSite> {
    return new ScaleSite(await KafkaCluster.start());
  }

  /** Kills all processes that still run. */
  async stop(): Promise<void> {
    for (const fleet of this.#fleets) await fleet.stop('SIGKILL');
    await this.cluster.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The topics `csi`, `shared` and `alone`. */
  async topics(partitions: number): Promise<Admin> {
    const admin = await this.cluster.admin();
    const topics = ['csi', 'shared', 'alone'].map((topic) => ({ topic, numPartitions: partitions }));
    await admin.createTopics({ topics });
    return admin;
  }

  /** Writes a topology that reads `csi` and the rooms' environments; returns its file. */
  write(rooms: Parameters<typeof writeRooms>[0], topology: SharedTopology): string {
    const file = join(this.#folder, 'rooms.yaml');
    writeFileSync(file, topologyText(writeRooms(rooms, this.#folder), topology));
    return file;
  }

  /** Processes of one group; their results are written to the topic of its name. */
  fleet(file: string, group: string): Fleet {
    const env = { BROKER: this.cluster.brokers[0]!, GROUP: group, RESULTS: group };
    const fleet = new Fleet(file, this.#folder, env);
    this.#fleets.push(fleet);
    return fleet;
  }
}

const topologyText = (
  rooms: readonly string[],
  { sessionMs, operators = [], results }: SharedTopology,
): string => `
id: rooms
environments: [${rooms.join(', ')}]
sources:
  radios:
    type: kafka
    brokers: ["\${BROKER}"]
    topics: [csi]
    group: "\${GROUP}"
    origin: simulated
    session_timeout_ms: ${sessionMs}
operators:
  clean: { type: denoise, from: radios }
  phase: { type: phase-sanitize, from: clean }
  windows: { type: window, from: phase, length_ms: 2000, hop_ms: 400, points: 100 }
  motion: { type: detect-motion, from: windows }
${operators.map((line) => `  ${line}\n`).join('')}sinks:
  results: { type: kafka, from: [${results.join(', ')}], brokers: ["\${BROKER}"], topic: "\${RESULTS}" }
settings:
  scale_out: true
  checkpoint_interval_ms: 500
  state_folder: "\${CSIFLOW_DATA}/state"
`;
