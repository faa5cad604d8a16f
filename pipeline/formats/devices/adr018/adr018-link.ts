import type { Data, LinkEntry, Measure, Provenance } from '../../../model/index.js';
import { decodeSync, decodeVitals, type PacketKind, type Sync, type Vitals } from './adr018-packets.js';
import { SequenceTracker, type SequenceState } from '../../decoder/sequence.js';

/** State of a link, from the numbers of its frames and the claims of its node. */
export class LinkState {
  readonly entry: LinkEntry;
  readonly frames = new SequenceTracker(32);
  readonly features = new SequenceTracker(16);
  #received = 0;
  #lost = 0;
  #falling = false;
  #clock: Sync | null = null;

  constructor(entry: LinkEntry) {
    this.entry = entry;
  }

  /** Share of frames lost since the last call; undefined without frames. */
  closeSecond(time: number, provenance: Provenance): Measure | undefined {
    const received = this.frames.received - this.#received;
    const lost = Math.max(0, this.frames.lost - this.#lost);
    this.#received = this.frames.received;
    this.#lost = this.frames.lost;
    if (received === 0) return undefined;
    return this.#measure('packet_loss', time, lost / (received + lost), 'csiflow', provenance);
  }

  /** A packet of its node other than a frame; returns the node's claims. */
  take(kind: PacketKind, view: DataView, time: number, provenance: Provenance): readonly Data[] {
    if (kind === 'features') this.features.see(view.getUint16(6, true));
    if (kind === 'sync') this.#clock = decodeSync(view);
    return kind === 'vitals' ? this.#claims(decodeVitals(view), time, provenance) : [];
  }

  /** Vitals as measures and, when a fall begins, an event: all of them claims of the node. */
  #claims(vitals: Vitals, time: number, provenance: Provenance): readonly Data[] {
    const source = `node-${vitals.node}`;
    const measure = (name: string, value: number) => this.#measure(name, time, value, source, provenance);
    const claims: Data[] = [
      measure('presence', Number(vitals.presence)),
      measure('motion', vitals.motion),
      measure('occupancy', vitals.persons),
    ];
    if (vitals.breathingBpm > 0) claims.push(measure('breathing_rate_bpm', vitals.breathingBpm));
    if (vitals.heartBpm > 0) claims.push(measure('heart_rate_bpm', vitals.heartBpm));
    if (vitals.fall && !this.#falling) claims.push(this.#fall(vitals, time, source, provenance));
    this.#falling = vitals.fall;
    return claims;
  }

  snapshot(): LinkSnapshot {
    return {
      frames: this.frames.snapshot(),
      features: this.features.snapshot(),
      received: this.#received,
      lost: this.#lost,
      falling: this.#falling,
      clock: this.#clock,
    };
  }

  restore(state: LinkSnapshot): void {
    this.frames.restore(state.frames);
    this.features.restore(state.features);
    this.#received = state.received;
    this.#lost = state.lost;
    this.#falling = state.falling;
    // Checkpoints of 0.1.0 have none.
    this.#clock = state.clock ?? null;
  }

  describe(): Readonly<Record<string, unknown>> {
    const { received, lost, duplicates, reordered, restarts } = this.frames;
    const loss = received + lost === 0 ? 0 : lost / (received + lost);
    const sender = this.entry.link.sender;
    return {
      sender,
      received,
      lost,
      loss,
      duplicates,
      reordered,
      restarts,
      features_lost: this.features.lost,
      ...(this.#clock && { mesh_clock: meshClock(this.#clock) }),
    };
  }

  #measure(name: string, time: number, value: number, source: string, provenance: Provenance): Measure {
    const { link, environment } = this.entry;
    return {
      port: 'measure',
      name,
      environment: environment.id,
      subject: link.id,
      time,
      value,
      source,
      provenance,
    };
  }

  #fall(vitals: Vitals, time: number, source: string, provenance: Provenance): Data<'event'> {
    const environment = this.entry.environment.id;
    return {
      port: 'event',
      id: `${environment}-${this.entry.link.id}-${source}-fall_detection-${Math.round(time / 1000)}`,
      type: 'fall_detection',
      severity: 'medium',
      environment,
      time,
      // The packet contains none.
      confidence: 0,
      person: null,
      location: null,
      metadata: {
        link: this.entry.link.id,
        claimed_motion: vitals.motion,
        claimed_presence_score: vitals.presenceScore,
      },
      source,
      provenance,
    };
  }
}

export interface LinkSnapshot {
  readonly frames: SequenceState;
  readonly features: SequenceState;
  readonly received: number;
  readonly lost: number;
  readonly falling: boolean;
  readonly clock?: Sync | null;
}

/** Offset of the node's own clock behind that of its mesh, as last reported. */
const meshClock = ({ epoch, local, isLeader, isValid, sequence }: Sync) => ({
  ahead_us: epoch - local,
  leader: isLeader,
  valid: isValid,
  at_sequence: sequence,
});
