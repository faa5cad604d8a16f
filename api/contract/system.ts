import { Type, type Static, type TSchema } from 'typebox';
import type { NodeStatus, Step, TopologyStatus } from '../../pipeline/runtime/status.js';
import type { Resources, Traffic } from '../service/figures/resources.js';
import { isoTime } from '../../pipeline/base/iso-time.js';

const closed = { additionalProperties: false } as const;
const Timestamp = Type.String({ format: 'date-time' });

/** Input of both forms of the status. */
export interface SystemFacts {
  readonly version: string;
  readonly now: number;
  readonly status: TopologyStatus;
  /** Nodes whose data can be queried. */
  readonly stores: readonly string[];
  /** Its pose networks, and its trackers. */
  readonly networks: readonly string[];
  readonly trackers: readonly string[];
  readonly resources: Resources;
  readonly traffic: Traffic;
}

const Component = <F extends Record<string, TSchema>>(fields: F) =>
  Type.Object({ status: Type.String(), ...fields }, closed);

/** 2.7, Form A */
export const StatusASchema = Type.Object(
  {
    status: Type.String(),
    uptime_seconds: Type.Integer(),
    version: Type.String(),
    components: Type.Object(
      {
        csi_receiver: Component({
          data_rate_hz: Type.Number(),
          packet_loss_rate: Type.Number(),
          last_packet_time: Timestamp,
        }),
        neural_network: Component({
          model_loaded: Type.Boolean(),
          inference_time_ms: Type.Number(),
          gpu_utilization: Type.Number(),
        }),
        tracking: Component({ active_tracks: Type.Integer(), track_quality: Type.Number() }),
      },
      closed,
    ),
    hardware: Type.Object(
      {
        cpu_usage: Type.Number(),
        memory_usage: Type.Number(),
        gpu_memory_usage: Type.Number(),
        disk_usage: Type.Number(),
      },
      closed,
    ),
    network: Type.Object(
      {
        connected_routers: Type.Integer(),
        signal_strength: Type.Number(),
        interference_level: Type.Number(),
      },
      closed,
    ),
  },
  closed,
);

/** 2.7, Form B */
export const StatusBSchema = Type.Object(
  {
    status: Type.String(),
    session_id: Type.String(),
    uptime_seconds: Type.Integer(),
    started_at: Timestamp,
    performance: Type.Object(
      {
        frames_processed: Type.Integer(),
        average_fps: Type.Number(),
        average_latency_ms: Type.Number(),
        cpu_usage: Type.Number(),
        memory_usage: Type.Number(),
        gpu_usage: Type.Number(),
      },
      closed,
    ),
    components: Type.Object(
      {
        csi_processor: Component({ last_heartbeat: Timestamp }),
        neural_network: Component({ model_loaded: Type.Boolean(), inference_queue_size: Type.Integer() }),
        tracker: Component({ active_tracks: Type.Integer() }),
        database: Component({ connection_pool: Type.String() }),
      },
      closed,
    ),
  },
  closed,
);

/** 4.3, a step of a start or a stop. */
export const StepSchema = Type.Object(
  { step: Type.String(), status: Type.String(), progress: Type.Number({ minimum: 0, maximum: 1 }) },
  closed,
);

/** 4.3, answers to start and stop */
export const StartASchema = Type.Object(
  { status: Type.String(), estimated_ready_time: Timestamp, initialization_steps: Type.Array(StepSchema) },
  closed,
);
export const StartBSchema = Type.Object(
  {
    status: Type.String(),
    session_id: Type.String(),
    estimated_startup_time: Type.Number(),
    configuration_applied: Type.Object({}),
  },
  closed,
);
export const StopASchema = Type.Object(
  { status: Type.String(), estimated_stop_time: Timestamp, shutdown_steps: Type.Array(StepSchema) },
  closed,
);
export const StopBSchema = Type.Object(
  { status: Type.String(), session_id: Type.String(), shutdown_initiated: Timestamp },
  closed,
);

/** Steps of the current or last start, stop or restart. */
export const StepsSchema = Type.Object(
  { status: Type.String(), session_id: Type.String(), steps: Type.Array(StepSchema) },
  closed,
);
export const RestartSchema = Type.Object(
  {
    status: Type.String(),
    previous_session_id: Type.String(),
    new_session_id: Type.String(),
    estimated_restart_time: Type.Number(),
  },
  closed,
);

/** Parts of the system in both forms and the health pages: each with the worst status of its nodes. */
export interface ComponentFacts {
  readonly sources: string;
  readonly network: string;
  /** A degraded network computes, for example on another backend. */
  readonly modelLoaded: boolean;
  readonly inferenceQueue: number;
  readonly tracker: string;
  readonly stores: string;
  /** How many of the topology's stores are open. */
  readonly openStores: string;
  /** Files of the topology on this machine: journal, checkpoints, outboxes. */
  readonly state: string;
}

type Parts = Pick<SystemFacts, 'status' | 'stores' | 'networks' | 'trackers'>;

