/**
 * Shapes of the contract's bodies, taken from the document, not from the schemas of the code. An object has
 * all of its fields and no other; a name with `?` is optional.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'timestamp'
  | 'date'
  | 'share'
  | 'object'
  | 'base64'
  | readonly [Shape]
  | readonly ['or null', Shape]
  | readonly ['pair of', Shape]
  | readonly ['map of', Shape]
  | { readonly [field: string]: Shape };

const SIMPLE: Readonly<Record<Extract<Shape, string>, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  timestamp: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  date: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
  share: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  base64: (value) => typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
};

/** All mismatches, with their locations; empty if there are none. */
export function misfits(value: unknown, shape: Shape, at = 'body'): readonly string[] {
  if (typeof shape === 'string') return SIMPLE[shape](value) ? [] : [`${at} is no ${shape}: ${shown(value)}`];
  if (isList(shape)) return ofList(value, shape, at);
  if (!SIMPLE.object(value)) return [`${at} is no object: ${shown(value)}`];
  const fields = value as Readonly<Record<string, unknown>>;
  const known = new Map(Object.entries(shape).map(([name, inner]) => [name.replace(/\?$/, ''), inner]));
  const missing = Object.keys(shape).filter((name) => !name.endsWith('?') && !(name in fields));
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...Object.entries(fields).flatMap(([name, inner]) => {
      const wanted = known.get(name);
      return wanted === undefined
        ? [`${at}.${name} is not in the contract`]
        : misfits(inner, wanted, `${at}.${name}`);
    }),
  ];
}

const shown = (value: unknown): string =>
  ((JSON.stringify(value) as string | undefined) ?? 'undefined').slice(0, 100);

const isList = (
  shape: Shape,
): shape is readonly [Shape] | readonly ['or null' | 'map of' | 'pair of', Shape] => Array.isArray(shape);

function ofList(
  value: unknown,
  shape: readonly [Shape] | readonly ['or null' | 'map of' | 'pair of', Shape],
  at: string,
): readonly string[] {
  if (shape.length === 1) {
    if (!Array.isArray(value)) return [`${at} is no list: ${shown(value)}`];
    return value.flatMap((item, index) => misfits(item, shape[0], `${at}[${index}]`));
  }
  const [kind, inner] = shape;
  if (kind === 'or null') return value === null ? [] : misfits(value, inner, at);
  if (kind === 'pair of') {
    const pair = Array.isArray(value) && value.length === 2 ? (value as readonly unknown[]) : null;
    return pair ? pair.flatMap((item) => misfits(item, inner, at)) : [`${at} is no pair: ${shown(value)}`];
  }
  if (!SIMPLE.object(value)) return [`${at} is no object`];
  return Object.entries(value as object).flatMap(([name, item]) => misfits(item, inner, `${at}.${name}`));
}

export const KEYPOINT: Shape = {
  name: 'string',
  x: 'number',
  y: 'number',
  confidence: 'share',
  visible: 'boolean',
};
const BOX: Shape = { x: 'number', y: 'number', width: 'number', height: 'number' };

/** History has no dense pose. */
const PAST_PERSON_A = {
  id: 'integer',
  confidence: 'share',
  bounding_box: BOX,
  keypoints: [KEYPOINT],
  tracking_info: { track_id: 'string', track_age: 'integer', velocity: { x: 'number', y: 'number' } },
} as const satisfies Shape;

export const PERSON_A = {
  ...PAST_PERSON_A,
  dense_pose: {
    body_parts: [
      {
        part_id: 'integer',
        part_name: 'string',
        uv_coordinates: [['pair of', 'number']],
        confidence: 'share',
      },
    ],
  },
} as const satisfies Shape;

export const FRAME_A = {
  timestamp: 'timestamp',
  frame_id: 'integer',
  processing_time_ms: 'number',
  persons: [PERSON_A],
  metadata: {
    environment_id: 'string',
    router_count: 'integer',
    signal_quality: 'number',
    processing_pipeline: 'string',
  },
} as const satisfies Shape;

