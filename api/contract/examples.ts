/** For each link of the demo. */
const SUBCARRIERS = 52;

/** Example bodies for calls of the contract, by operation and form; tests check them against the schemas. */
export const EXAMPLES: Readonly<Record<string, { readonly a?: object; readonly b?: object }>> = {
  'POST /auth/token': both({ username: 'ada', password: 'a long one' }),
  'POST /auth/api-keys': { b: { name: 'grafana', role: 'viewer', expires_at: '2099-01-01T00:00:00Z' } },
  'POST /pose/query': both({
    query: {
      time_range: { start: '2026-03-01T00:00:00Z', end: '2026-03-08T00:00:00Z' },
      filters: {
        person_count: { min: 1, max: 5 },
        confidence: { min: 0.5 },
        activity: ['walking', 'standing'],
      },
      aggregation: { type: 'hourly_summary', metrics: ['person_count', 'avg_confidence'] },
    },
  }),
  'POST /pose/process': {
    b: {
      csi_data: {
        timestamp: '2026-03-01T12:00:00.020Z',
        antenna_data: [twoPaths(SUBCARRIERS)],
        metadata: { router_id: 'node-1', sampling_rate: 50, signal_strength: -48 },
      },
      processing_options: {
        confidence_threshold: 0.3,
        max_persons: 4,
        enable_tracking: true,
        return_dense_pose: false,
      },
    },
  },
  'POST /system/start': {
    a: { configuration: { domain: 'healthcare', calibration_required: false } },
    b: {
      configuration: {
        domain: 'healthcare',
        detection_settings: { confidence_threshold: 0.5, max_persons: 5, enable_tracking: true },
      },
    },
  },
  'POST /system/stop': both({ force: false, save_state: true }),
  'PUT /config': {
    a: { detection: { confidence_threshold: 0.5 }, alerts: { fall_detection: { enabled: true } } },
    b: { detection: { confidence_threshold: 0.5 }, analytics: { enable_fall_detection: true } },
  },
  'POST /webhooks': {
    b: { url: 'https://alarms.example/csiflow', events: ['fall_detection'], secret: 'at least 16 letters' },
  },
};

function both(body: object): { readonly a: object; readonly b: object } {
  return { a: body, b: body };
}

/** The reception of an antenna over a straight path and a weaker, longer one: a value for each subcarrier. */
function twoPaths(subcarriers: number): readonly { readonly real: number; readonly imag: number }[] {
  const turns = (delay: number, subcarrier: number) => (-2 * Math.PI * delay * subcarrier) / subcarriers;
  const tenth = (value: number) => Math.round(value * 10) / 10;
  return Array.from({ length: subcarriers }, (_, k) => ({
    real: tenth(20 * Math.cos(turns(1, k)) + 6 * Math.cos(turns(3, k))),
    imag: tenth(20 * Math.sin(turns(1, k)) + 6 * Math.sin(turns(3, k))),
  }));
}
