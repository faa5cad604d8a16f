import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { Rows } from '../contract.js';

/** Credentials and roles: the promises of the interface's prose. */
export function credentials({ service, row }: Rows): void {
  const ada = { username: 'bob', password: 'by another name' };
  const tokenOf = async (): Promise<string> => {
    await service().post('b', '/auth/users', { name: ada.username, password: ada.password, role: 'viewer' });
    const answer = await service().post('a', '/auth/token', ada, { as: 'nobody' });
    return answer.at('access_token') as string;
  };

  row('5', 'credentials', async () => {
    const token = await tokenOf();
    for (const form of ['a', 'b'] as const) {
      const status = async (headers: Record<string, string>) =>
        (await service().get(form, '/system/status', { as: 'nobody', headers })).status;
      expect(await status({ Authorization: `Bearer ${token}` })).toBe(200);
      expect(await status({ Authorization: `Bearer ${token.slice(0, -9)}` })).toBe(401);
      expect(await status({ 'X-API-Key': 'made up' })).toBe(401);
      expect(await status({})).toBe(401);
      expect((await service().get(form, '/system/status', { as: 'viewer' })).status).toBe(200);
      expect((await service().get(form, '/health', { as: 'nobody' })).status).toBe(200);
    }
    const url = `${service().address.replace('http', 'ws')}/ws/pose`;
    for (const socket of [
      new WebSocket(`${url}?token=${token}`),
      new WebSocket(url, { headers: { Authorization: `Bearer ${token}` } }),
    ]) {
      const [message] = (await once(socket, 'message')) as [Buffer];
      expect(JSON.parse(message.toString())).toMatchObject({ type: 'connection_established' });
      socket.close();
    }
    const [refused] = (await once(new WebSocket(`${url}?token=none`), 'error')) as [Error];
    expect(refused.message).toContain('401');
  });

  row('9', 'versions', async () => {
    const version = (await service().get('b', '/health', { as: 'nobody' })).at('version');
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect((await service().get('a', '/system/status')).at('version')).toBe(version);
    const model = (await service().get('b', '/config')).at('data.neural_network.model_version') as string;
    const latest = await service().get('b', '/pose/latest');
    expect(latest.at('data.metadata.model_version')).toContain(model);
  });
}