export const PERSON_B = {
  person_id: 'integer',
  track_id: 'integer',
  confidence: 'share',
  bounding_box: BOX,
  keypoints: [KEYPOINT],
  dense_pose: { iuv_image: 'base64', confidence_map: 'base64' },
} as const satisfies Shape;

export const FRAME_B = {
  timestamp: 'timestamp',
  frame_id: 'integer',
  environment_id: 'string',
  processing_time_ms: 'number',
  persons: [PERSON_B],
  metadata: { model_version: 'string', processing_mode: 'string', csi_quality: 'number' },
} as const satisfies Shape;

export const HISTORY_A: Shape = {
  poses: [{ timestamp: 'timestamp', persons: [PAST_PERSON_A], metadata: FRAME_A.metadata }],
  pagination: {
    total_count: 'integer',
    returned_count: 'integer',
    has_more: 'boolean',
    next_cursor: ['or null', 'string'],
  },
};

const PAGES: Shape = {
  page: 'integer',
  per_page: 'integer',
  total: 'integer',
  total_pages: 'integer',
  has_next: 'boolean',
  has_prev: 'boolean',
};

/** Body of Form B around a payload. */
export const enveloped = (data: Shape, paged = false): Shape => ({
  success: 'boolean',
  data,
  ...(paged && { pagination: PAGES }),
  timestamp: 'timestamp',
  request_id: 'string',
});

export const RECORD_B: Shape = {
  timestamp: 'timestamp',
  frame_id: 'integer',
  person_id: 'integer',
  track_id: 'integer',
  confidence: 'share',
  bounding_box: BOX,
  keypoints: [KEYPOINT],
};

export const TRACK: Shape = {
  track_id: 'integer',
  person_id: 'integer',
  first_seen: 'timestamp',
  last_seen: 'timestamp',
  duration_seconds: 'number',
  total_frames: 'integer',
  average_confidence: 'number',
  status: 'string',
  'trajectory?': [{ timestamp: 'timestamp', center_x: 'number', center_y: 'number', confidence: 'number' }],
  statistics: {
    movement_distance: 'number',
    average_speed: 'number',
    time_stationary: 'number',
    time_moving: 'number',
  },
};

export const STATUS_A = {
  status: 'string',
  uptime_seconds: 'integer',
  version: 'string',
  components: {
    csi_receiver: {
      status: 'string',
      data_rate_hz: 'number',
      packet_loss_rate: 'number',
      last_packet_time: 'timestamp',
    },
    neural_network: {
      status: 'string',
      model_loaded: 'boolean',
      inference_time_ms: 'number',
      gpu_utilization: 'share',
    },
    tracking: { status: 'string', active_tracks: 'integer', track_quality: 'number' },
  },
  hardware: {
    cpu_usage: 'share',
    memory_usage: 'share',
    gpu_memory_usage: 'share',
    disk_usage: 'share',
  },
  network: { connected_routers: 'integer', signal_strength: 'number', interference_level: 'number' },
} as const satisfies Shape;

export const STATUS_B = {
  status: 'string',
  session_id: 'string',
  uptime_seconds: 'integer',
  started_at: 'timestamp',
  performance: {
    frames_processed: 'integer',
    average_fps: 'number',
    average_latency_ms: 'number',
    cpu_usage: 'number',
    memory_usage: 'number',
    gpu_usage: 'number',
  },
  components: {
    csi_processor: { status: 'string', last_heartbeat: 'timestamp' },
    neural_network: { status: 'string', model_loaded: 'boolean', inference_queue_size: 'integer' },
    tracker: { status: 'string', active_tracks: 'integer' },
    database: { status: 'string', connection_pool: 'string' },
  },
} as const satisfies Shape;

export const CONFIG_A = {
  domain: 'string',
  environment: { id: 'string', name: 'string', calibration_timestamp: ['or null', 'timestamp'] },
  detection: { confidence_threshold: 'share', max_persons: 'integer', tracking_enabled: 'boolean' },
  alerts: {
    fall_detection: { enabled: 'boolean', sensitivity: 'number', notification_delay_seconds: 'number' },
    inactivity_detection: { enabled: 'boolean', threshold_minutes: 'number' },
  },
  streaming: { restream_enabled: 'boolean', websocket_enabled: 'boolean', mqtt_enabled: 'boolean' },
} as const satisfies Shape;

