import { expect } from 'vitest';
import type { Rows } from '../contract.js';
import { latest } from '../service.js';
import { CONFIG_A, CONFIG_B, enveloped, FRAME_A, FRAME_B, KEYPOINT, PERSON_A, STATUS_A } from '../shapes.js';

/** Fields of the resources. */
export function resources({ service, rows }: Rows): void {
  rows('2.1', Object.keys(KEYPOINT), async (field) => {
    const keypoint = (await latest(service(), 'a'))
      .fits([KEYPOINT], 'persons.0.keypoints')
      .at('persons.0.keypoints.0');
    expect(keypoint).toHaveProperty(field);
  });

  const fieldsA = new Set([...Object.keys(FRAME_A), ...Object.keys(PERSON_A)]);
  rows('2.3', [...fieldsA], async (field) => {
    const frame = (await latest(service(), 'a')).fits(FRAME_A);
    expect({ ...(frame.at('persons.0') as object), ...(frame.body as object) }).toHaveProperty(field);
  });
  rows('2.3b', Object.keys(FRAME_B), async (field) => {
    expect((await latest(service(), 'b')).fits(enveloped(FRAME_B)).at('data')).toHaveProperty(field);
  });

  const partsA = [
    ...['status', 'uptime_seconds', 'version'],
    ...['components.csi_receiver', 'components.neural_network', 'components.tracking', 'hardware', 'network'],
  ];
  rows('2.7', partsA, async (part) => {
    expect((await service().get('a', '/system/status')).fits(STATUS_A).at(part)).toBeDefined();
  });

  const parts = {
    a: [
      'domain',
      'environment',
      'detection',
      'alerts.fall_detection',
      'alerts.inactivity_detection',
      'streaming',
    ],
    b: ['domain', 'environment_id', 'detection', 'neural_network', 'hardware', 'analytics', 'privacy'],
  };
  rows('2.8', [...new Set([...parts.a, ...parts.b])], async (part) => {
    const a = (await service().get('a', '/config')).fits(CONFIG_A);
    const b = (await service().get('b', '/config')).fits(enveloped(CONFIG_B));
    expect([a.at(part) !== undefined, b.at(`data.${part}`) !== undefined]).toEqual([
      parts.a.includes(part),
      parts.b.includes(part),
    ]);
  });
}
