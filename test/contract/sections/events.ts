import { expect } from 'vitest';
import type { Rows } from '../contract.js';
import { misfits, PERSON_B, type Shape } from '../shapes.js';

/** The WebSocket. */
export function events({ service, row, rows }: Rows): void {
  row('6.1', 'connection_established', async () => {
    const socket = service().socket();
    const message = await socket.first('connection_established');
    const shape: Shape = {
      type: 'string',
      client_id: 'string',
      server_time: 'timestamp',
      supported_protocols: ['string'],
    };
    expect(misfits(message, shape)).toEqual([]);
    expect(message['supported_protocols']).toEqual(['pose_v1', 'alerts_v1']);
    socket.close();
  });
  rows('6.1', ['subscribe', 'subscription_confirmed'], async () => {
    const socket = service().socket();
    await socket.first('connection_established');
    const filters = {
      min_confidence: 0.1,
      person_ids: [1, 2],
      include_keypoints: false,
      include_dense_pose: true,
    };
    socket.send({ type: 'subscribe', channel: 'pose_updates', filters });
    const confirmed = await socket.first('subscription_confirmed');
    const shape: Shape = {
      type: 'string',
      channel: 'string',
      subscription_id: 'string',
      filters_applied: 'object',
    };
    expect(misfits(confirmed, shape)).toEqual([]);
    expect(confirmed).toMatchObject({ channel: 'pose_updates', filters_applied: filters });
    const of = { alert_types: ['fall_detection', 'intrusion'], severity: ['high', 'critical'] };
    socket.send({ type: 'subscribe', channel: 'alerts', filters: of });
    const alerts = await socket.first('subscription_confirmed', ({ channel }) => channel === 'alerts');
    expect(alerts['filters_applied']).toEqual(of);
    socket.send({ type: 'subscribe', channel: 'pose_updates', filters: { min_confidence: 2 } });
    expect(await socket.first('error')).toMatchObject({ code: 'VALIDATION_ERROR' });
    socket.close();
  });
  row('6.2', 'pose_update', async () => {
    const shape = (person: object): Shape => ({
      type: 'string',
      subscription_id: 'string',
      timestamp: 'timestamp',
      data: { frame_id: 'integer', persons: [person as Shape], metadata: 'object' },
    });
    const { dense_pose, ...person } = PERSON_B;
    const { keypoints, ...bare } = person;
    const updateFor = async (filters: object) => {
      const socket = service().socket();
      await socket.first('connection_established');
      socket.send({ type: 'subscribe', channel: 'pose_updates', filters });
      const wanted = (message: Readonly<Record<string, unknown>>) =>
        (message['data'] as { persons: readonly object[] }).persons.length > 0;
      const update = await socket.first('pose_update', wanted);
      const { subscription_id } = await socket.first('subscription_confirmed');
      expect(update['subscription_id']).toBe(subscription_id);
      socket.close();
      return update;
    };
    expect(misfits(await updateFor({}), shape(person))).toEqual([]);
    expect(misfits(await updateFor({ include_keypoints: false }), shape(bare))).toEqual([]);
    expect(
      misfits(await updateFor({ include_dense_pose: true }), shape({ ...bare, keypoints, dense_pose })),
    ).toEqual([]);
  });
  row('6.2', 'system_status', async () => {
    const socket = service().socket();
    await socket.first('connection_established');
    socket.send({ type: 'subscribe', channel: 'system_status' });
    const shape: Shape = {
      type: 'string',
      timestamp: 'timestamp',
      status: {
        processing_fps: 'number',
        active_persons: 'integer',
        system_health: 'string',
        gpu_utilization: 'number',
      },
    };
    expect(misfits(await socket.first('system_status'), shape)).toEqual([]);
    socket.close();
  });
  row('6.2', 'alert', async () => {
    const socket = service().socket();
    await socket.first('connection_established');
    const alert_types = ['zone_entered', 'zone_left', 'activity_changed'];
    socket.send({ type: 'subscribe', channel: 'alerts', filters: { alert_types } });
    const shape: Shape = {
      type: 'string',
      alert_id: 'string',
      timestamp: 'timestamp',
      alert_type: 'string',
      severity: 'string',
      data: {
        person_id: ['or null', 'integer'],
        location: { x: 'number', y: 'number' },
        confidence: 'number',
        video_clip_url: 'string',
      },
      actions_required: ['string'],
    };
    expect(misfits(await socket.first('alert'), shape)).toEqual([]);
    socket.close();
  });
}