export const CONFIG_B = {
  domain: 'string',
  environment_id: 'string',
  detection: {
    confidence_threshold: 'share',
    max_persons: 'integer',
    enable_tracking: 'boolean',
    tracking_max_age: 'integer',
    tracking_min_hits: 'integer',
  },
  neural_network: {
    model_version: 'string',
    batch_size: 'integer',
    enable_gpu: 'boolean',
    inference_timeout: 'integer',
  },
  hardware: {
    csi_sampling_rate: 'number',
    buffer_size: 'integer',
    antenna_count: 'integer',
    subcarrier_count: 'integer',
  },
  analytics: {
    enable_fall_detection: 'boolean',
    enable_activity_recognition: 'boolean',
    alert_thresholds: { fall_confidence: 'number', inactivity_timeout: 'number' },
  },
  privacy: { data_retention_days: 'integer', anonymize_data: 'boolean', enable_encryption: 'boolean' },
} as const satisfies Shape;

const STEPS: Shape = [{ step: 'string', status: 'string', progress: 'share' }];

export const START_A: Shape = {
  status: 'string',
  estimated_ready_time: 'timestamp',
  initialization_steps: STEPS,
};
export const START_B: Shape = {
  status: 'string',
  session_id: 'string',
  estimated_startup_time: 'number',
  configuration_applied: 'object',
};
export const STOP_A: Shape = { status: 'string', estimated_stop_time: 'timestamp', shutdown_steps: STEPS };
export const STOP_B: Shape = { status: 'string', session_id: 'string', shutdown_initiated: 'timestamp' };
export const RESTART: Shape = {
  status: 'string',
  previous_session_id: 'string',
  new_session_id: 'string',
  estimated_restart_time: 'number',
};

export const EVENT: Shape = {
  event_id: 'string',
  type: 'string',
  severity: 'string',
  timestamp: 'timestamp',
  environment_id: 'string',
  person_id: ['or null', 'integer'],
  track_id: ['or null', 'integer'],
  confidence: 'share',
  location: { x: 'number', y: 'number' },
  metadata: { fall_duration: 'number', impact_severity: 'number', recovery_detected: 'boolean' },
  actions_taken: ['string'],
};

export const OCCUPANCY: Shape = {
  summary: {
    average_occupancy: 'number',
    peak_occupancy: 'integer',
    peak_time: 'timestamp',
    total_person_hours: 'number',
  },
  time_series: [{ timestamp: 'timestamp', occupancy: 'integer', confidence: 'number' }],
  distribution: {
    '0_persons': 'number',
    '1_person': 'number',
    '2_persons': 'number',
    '3_persons': 'number',
    '4_plus_persons': 'number',
  },
};

const domain = (metrics: Shape): Shape => ({ period: 'string', date: 'date', metrics });

export const HEALTHCARE = domain({
  fall_events: {
    count: 'integer',
    events: [
      {
        timestamp: 'timestamp',
        person_id: 'integer',
        severity: 'string',
        response_time_seconds: 'number',
        location: { x: 'number', y: 'number' },
      },
    ],
  },
  activity_summary: {
    walking_minutes: 'number',
    sitting_minutes: 'number',
    lying_minutes: 'number',
    standing_minutes: 'number',
  },
  mobility_score: 'number',
  sleep_quality: {
    total_sleep_hours: 'number',
    sleep_efficiency: 'number',
    restlessness_events: 'integer',
  },
});

export const RETAIL = domain({
  traffic: {
    total_visitors: 'integer',
    unique_visitors: 'integer',
    peak_hour: 'string',
    peak_count: 'integer',
    average_dwell_time_minutes: 'number',
  },
  zones: [
    {
      zone_id: 'string',
      zone_name: 'string',
      visitor_count: 'integer',
      avg_dwell_time_minutes: 'number',
      conversion_rate: 'number',
    },
  ],
  conversion_funnel: {
    entrance: 'integer',
    product_interaction: 'integer',
    checkout_area: 'integer',
    purchase: 'integer',
  },
  heat_map: { high_traffic_areas: [{ zone: 'string', intensity: 'number' }] },
});

