import type { Measure } from '../../pipeline/model/index.js';
import { provenanceBody } from '../shared/alert.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import type { Domain } from './topics.js';

type Values = Record<string, number>;

/** The newest values of a domain: of the whole environment, and of links, zones and people. */
interface DomainState {
  readonly room: Values;
  readonly subjects: Map<string, { values: Values; time: number }>;
}

/** Values not measured again for this long are dropped from the state, microseconds of event time. */
const FORGOTTEN_AFTER = 300_000_000;
/** Limit of subjects of a domain; the least recently updated one is dropped first. */
const MAX_SUBJECTS = 4096;
/** Limit of names of measures of a domain for the whole room. */
const MAX_NAMES = 256;

/** Stores the newest measures of one environment, so that a retained message contains the whole state. */
export class Analytics {
  readonly #domains = new Map<Domain, DomainState>();

  /** The state of a domain after measures of one moment. @throws RangeError for a value that is not a number */
  state(domain: Domain, measures: readonly [Measure, ...Measure[]]): object {
    const [{ environment, time, provenance }] = measures;
    for (const { name, value } of measures)
      if (!Number.isFinite(value))
        throw new RangeError(`${name} is ${value}: JSON supports only finite numbers`);
    const state = this.#domain(domain);
    for (const measure of measures) note(state, measure);
    forget(state, time);
    return {
      environment_id: environment,
      timestamp: isoTime(time),
      room: state.room,
      subjects: Object.fromEntries([...state.subjects].map(([subject, { values }]) => [subject, values])),
      provenance: provenanceBody(provenance),
    };
  }

  #domain(domain: Domain): DomainState {
    let state = this.#domains.get(domain);
    if (!state) this.#domains.set(domain, (state = { room: {}, subjects: new Map() }));
    return state;
  }
}

function note({ room, subjects }: DomainState, { name, value, subject, source, time }: Measure): void {
  const about = source === 'csiflow' ? subject : [source, subject].filter((part) => part !== null).join('/');
  if (about === null) {
    if (Object.hasOwn(room, name) || Object.keys(room).length < MAX_NAMES) room[name] = value;
    return;
  }
  const known = subjects.get(about);
  // Delete before setting: the map is ordered by the last update.
  subjects.delete(about);
  subjects.set(about, { values: { ...known?.values, [name]: value }, time });
}

function forget({ subjects }: DomainState, now: number): void {
  for (const [subject, { time }] of subjects) {
    if (time > now - FORGOTTEN_AFTER && subjects.size <= MAX_SUBJECTS) return;
    subjects.delete(subject);
  }
}
