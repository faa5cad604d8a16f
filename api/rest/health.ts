import { Type } from 'typebox';
import { defineEndpoint, formView } from '../contract/endpoint.js';

interface Health {
  readonly status: string;
  readonly timestamp: string;
  readonly version: string;
  readonly uptime: number;
}

const HEALTH_OF = { running: 'healthy', degraded: 'degraded', failed: 'unhealthy' } as const;

/** 4.6, the plain one: open to everybody. */
export const healthEndpoints = [
  defineEndpoint<null, Health>({
    method: 'GET',
    path: '/health',
    summary: 'Whether the service answers, without credentials.',
    access: 'open',
    limit: 'health',
    status: 200,
    bare: true,
    async handle(_input, { deployment }) {
      const { state } = deployment.main.status();
      return {
        status: state in HEALTH_OF ? HEALTH_OF[state as keyof typeof HEALTH_OF] : state,
        timestamp: new Date(deployment.clock.now() / 1000).toISOString(),
        version: deployment.version,
        uptime: Math.floor(process.uptime()),
      };
    },
    b: formView({
      response: Type.Object(
        {
          status: Type.String(),
          timestamp: Type.String({ format: 'date-time' }),
          version: Type.String(),
          uptime: Type.Number(),
        },
        { additionalProperties: false },
      ),
      read: () => null,
      render: (health) => ({ data: health }),
    }),
  }),
];
