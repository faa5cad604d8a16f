import { Type, type Static } from 'typebox';
import type { LifecycleState } from '../../pipeline/runtime/status.js';
import type { Minute } from '../service/figures/history.js';
import type { StoreHealth } from '../service/figures/stores.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { componentsOf, percent, type ComponentFacts, type SystemFacts } from './system.js';
import type { Resources, Traffic } from '../service/figures/resources.js';

const closed = { additionalProperties: false } as const;
const Timestamp = Type.String({ format: 'date-time' });
const Percent = Type.Number({ minimum: 0, maximum: 100 });
const Count = Type.Number({ minimum: 0 });
const MINUTE_US = 60_000_000;

/** The words for each state in `/health` and `/health/detailed`. */
const HEALTH_OF: Readonly<Record<LifecycleState, string>> = {
  running: 'healthy',
  degraded: 'degraded',
  failed: 'unhealthy',
  stopped: 'stopped',
  starting: 'starting',
  stopping: 'stopping',
  restarting: 'restarting',
};
export const healthOf = (state: LifecycleState): string => HEALTH_OF[state];

/** 4.6, the plain one */
export const HealthSchema = Type.Object(
  { status: Type.String(), timestamp: Timestamp, version: Type.String(), uptime: Type.Number() },
  closed,
);
export type Health = Static<typeof HealthSchema>;

/** 4.6, `/health/detailed` */
export const DetailedHealthSchema = Type.Object(
  {
    overall_status: Type.String(),
    timestamp: Timestamp,
    version: Type.String(),
    uptime: Type.Number(),
    components: Type.Object(
      {
        api: Type.Object(
          { status: Type.String(), response_time_ms: Count, requests_per_second: Count },
          closed,
        ),
        database: Type.Object(
          { status: Type.String(), connection_pool: Type.String(), query_time_ms: Count },
          closed,
        ),
        cache: Type.Object(
          { status: Type.String(), memory_usage: Type.String(), connected_clients: Type.Integer() },
          closed,
        ),
        neural_network: Type.Object(
          {
            status: Type.String(),
            model_loaded: Type.Boolean(),
            gpu_memory_usage: Type.String(),
            inference_queue: Type.Integer(),
          },
          closed,
        ),
        csi_processor: Type.Object(
          { status: Type.String(), data_rate: Count, buffer_usage: Type.String() },
          closed,
        ),
      },
      closed,
    ),
    metrics: Type.Object(
      {
        cpu_usage: Percent,
        memory_usage: Percent,
        disk_usage: Percent,
        network_io: Type.Object({ bytes_in: Type.Integer(), bytes_out: Type.Integer() }, closed),
      },
      closed,
    ),
  },
  closed,
);

/** Input of `/health/detailed`. */
export interface HealthFacts extends SystemFacts {
  /** Age of the process, seconds. */
  readonly uptime: number;
  readonly answers: { readonly perSecond: number; readonly meanMs: number };
  readonly asked: readonly StoreHealth[];
  /** Bytes of the state store's file in memory. */
  readonly stateBytes: number;
  /** WebSocket connections that are open. */
  readonly clients: number;
}

export function detailedHealth(facts: HealthFacts): Static<typeof DetailedHealthSchema> {
  const { status, now, version, uptime, resources, traffic, answers } = facts;
  const components = componentsOf(facts);
  return {
    overall_status: healthOf(status.state),
    timestamp: isoTime(now),
    version,
    uptime,
    components: {
      api: { status: 'healthy', response_time_ms: answers.meanMs, requests_per_second: answers.perSecond },
      database: database(components, facts.asked),
      cache: {
        status: components.state,
        memory_usage: megabytes(facts.stateBytes),
        connected_clients: facts.clients,
      },
      neural_network: {
        status: components.network,
        model_loaded: components.modelLoaded,
        gpu_memory_usage: megabytes(resources.gpuMemoryBytes),
        inference_queue: components.inferenceQueue,
      },
      csi_processor: {
        status: components.sources,
        data_rate: traffic.framesPerSecond,
        buffer_usage: `${percent(traffic.bufferUsage)}%`,
      },
    },
    metrics: {
      cpu_usage: percent(resources.cpu),
      memory_usage: percent(resources.memory),
      disk_usage: percent(resources.disk),
      network_io: { bytes_in: resources.bytesIn, bytes_out: resources.bytesOut },
    },
  };
}

function database({ stores: status }: ComponentFacts, stores: readonly StoreHealth[]) {
  const times = stores.map(({ milliseconds }) => milliseconds).filter((time) => time !== null);
  return {
    status: times.length < stores.length ? 'unavailable' : status,
    connection_pool: `${times.length}/${stores.length}`,
    query_time_ms: Math.round(Math.max(0, ...times) * 1000) / 1000,
  };
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e5) / 10} MB`;

// ------------------------------------------------------------------ metrics

export const METRIC_TYPES = ['performance', 'resources', 'business'] as const;
export type MetricType = (typeof METRIC_TYPES)[number];

/** 4.6, `/metrics` */
export const MetricsSchema = Type.Object(
  {
    current: Type.Object(
      {
        timestamp: Timestamp,
        performance: Type.Optional(
          Type.Object(
            {
              frames_per_second: Count,
              average_latency_ms: Count,
              processing_queue_size: Type.Integer(),
              error_rate: Type.Number({ minimum: 0, maximum: 1 }),
            },
            closed,
          ),
        ),
        resources: Type.Optional(
          Type.Object(
            {
              cpu_usage: Percent,
              memory_usage: Percent,
              gpu_usage: Percent,
              disk_io: Type.Object({ read_mb_per_sec: Count, write_mb_per_sec: Count }, closed),
            },
            closed,
          ),
        ),
        business: Type.Optional(
          Type.Object(
            {
              active_persons: Type.Integer(),
              detections_per_minute: Count,
              tracking_accuracy: Type.Number({ minimum: 0, maximum: 1 }),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
    historical: Type.Array(
      Type.Object(
        { timestamp: Timestamp, frames_per_second: Count, average_latency_ms: Count, cpu_usage: Percent },
        closed,
      ),
    ),
  },
  closed,
);

export interface MetricsFacts {
  readonly now: number;
  readonly latencyMs: number;
  readonly resources: Resources;
  readonly traffic: Traffic;
  readonly minutes: readonly Minute[];
  /** Null: all groups. */
  readonly type: MetricType | null;
}

export function metricsBody({
  now,
  latencyMs,
  resources,
  traffic,
  minutes,
  type,
}: MetricsFacts): Static<typeof MetricsSchema> {
  const groups = {
    performance: {
      frames_per_second: traffic.framesPerSecond,
      average_latency_ms: latencyMs,
      processing_queue_size: traffic.queued,
      error_rate: traffic.errorRate,
    },
    resources: {
      cpu_usage: percent(resources.cpu),
      memory_usage: percent(resources.memory),
      gpu_usage: percent(resources.gpu),
      disk_io: {
        read_mb_per_sec: resources.bytesRead / 1e6,
        write_mb_per_sec: resources.bytesWritten / 1e6,
      },
    },
    business: {
      active_persons: traffic.activeTracks,
      detections_per_minute: traffic.detectionsPerMinute,
      tracking_accuracy: traffic.trackQuality,
    },
  };
  return {
    current: { timestamp: isoTime(now), ...(type === null ? groups : { [type]: groups[type] }) },
    historical: minutes.map((minute) => ({
      timestamp: isoTime(minute.minute * MINUTE_US),
      frames_per_second: minute.framesPerSecond,
      average_latency_ms: minute.latencyMs,
      cpu_usage: percent(minute.cpu),
    })),
  };
}
