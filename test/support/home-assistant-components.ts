/** Components that feed every entity of Home Assistant. */
export const HOME_ASSISTANT_COMPONENTS: readonly string[] = [
  'detect-motion',
  'track-persons',
  'detect-falls',
  'estimate-vitals',
  'watch-zones',
  'detect-activity',
  'detect-inactivity',
  'measure-links',
];