export const SECURITY = domain({
  intrusion_events: {
    count: 'integer',
    events: [
      {
        timestamp: 'timestamp',
        zone: 'string',
        person_count: 'integer',
        threat_level: 'string',
        response_time_seconds: 'number',
      },
    ],
  },
  perimeter_monitoring: {
    total_detections: 'integer',
    authorized_entries: 'integer',
    unauthorized_attempts: 'integer',
    false_positives: 'integer',
  },
  crowd_analysis: {
    max_occupancy: 'integer',
    average_occupancy: 'number',
    crowd_formation_events: 'integer',
  },
});

export const SUMMARY: Shape = {
  time_period: { start: 'timestamp', end: 'timestamp', duration_hours: 'number' },
  detection_stats: {
    total_detections: 'integer',
    unique_persons: 'integer',
    average_confidence: 'number',
    peak_occupancy: 'integer',
    peak_occupancy_time: 'timestamp',
  },
  activity_stats: {
    total_movement_events: 'integer',
    fall_detections: 'integer',
    alert_count: 'integer',
    average_activity_level: 'number',
  },
  system_stats: {
    uptime_percentage: 'number',
    average_processing_time: 'number',
    frames_processed: 'integer',
    error_count: 'integer',
  },
  hourly_breakdown: [
    { hour: 'timestamp', detections: 'integer', unique_persons: 'integer', average_confidence: 'number' },
  ],
};

export const QUERY: Shape = {
  results: [
    {
      timestamp: 'timestamp',
      'person_count?': 'number',
      'avg_confidence?': 'number',
      activities: ['map of', 'share'],
    },
  ],
  query_metadata: { execution_time_ms: 'number', total_records_scanned: 'integer', cache_hit: 'boolean' },
};

export const HEALTH: Shape = {
  status: 'string',
  timestamp: 'timestamp',
  version: 'string',
  uptime: 'number',
};

export const HEALTH_DETAILED: Shape = {
  overall_status: 'string',
  timestamp: 'timestamp',
  version: 'string',
  uptime: 'number',
  components: {
    api: { status: 'string', response_time_ms: 'number', requests_per_second: 'number' },
    database: { status: 'string', connection_pool: 'string', query_time_ms: 'number' },
    cache: { status: 'string', memory_usage: 'string', connected_clients: 'integer' },
    neural_network: {
      status: 'string',
      model_loaded: 'boolean',
      gpu_memory_usage: 'string',
      inference_queue: 'integer',
    },
    csi_processor: { status: 'string', data_rate: 'number', buffer_usage: 'string' },
  },
  metrics: {
    cpu_usage: 'number',
    memory_usage: 'number',
    disk_usage: 'number',
    network_io: { bytes_in: 'number', bytes_out: 'number' },
  },
};

export const METRICS: Shape = {
  current: {
    timestamp: 'timestamp',
    performance: {
      frames_per_second: 'number',
      average_latency_ms: 'number',
      processing_queue_size: 'integer',
      error_rate: 'number',
    },
    resources: {
      cpu_usage: 'number',
      memory_usage: 'number',
      gpu_usage: 'number',
      disk_io: { read_mb_per_sec: 'number', write_mb_per_sec: 'number' },
    },
    business: { active_persons: 'integer', detections_per_minute: 'number', tracking_accuracy: 'number' },
  },
  historical: [
    {
      timestamp: 'timestamp',
      frames_per_second: 'number',
      average_latency_ms: 'number',
      cpu_usage: 'number',
    },
  ],
};

export const ERROR_A: Shape = {
  error: {
    code: 'string',
    message: 'string',
    details: 'object',
    timestamp: 'timestamp',
    request_id: 'string',
  },
};

export const ERROR_B = {
  success: 'boolean',
  error: { code: 'string', message: 'string', details: 'object' },
  timestamp: 'timestamp',
  request_id: 'string',
} as const satisfies Shape;