export function componentsOf({ status, stores, networks, trackers }: Parts): ComponentFacts {
  const network = named(status, networks);
  const storeNodes = named(status, stores);
  return {
    sources: worst(sources(status)),
    network: worst(network),
    modelLoaded: network.length > 0 && network.every((node) => isUp(node) || node.status === 'degraded'),
    inferenceQueue: sum(network, (node) => node.queueDepth),
    tracker: worst(named(status, trackers)),
    stores: worst(storeNodes),
    openStores: `${storeNodes.filter(isUp).length}/${stores.length}`,
    state: status.state === 'running' || status.state === 'degraded' ? 'active' : 'stopped',
  };
}

export function statusA(facts: SystemFacts): Static<typeof StatusASchema> {
  const { status, version, now, resources, traffic } = facts;
  const components = componentsOf(facts);
  return {
    status: status.state,
    uptime_seconds: uptime(status, now),
    version,
    components: {
      csi_receiver: {
        status: components.sources,
        data_rate_hz: traffic.framesPerSecond,
        packet_loss_rate: traffic.lossRate,
        last_packet_time: isoTime(newest(sources(status)) ?? 0),
      },
      neural_network: {
        status: components.network,
        model_loaded: components.modelLoaded,
        inference_time_ms: figure(named(status, facts.networks), 'inference_ms'),
        gpu_utilization: resources.gpu,
      },
      tracking: {
        status: components.tracker,
        active_tracks: traffic.activeTracks,
        track_quality: traffic.trackQuality,
      },
    },
    hardware: {
      cpu_usage: resources.cpu,
      memory_usage: resources.memory,
      gpu_memory_usage: resources.gpuMemory,
      disk_usage: resources.disk,
    },
    network: {
      connected_routers: traffic.links,
      signal_strength: traffic.signalStrength,
      interference_level: traffic.interference,
    },
  };
}

export function statusB(facts: SystemFacts): Static<typeof StatusBSchema> {
  const { status, now, resources, traffic } = facts;
  const components = componentsOf(facts);
  return {
    status: status.state,
    session_id: status.sessionId,
    uptime_seconds: uptime(status, now),
    started_at: isoTime(status.startedAt ?? 0),
    performance: {
      frames_processed: sum(sources(status), (node) => node.sent),
      average_fps: traffic.framesPerSecond,
      average_latency_ms: latencyOf(status),
      cpu_usage: percent(resources.cpu),
      memory_usage: percent(resources.memory),
      gpu_usage: percent(resources.gpu),
    },
    components: {
      csi_processor: {
        status: components.sources,
        last_heartbeat: isoTime(newest(sources(status)) ?? 0),
      },
      neural_network: {
        status: components.network,
        model_loaded: components.modelLoaded,
        inference_queue_size: components.inferenceQueue,
      },
      tracker: { status: components.tracker, active_tracks: traffic.activeTracks },
      database: { status: components.stores, connection_pool: components.openStores },
    },
  };
}

export const stepBodies = (steps: readonly Step[]): Static<typeof StepSchema>[] =>
  steps.map(({ step, status, progress }) => ({ step, status, progress }));

const sources = (status: TopologyStatus): NodeStatus[] =>
  status.nodes.filter((node) => node.kind === 'source');
const named = (status: TopologyStatus, ids: readonly string[]): NodeStatus[] =>
  status.nodes.filter(({ id }) => ids.includes(id));
const isUp = (node: NodeStatus): boolean => node.status === 'active' || node.status === 'healthy';
const sum = (nodes: readonly NodeStatus[], value: (node: NodeStatus) => number): number =>
  nodes.reduce((total, node) => total + value(node), 0);
/** Median of the last minute, milliseconds to a hundredth; 0 without poses. */
export const latencyOf = ({ latencyMs }: TopologyStatus): number =>
  Math.round((latencyMs?.p50 ?? 0) * 100) / 100;

/** Form A's share as Form B's scale. */
export const percent = (share: number): number => Math.round(share * 10_000) / 100;

const uptime = ({ startedAt, state }: TopologyStatus, now: number): number =>
  startedAt === null || state === 'stopped' || state === 'failed'
    ? 0
    : Math.max(0, Math.floor((now - startedAt) / 1e6));

const newest = (nodes: readonly NodeStatus[]): number | null =>
  nodes.reduce<number | null>(
    (latest, { lastRecord }) => (lastRecord !== null && lastRecord > (latest ?? 0) ? lastRecord : latest),
    null,
  );

const figure = (nodes: readonly NodeStatus[], name: string): number => {
  const value = nodes[0]?.details[name];
  return typeof value === 'number' ? value : 0;
};

/** The worst status among nodes of one kind; `unavailable` if the topology has none of them. */
function worst(nodes: readonly NodeStatus[]): string {
  const order = ['unavailable', 'stopped', 'degraded', 'starting', 'active', 'healthy'];
  return order.find((status) => nodes.some((node) => node.status === status)) ?? 'unavailable';
}
