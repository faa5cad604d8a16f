/** What a deployment is for. It decides what people are asked to do about an alert. */
export const DOMAINS = {
  healthcare: 'Who has fallen or does not move needs medical help.',
  general: 'People are notified.',
  retail: 'People are notified.',
  security: 'Who intrudes, and a crowd, are looked after by security.',
} as const;

export type Domain = keyof typeof DOMAINS;

/** Where the topology does not say it. */
export const DEFAULT_DOMAIN: Domain = 'healthcare';
