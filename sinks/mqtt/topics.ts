import type { Measure } from '../../pipeline/model/index.js';

/** The topics of one environment. All names in them belong to bounded sets, except for the numbers of people. */
export class Topics {
  readonly #root: string;

  constructor(prefix: string, environment: string) {
    this.#root = `${prefix}/${environment}`;
  }

  person(id: number | null): string {
    return `${this.#root}/pose/person/${id ?? 'untracked'}`;
  }

  get summary(): string {
    return `${this.#root}/pose/summary`;
  }

  alert(type: string): string {
    return `${this.#root}/alerts/${type}`;
  }

  status(part: 'connection' | 'engine' | 'occupancy' | 'room'): string {
    return `${this.#root}/status/${part}`;
  }

  /** The state of a zone; of the whole environment, if it is null. */
  region(zone: string | null): string {
    return zone === null ? this.status('room') : `${this.#root}/zones/${zone}`;
  }

  analytics(domain: Domain): string {
    return `${this.#root}/analytics/${domain}`;
  }
}

/** Topic level of a measure's source. Senders' own claims are separate: they are never findings of csiflow. */
export type Domain =
  'occupancy' | 'motion' | 'vitals' | 'activity' | 'link_quality' | 'other' | 'claims' | 'claimed_events';

export function domainOf({ name, source }: Measure): Domain {
  if (source !== 'csiflow') return 'claims';
  return DOMAINS.find(({ names }) => names.test(name))?.domain ?? 'other';
}

const DOMAINS: readonly { readonly domain: Domain; readonly names: RegExp }[] = [
  { domain: 'occupancy', names: /^(presence|occupancy|people|zone)/ },
  { domain: 'motion', names: /^motion/ },
  { domain: 'vitals', names: /^(breathing|heart|respiration|vitals)/ },
  {
    domain: 'activity',
    names: /^(activity|minutes|steps|inactivity|sleep|(walking|standing|sitting|lying|moving)_seconds)/,
  },
  { domain: 'link_quality', names: /^(link_|packet|rssi|noise|snr|signal|loss|frame_rate)/ },
];
