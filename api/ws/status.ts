import { isoTime } from '../../pipeline/base/iso-time.js';
import type { Deployment } from '../service/deployment/deployment.js';

/** The state of the main topology, as the WebSocket sends it. */
export async function statusMessage({ main, probe, clock }: Deployment): Promise<object> {
  const { gpu } = await probe.resources();
  const { posesPerSecond, activeTracks } = probe.traffic();
  const { state } = main.status();
  return {
    type: 'system_status',
    timestamp: isoTime(clock.now()),
    status: {
      processing_fps: posesPerSecond,
      active_persons: activeTracks,
      system_health: state === 'running' ? 'good' : state,
      gpu_utilization: gpu,
    },
  };
}
