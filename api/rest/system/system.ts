import { Type } from 'typebox';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { LifecycleState, Step, TopologyStatus } from '../../../pipeline/runtime/status.js';
import { uncalibrated } from '../../service/configuration/calibrated.js';
import type { Field, Value } from '../../service/configuration/field.js';
import { FIELDS } from '../../service/configuration/fields.js';
import { startBody, startConfigurations, startFields, startPathOf } from '../../contract/start.js';
import { at } from '../../contract/configuration.js';
import { endpointsWith, formView, type Call } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import type { Form } from '../../service/form.js';
import {
  StartASchema,
  StartBSchema,
  StatusASchema,
  StatusBSchema,
  statusA,
  statusB,
  stepBodies,
  StopASchema,
  StepsSchema,
  StopBSchema,
  RestartSchema,
  type SystemFacts,
} from '../../contract/system.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import type { Action } from '../../service/deployment/lifecycle-times.js';
import { storesOf } from '../../service/figures/stores.js';
import { requireEffect, setFields } from '../configuration/configuration-changes.js';
import { conflict } from '../topologies/topology-of.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import type { Role } from '../../../pipeline/component/index.js';
import { nodesAs } from '../../service/configuration/answering.js';

type Parts = 'main' | 'clock' | 'version' | 'probe' | 'log' | 'lifecycle' | 'configuration';

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;

const status = endpoint<null, SystemFacts>({
  method: 'GET',
  path: '/system/status',
  summary: 'State of the system and figures of its parts.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async (_input, { deployment }) => systemFacts(deployment),
  a: formView({ response: StatusASchema, read: () => null, render: (facts) => ({ data: statusA(facts) }) }),
  b: formView({ response: StatusBSchema, read: () => null, render: (facts) => ({ data: statusB(facts) }) }),
});

/** Current measurements of the system. */
export async function systemFacts({
  version,
  clock,
  main,
  probe,
}: Pick<Deployment, 'version' | 'clock' | 'main' | 'probe'>): Promise<SystemFacts> {
  const resources = await probe.resources();
  const status = main.status();
  const traffic = probe.traffic(status);
  const idsAs = (role: Role) => nodesAs(main.topology, role).map(({ id }) => id);
  return {
    version,
    now: clock.now(),
    status,
    stores: storesOf(main),
    networks: idsAs('pose-network'),
    trackers: idsAs('tracker'),
    resources,
    traffic,
  };
}

const steps = endpoint<null, TopologyStatus>({
  method: 'GET',
  path: '/system/steps',
  summary: 'Progress of the current or last start, stop or restart.',
  access: 'viewer',
  limit: 'health',
  status: 200,
  handle: async (_input, { deployment }) => deployment.main.status(),
  b: formView({
    response: StepsSchema,
    read: () => null,
    render: ({ state, sessionId, steps: all }) => ({
      data: { status: state, session_id: sessionId, steps: stepBodies(all) },
    }),
  }),
});

/** A control action that continues after its answer. */
interface Accepted {
  readonly status: LifecycleState;
  readonly sessionId: string;
  readonly at: number;
  /** Median of its last durations, seconds; 0 before the first. */
  readonly estimateSeconds: number;
  readonly steps: readonly Step[];
  readonly applied: object;
}

/** Configuration set by a start. */
interface StartInput {
  readonly fields: ReadonlyMap<Field, Value>;
  /** Reject the start in an uncalibrated room. */
  readonly calibrationRequired: boolean;
}

const configurations = startConfigurations(FIELDS);

const startBodyOf = (form: Form) =>
  Type.Object({ configuration: Type.Optional(configurations[form]) }, closed);

const readStart = (form: Form, body: { configuration?: object }): StartInput => ({
  fields: startFields(FIELDS, form, body.configuration ?? {}),
  calibrationRequired: at(body, ['configuration', 'calibration_required']) === true,
});

