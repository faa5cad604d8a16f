import { expect, test } from 'vitest';
import { receivedBy } from '../../api/cli/receiver-options.js';
import { howCalibrated, type Plan } from '../../bench/accuracy/chain/plan.js';

test('the options are settings of the simulator, which tables name', () => {
  expect(receivedBy({}, [])).toBeUndefined();
  const received = receivedBy({ device: 'nexmon', rate: 20, snr: [20, 25], echo: 10 }, []);
  expect(received).toEqual({ device: 'nexmon', rate_hz: 20, snr_db: [20, 25], echo_db: 10 });
  const plan = { topology: { nodes: [] }, received } as unknown as Plan;
  expect(howCalibrated(plan)).toBe(
    'not calibrated, with receivers like nexmon, with 20 frames a second of each link, with an SNR of 20 to 25 dB, with echoes 10 dB stronger',
  );
});

test('tables say that a person walked for the calibration, and reports are never made so', () => {
  const component = { name: 'infer-pose' };
  const nodes = [{ component, config: { calibration: 'room.json' } }];
  const plan = { topology: { nodes }, walker: true } as unknown as Plan;
  expect(howCalibrated(plan)).toBe('calibrated, also with one who walks');
  expect(receivedBy({ walker: true }, [])).toBeUndefined();
  expect(() => receivedBy({ walker: true, out: 'reports' }, [])).toThrow(/leave out --walker/);
  expect(() => receivedBy({ walker: true, rate: 20 }, ['foreign'])).toThrow(/leave out --rate and --walker/);
});

test('weaker echoes are called so', () => {
  const plan = { topology: { nodes: [] }, received: receivedBy({ echo: -6 }, []) } as unknown as Plan;
  expect(howCalibrated(plan)).toBe('not calibrated, with echoes 6 dB weaker');
});
