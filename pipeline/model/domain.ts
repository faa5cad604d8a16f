/** What a deployment is for. It decides what alerts ask people to do. */
export const DOMAINS = {
  healthcare: 'People who have fallen or do not move need medical help.',
  general: 'People are notified.',
  retail: 'People are notified.',
  security: 'Intruders and crowds are a matter for security.',
} as const;

export type Domain = keyof typeof DOMAINS;

/** If the topology does not set one. */
export const DEFAULT_DOMAIN: Domain = 'healthcare';
