import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { STATE_FILE } from '../../../pipeline/state/index.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import {
  detailedHealth,
  DetailedHealthSchema,
  healthOf,
  HealthSchema,
  METRIC_TYPES,
  metricsBody,
  MetricsSchema,
  type Health,
  type HealthFacts,
  type MetricsFacts,
  type MetricType,
} from '../../contract/health.js';
import { latencyOf } from '../../contract/system.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import { MINUTE_US, thinned } from '../../service/figures/history.js';
import { residentBytes } from '../../service/figures/machine.js';
import { askStores } from '../../service/figures/stores.js';
import { readRange, Time } from '../requests/ranges.js';
import { systemFacts } from './system.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';

type Parts = 'main' | 'clock' | 'version' | 'probe' | 'clients';

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;
/** Rows of `/metrics`: longer ranges are returned as means over several minutes. */
const MAX_ROWS = 1_440;
/** Default range of `/metrics`, minutes. */
const USUAL_MINUTES = 60;

const plain = endpoint<null, Health>({
  method: 'GET',
  path: '/health',
  summary: 'Whether the service answers, without credentials.',
  access: 'open',
  limit: 'health',
  vital: true,
  status: 200,
  bare: true,
  handle: async (_input, { deployment }) => ({
    status: healthOf(deployment.main.state),
    timestamp: isoTime(deployment.clock.now()),
    version: deployment.version,
    uptime: Math.floor(process.uptime()),
  }),
  b: formView({ response: HealthSchema, read: () => null, render: (health) => ({ data: health }) }),
});

const detailed = endpoint<null, HealthFacts>({
  method: 'GET',
  path: '/health/detailed',
  summary: 'State and figures of each part; queries the stores.',
  access: 'viewer',
  limit: 'health',
  vital: true,
  status: 200,
  async handle(_input, { deployment }) {
    const [facts, asked, stateBytes] = await Promise.all([
      systemFacts(deployment),
      askStores(deployment.main),
      stateInMemory(deployment),
    ]);
    return {
      ...facts,
      uptime: Math.floor(process.uptime()),
      answers: deployment.probe.answers(),
      asked,
      stateBytes,
      clients: deployment.clients(),
    };
  },
  b: formView({
    response: DetailedHealthSchema,
    read: () => null,
    render: (facts) => ({ data: detailedHealth(facts) }),
  }),
});

interface MetricsQuery {
  readonly start_time?: string;
  readonly end_time?: string;
  readonly metric_type?: MetricType;
}

const metrics = endpoint<MetricsQuery, MetricsFacts>({
  method: 'GET',
  path: '/metrics',
  summary:
    'Current figures, and those of each minute in a range: by default the last hour, at most seven days.',
  access: 'viewer',
  limit: 'health',
  vital: true,
  status: 200,
  async handle({ start_time: startTime, end_time: endTime, metric_type: type }, { deployment }) {
    const asked = readRange(startTime, endTime);
    const now = deployment.clock.now();
    const end = asked.end ?? now;
    const start = asked.start ?? end - USUAL_MINUTES * MINUTE_US;
    return {
      now,
      latencyMs: latencyOf(deployment.main.status()),
      resources: await deployment.probe.resources(),
      traffic: deployment.probe.traffic(),
      minutes: thinned(deployment.probe.history.range(start, end), (end - start) / MINUTE_US, MAX_ROWS),
      type: type ?? null,
    };
  },
  b: formView({
    query: Type.Object(
      {
        start_time: Type.Optional(Time),
        end_time: Type.Optional(Time),
        metric_type: Type.Optional(Type.Enum([...METRIC_TYPES])),
      },
      closed,
    ),
    response: MetricsSchema,
    read: ({ query }) => query,
    render: (facts) => ({ data: metricsBody(facts) }),
  }),
});

/** 4.6 */
export const healthEndpoints = [plain, detailed, metrics];

/** Bytes of the state store's memory map in memory; 0 while the topology has it closed. */
async function stateInMemory({ main }: Pick<Deployment, Parts>): Promise<number> {
  const { stateFolder } = main.topology.settings;
  return residentBytes(join(realpathSync(stateFolder), STATE_FILE));
}
