import { Type } from 'typebox';
import { errorText } from '../../../pipeline/base/error-text.js';
import { toMermaid, type CheckedTopology } from '../../../pipeline/config/index.js';
import type { RunningTopology, TopologyStatus } from '../../../pipeline/runtime/status.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { pageOf, PageQuery, pagination, type PageOf } from '../../contract/pages.js';
import {
  lifecycleBody,
  LifecycleSchema,
  SummarySchema,
  topologyBody,
  TopologySchema,
} from '../../contract/topologies.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import { apply, plan, put, remove } from './topology-changes.js';
import { conflict, topologyOf } from './topology-of.js';

const endpoint = endpointsWith<'topologies' | 'log'>();

const closed = { additionalProperties: false } as const;
const PathSchema = Type.Object({ id: Type.String() });
const shared = { limit: 'configuration' } as const;

interface Listed {
  readonly asked: PageOf;
  readonly all: readonly (TopologyStatus & { readonly main: boolean })[];
}

const list = endpoint<PageOf, Listed>({
  method: 'GET',
  path: '/topologies',
  summary: 'The topologies of the deployment, the main one first.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async (asked, { deployment: { topologies } }) => ({
    asked,
    all: topologies.list().map((one) => ({ ...one.status(), main: topologies.isMain(one.topology.id) })),
  }),
  b: formView({
    query: PageQuery,
    response: Type.Array(SummarySchema),
    read: ({ query }) => query,
    render: ({ asked, all }) => ({
      data: pageOf(all, asked).map(({ id, state, problem, main }) => ({ id, status: state, problem, main })),
      pagination: pagination(asked, all.length),
    }),
  }),
});

const show = endpoint<string, TopologyStatus>({
  method: 'GET',
  path: '/topologies/:id',
  summary: 'State of a topology and of each of its nodes.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async (id, { deployment }) => topologyOf(deployment, id).status(),
  b: formView({
    path: PathSchema,
    response: TopologySchema,
    read: ({ path }) => path.id,
    render: (status) => ({ data: topologyBody(status) }),
  }),
});

const start = endpoint<string, TopologyStatus>({
  method: 'POST',
  path: '/topologies/:id/start',
  summary: 'Starts a topology. Its state shows the progress.',
  access: 'operator',
  ...shared,
  status: 202,
  async handle(id, { deployment }) {
    const running = topologyOf(deployment, id);
    const { state } = running.status();
    if (state !== 'stopped' && state !== 'failed')
      throw conflict(`The topology ${id} is ${state}: it can only be started while it is stopped`, state);
    deployment.topologies.want(id, 'running');
    return goOn(deployment, running, running.start());
  },
  b: formView({
    path: PathSchema,
    response: LifecycleSchema,
    read: ({ path }) => path.id,
    render: (status) => ({ data: lifecycleBody(status) }),
  }),
});

interface Stop {
  readonly id: string;
  readonly force: boolean;
  readonly saveState: boolean;
}

const stop = endpoint<Stop, TopologyStatus>({
  method: 'POST',
  path: '/topologies/:id/stop',
  summary: 'Stops a topology, by default after a checkpoint.',
  access: 'operator',
  ...shared,
  status: 202,
  audit: ({ force, saveState }) => ({ force, save_state: saveState }),
  async handle({ id, ...options }, { deployment }) {
    const running = topologyOf(deployment, id);
    const { state } = running.status();
    if (state === 'stopped' || (state === 'stopping' && !options.force))
      throw conflict(`The topology ${id} is already ${state}`, state);
    deployment.topologies.want(id, 'stopped');
    return goOn(deployment, running, running.stop(options));
  },
  b: formView({
    path: PathSchema,
    body: Type.Object(
      { force: Type.Optional(Type.Boolean()), save_state: Type.Optional(Type.Boolean()) },
      closed,
    ),
    response: LifecycleSchema,
    read: ({ path, body }) => ({
      id: path.id,
      force: body.force ?? false,
      saveState: body.save_state ?? true,
    }),
    render: (status) => ({ data: lifecycleBody(status) }),
  }),
});

const restart = endpoint<string, TopologyStatus>({
  method: 'POST',
  path: '/topologies/:id/restart',
  summary: 'Stops a topology after a checkpoint, and starts it again from there.',
  access: 'operator',
  ...shared,
  status: 202,
  async handle(id, { deployment }) {
    const running = topologyOf(deployment, id);
    const { state } = running.status();
    if (state !== 'running' && state !== 'degraded' && state !== 'failed')
      throw conflict(`The topology ${id} is ${state}: it can only be restarted while it is running`, state);
    deployment.topologies.want(id, 'running');
    return goOn(deployment, running, running.restart());
  },
  b: formView({
    path: PathSchema,
    response: LifecycleSchema,
    read: ({ path }) => path.id,
    render: (status) => ({ data: lifecycleBody(status) }),
  }),
});

const graph = endpoint<string, CheckedTopology>({
  method: 'GET',
  path: '/topologies/:id/graph',
  summary: 'Nodes and edges of a topology, and the same as a Mermaid flow chart.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async (id, { deployment }) => topologyOf(deployment, id).topology,
  b: formView({
    path: PathSchema,
    response: Type.Object(
      {
        nodes: Type.Array(
          Type.Object({ id: Type.String(), type: Type.String(), kind: Type.String() }, closed),
        ),
        edges: Type.Array(
          Type.Object({ from: Type.String(), to: Type.String(), ports: Type.Array(Type.String()) }, closed),
        ),
        mermaid: Type.String(),
      },
      closed,
    ),
    read: ({ path }) => path.id,
    render: (topology) => ({
      data: {
        nodes: topology.nodes.map(({ id, component: { name, kind } }) => ({ id, type: name, kind })),
        edges: topology.nodes.flatMap(({ id: to, inputs }) =>
          inputs.map(({ from, ports }) => ({ from, to, ports })),
        ),
        mermaid: toMermaid(topology),
      },
    }),
  }),
});

/** The lifecycle of any topology; `/system/*` is that of the main one. */
export const topologyEndpoints = [list, show, put, remove, start, stop, restart, graph, plan, apply];

/** The action continues after the answer; the state shows its outcome, and the log its failure. */
function goOn(
  { log }: Pick<Deployment, 'log'>,
  running: RunningTopology,
  work: Promise<void>,
): TopologyStatus {
  work.catch((error: unknown) => {
    log.error('a topology could not be started or stopped', {
      topology: running.topology.id,
      reason: errorText(error),
    });
  });
  return running.status();
}