const start = endpoint<StartInput, Accepted>({
  method: 'POST',
  path: '/system/start',
  summary: 'Starts the main topology.',
  access: 'operator',
  limit: 'configuration',
  status: 202,
  audit: ({ fields, calibrationRequired }) => ({
    ...startBody(fields),
    ...(calibrationRequired && { calibration_required: true }),
  }),
  async handle({ fields, calibrationRequired }, call) {
    const { deployment } = call;
    const { state } = deployment.main.status();
    if (state !== 'stopped' && state !== 'failed')
      throw conflict(`The system is ${state}: it can only be started while it is stopped`, state);
    if (calibrationRequired) requireCalibration(deployment.main.topology);
    configureStart(fields, call);
    return begin(deployment, 'start', () => deployment.main.start(), startBody(fields));
  },
  a: formView({
    body: startBodyOf('a'),
    response: StartASchema,
    read: ({ body }) => readStart('a', body),
    render: (accepted) => ({
      data: {
        status: accepted.status,
        estimated_ready_time: isoTime(accepted.at + accepted.estimateSeconds * 1e6),
        initialization_steps: stepBodies(accepted.steps),
      },
    }),
  }),
  b: formView({
    body: startBodyOf('b'),
    response: StartBSchema,
    read: ({ body }) => readStart('b', body),
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

const stop = endpoint<StopInput, Accepted>({
  method: 'POST',
  path: '/system/stop',
  summary: 'Stops the main topology, by default after a checkpoint.',
  access: 'operator',
  limit: 'configuration',
  status: 202,
  audit: ({ force, saveState }) => ({ force, save_state: saveState }),
  async handle(input, { deployment }) {
    const { state } = deployment.main.status();
    // A caller can force a stop that takes too long.
    if (state === 'stopped' || (state === 'stopping' && !input.force))
      throw conflict(`The system is already ${state}`, state);
    return begin(deployment, 'stop', () => deployment.main.stop(input), {});
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

const restart = endpoint<null, Accepted & { readonly previous: string }>({
  method: 'POST',
  path: '/system/restart',
  summary: 'Stops the main topology after a checkpoint, and restarts it from there.',
  access: 'operator',
  limit: 'configuration',
  status: 202,
  async handle(_input, { deployment }) {
    const { state, sessionId: previous } = deployment.main.status();
    if (state !== 'running' && state !== 'degraded' && state !== 'failed')
      throw conflict(`The system is ${state}: it can only be restarted while it is running`, state);
    return { ...begin(deployment, 'restart', () => deployment.main.restart(), {}), previous };
  },
  b: formView({
    response: RestartSchema,
    read: () => null,
    render: (accepted) => ({
      data: {
        status: accepted.status,
        previous_session_id: accepted.previous,
        new_session_id: accepted.sessionId,
        estimated_restart_time: accepted.estimateSeconds,
      },
    }),
  }),
});

export const systemEndpoints = [status, steps, start, stop, restart];

/** @throws ApiError 422 with a node that has no calibration for any of its links. */
function requireCalibration(topology: CheckedTopology): void {
  const without = uncalibrated(topology);
  if (without === null) return;
  const message = `${without}: measure the empty room with \`csiflow calibrate\` and set the node's field \`calibration\` to its file, or start without this check`;
  throw new ApiError('VALIDATION_ERROR', message, {
    details: { fields: [{ field: 'configuration.calibration_required', message, received: true }] },
  });
}

/**
 * The right to start includes the right to set the fields of a start. @throws ApiError 422 like a change of
 * the configuration
 */
function configureStart(fields: ReadonlyMap<Field, Value>, call: Call<Parts>): void {
  const { configuration } = call.deployment;
  if (!configuration.differs(fields)) return;
  requireEffect(configuration, fields, startPathOf);
  setFields(configuration, fields, call, startPathOf);
}

/** Begins an action without waiting for its end. The status shows its end; the status and the log show its failure. */
function begin(
  deployment: Pick<Deployment, Parts>,
  action: Action,
  run: () => Promise<void>,
  applied: object,
): Accepted {
  const at = deployment.clock.now();
  run().catch((error: unknown) => {
    deployment.log.error(`${action} failed`, {
      reason: errorText(error),
    });
  });
  const after: TopologyStatus = deployment.main.status();
  return {
    status: after.state,
    sessionId: after.sessionId,
    at,
    estimateSeconds: deployment.lifecycle.estimate(action),
    steps: after.steps,
    applied,
  };
}
