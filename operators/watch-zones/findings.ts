import type { Environment, Measure, Provenance, SensedEvent, Severity } from '../../pipeline/model/index.js';
import type { Member, Sighting } from './members.js';

export type Finding = SensedEvent | Measure;

/** Events and measures of an environment that are not output yet. */
export class Findings {
  readonly #environment: string;
  readonly #provenance: () => Provenance;
  #out: Finding[] = [];

  /** @param provenance of the newest pose frame */
  constructor({ id }: Environment, provenance: () => Provenance) {
    this.#environment = id;
    this.#provenance = provenance;
  }

  take(): Finding[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  add(findings: readonly Finding[]): void {
    this.#out.push(...findings);
  }

  event(
    type: SensedEvent['type'],
    severity: Severity,
    time: number,
    member: Member | null,
    { position, confidence }: Sighting,
    metadata: SensedEvent['metadata'],
    { of = `${String(metadata['zone'])}-${member?.id ?? ''}` } = {},
  ): void {
    this.#out.push({
      port: 'event',
      id: `${this.#environment}-${type}-${of}-${Math.round(time / 1000)}`,
      type,
      severity,
      environment: this.#environment,
      time,
      confidence,
      person: member?.id ?? null,
      location: position,
      metadata,
      source: 'csiflow',
      provenance: this.#provenance(),
    });
  }

  measure(name: string, subject: string | null, time: number, value: number): void {
    this.#out.push({
      port: 'measure',
      name,
      environment: this.#environment,
      subject,
      time,
      value,
      source: 'csiflow',
      provenance: this.#provenance(),
    });
  }
}
