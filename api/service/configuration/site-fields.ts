import { Type } from 'typebox';
import { DOMAINS, DEFAULT_DOMAIN, type Domain } from '../../../pipeline/model/index.js';
import { always, NO_FACTS, type Field } from './field.js';
import { both } from './field-views.js';

const ENVIRONMENT = 'The environment of calls without an `environment_id`.';

export const domain: Field = {
  name: 'domain',
  views: both(
    'domain',
    Type.Enum(Object.keys(DOMAINS), {
      description: 'What the deployment is for: it decides what alerts ask people to do.',
    }),
  ),
  absent: DEFAULT_DOMAIN,
  missing: always,
  read: ({ topology }) => topology.settings.domain ?? DEFAULT_DOMAIN,
  write: (value) => ({ settings: { domain: value as Domain } }),
};

export const environment: Field = {
  name: 'environment_id',
  views: {
    a: { path: 'environment.id', schema: Type.String({ description: ENVIRONMENT }) },
    b: { path: 'environment_id', schema: Type.String({ description: ENVIRONMENT }) },
  },
  absent: '',
  missing: always,
  isImmediate: () => true,
  bounds: ({ environments }) => ({ enum: environments.map(({ id }) => id) }),
  read: ({ topology, own }) => {
    const ids = topology.environments.map(({ id }) => id);
    const chosen = own.get('environment_id');
    return ids.find((id) => id === chosen) ?? ids[0]!;
  },
  refuse: (value, { environments, id }) =>
    environments.some((one) => one.id === value)
      ? null
      : `the topology ${id} senses ${environments.map((one) => one.id).join(', ')}`,
};

export const environmentName: Field = {
  name: 'environment.name',
  views: {
    a: {
      path: 'environment.name',
      schema: Type.String({
        minLength: 1,
        maxLength: 128,
        description: "The environment's display name.",
      }),
    },
  },
  absent: '',
  missing: always,
  read: ({ topology, own }) => {
    const id = environment.read({ topology, own, facts: NO_FACTS });
    const found = topology.environments.find((one) => one.id === id)!;
    return found.name ?? found.id;
  },
  fixed: ({ environments }) =>
    environments.length === 1 ? null : "is set in the environment's file, because there are several",
  write: (value, { environments }) => ({ names: new Map([[environments[0]!.id, String(value)]]) }),
};

export const calibration: Field = {
  name: 'environment.calibration_timestamp',
  views: {
    a: {
      path: 'environment.calibration_timestamp',
      schema: Type.String({
        format: 'date-time',
        description: 'When the empty room was measured; 1970 if it was not. Cannot be set.',
      }),
    },
  },
  absent: new Date(0).toISOString(),
  missing: always,
  read: ({ facts }) => facts.calibratedAt,
  fixed: () => 'is the time of the calibration: measure the empty room again with csiflow calibrate',
};
