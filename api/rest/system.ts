import { Type } from 'typebox';
import type { LifecycleState, Step, TopologyStatus } from '../../pipeline/runtime/status.js';
import { defineEndpoint, formView } from '../contract/endpoint.js';
import { ApiError } from '../contract/errors.js';
import { isoTime } from '../contract/form.js';
import {
  StartASchema,
  StartBSchema,
  StatusASchema,
  StatusBSchema,
  statusA,
  statusB,
  stepBodies,
  StopASchema,
  StopBSchema,
  type SystemFacts,
} from '../contract/system.js';
import type { Deployment } from '../deployment.js';

const closed = { additionalProperties: false } as const;

const status = defineEndpoint<null, SystemFacts>({
  method: 'GET',
  path: '/system/status',
  summary: 'State of the system and measured figures of its parts.',
  access: 'viewer',
  limit: 'configuration',
  status: 200,
  handle: async (_input, { deployment }) => ({
    version: deployment.version,
    now: deployment.clock.now(),
    status: deployment.main.status(),
    resources: await deployment.probe.resources(),
    traffic: deployment.probe.traffic(),
  }),
  a: formView({ response: StatusASchema, read: () => null, render: (facts) => ({ data: statusA(facts) }) }),
  b: formView({ response: StatusBSchema, read: () => null, render: (facts) => ({ data: statusB(facts) }) }),
});

/** A control action that goes on after its answer. */
interface Accepted {
  readonly status: LifecycleState;
  readonly sessionId: string;
  readonly at: number;
  /** Estimate from the last time it was done, seconds. */
  readonly estimateSeconds: number;
  readonly steps: readonly Step[];
  readonly applied: object;
}

/** What may be asked of a start: it must be what the deployment runs already. Changing it is the configuration's job. */
interface StartInput {
  readonly domain?: string | undefined;
  readonly environment_id?: string | undefined;
}

const StartBodyA = Type.Object(
  {
    configuration: Type.Optional(
      Type.Object(
        {
          domain: Type.Optional(Type.String()),
          environment_id: Type.Optional(Type.String()),
          calibration_required: Type.Optional(Type.Literal(false)),
        },
        closed,
      ),
    ),
  },
  closed,
);

const StartBodyB = Type.Object(
  {
    configuration: Type.Optional(
      Type.Object(
        { domain: Type.Optional(Type.String()), environment_id: Type.Optional(Type.String()) },
        closed,
      ),
    ),
  },
  closed,
);

const start = defineEndpoint<StartInput, Accepted>({
  method: 'POST',
  path: '/system/start',
  summary: 'Starts the main topology.',
  access: 'operator',
  limit: 'configuration',
  status: 202,
  async handle(input, { deployment, account }) {
    checkEnvironment(input, deployment);
    const { state } = deployment.main.status();
    if (state !== 'stopped' && state !== 'failed') {
      throw new ApiError('RESOURCE_CONFLICT', `The system is ${state}: it can be started once it is stopped`);
    }
    return begin(deployment, 'start', () => deployment.main.start(), account?.name, input);
  },
  a: formView({
    body: StartBodyA,
    response: StartASchema,
    read: ({ body }) => body.configuration ?? {},
    render: (accepted) => ({
      data: {
        status: accepted.status,
        estimated_ready_time: isoTime(accepted.at + accepted.estimateSeconds * 1e6),
        initialization_steps: stepBodies(accepted.steps),
      },
    }),
  }),
  b: formView({
    body: StartBodyB,
    response: StartBSchema,
    read: ({ body }) => body.configuration ?? {},
    render: (accepted) => ({
      data: {
        status: accepted.status,
        session_id: accepted.sessionId,
        estimated_startup_time: accepted.estimateSeconds,
        configuration_applied: accepted.applied,
      },
    }),
  }),
});

interface StopInput {
  readonly force: boolean;
  readonly saveState: boolean;
}

const stop = defineEndpoint<StopInput, Accepted>({
  method: 'POST',
  path: '/system/stop',
  summary: 'Stops the main topology, by default after a checkpoint.',
  access: 'operator',
  limit: 'configuration',
  status: 202,
  audit: ({ force, saveState }) => ({ force, save_state: saveState }),
  async handle(input, { deployment, account }) {
    const { state } = deployment.main.status();
    if (state === 'stopped' || state === 'stopping') {
      throw new ApiError('RESOURCE_CONFLICT', `The system is ${state} already`);
    }
    return begin(deployment, 'stop', () => deployment.main.stop(input), account?.name, {});
  },
  a: formView({
    body: Type.Object(
      { force: Type.Optional(Type.Boolean()), save_state: Type.Optional(Type.Boolean()) },
      closed,
    ),
    response: StopASchema,
    read: ({ body }) => ({ force: body.force ?? false, saveState: body.save_state ?? true }),
    render: (accepted) => ({
      data: {
        status: accepted.status,
        estimated_stop_time: isoTime(accepted.at + accepted.estimateSeconds * 1e6),
        shutdown_steps: stepBodies(accepted.steps),
      },
    }),
  }),
  b: formView({
    response: StopBSchema,
    read: () => ({ force: false, saveState: true }),
    render: (accepted) => ({
      data: {
        status: accepted.status,
        session_id: accepted.sessionId,
        shutdown_initiated: isoTime(accepted.at),
      },
    }),
  }),
});

export const systemEndpoints = [status, start, stop];

function checkEnvironment({ environment_id: id, domain }: StartInput, { main }: Deployment): void {
  const known = main.topology.environments.map((environment) => environment.id);
  if (id !== undefined && !known.includes(id)) {
    const message = `The topology ${main.topology.id} senses ${known.join(', ')}`;
    throw new ApiError('VALIDATION_ERROR', message, {
      details: { fields: [{ field: 'configuration.environment_id', message, received: id }] },
    });
  }
  if (domain !== undefined && domain !== 'general' && domain !== 'healthcare') {
    const message = 'A domain is general or healthcare';
    throw new ApiError('VALIDATION_ERROR', message, {
      details: { fields: [{ field: 'configuration.domain', message, received: domain }] },
    });
  }
}

/** Usual length of an action until it has been measured once, seconds. */
const FIRST_ESTIMATE = { start: 3, stop: 2 } as const;
const measured = new WeakMap<Deployment, Record<'start' | 'stop', number>>();

/** Begins an action without waiting for its end, which shows in the status; its failure does too, and in the log. */
function begin(
  deployment: Deployment,
  action: 'start' | 'stop',
  run: () => Promise<void>,
  by: string | undefined,
  applied: object,
): Accepted {
  const at = deployment.clock.now();
  const estimates = measured.get(deployment) ?? { ...FIRST_ESTIMATE };
  measured.set(deployment, estimates);
  deployment.log.info(`${action} asked for`, { account: by ?? null });
  run().then(
    () => {
      estimates[action] = (deployment.clock.now() - at) / 1e6;
    },
    (error: unknown) => {
      deployment.log.error(`${action} failed`, {
        reason: error instanceof Error ? error.message : String(error),
      });
    },
  );
  const after: TopologyStatus = deployment.main.status();
  return {
    status: after.state,
    sessionId: after.sessionId,
    at,
    estimateSeconds: Math.round(estimates[action] * 10) / 10,
    steps: after.steps,
    applied,
  };
}
