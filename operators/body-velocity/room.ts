import type { Context, Operator, Output } from '../../pipeline/component/index.js';
import { NOTHING } from '../../pipeline/component/index.js';
import {
  csiLayout,
  frameSize,
  type CsiBlock,
  type CsiLayout,
  type Data,
  type Environment,
  type Measure,
  type PoseFrame,
} from '../../pipeline/model/index.js';
import { DEVIATIONS, gaussianSpectrum, type DopplerSpectrum } from '../shared/doppler-spectrum.js';
import { FrameWindow, type FrameWindowState } from '../shared/frame-window.js';
import { measureOf } from '../shared/measures.js';
import { median } from '../shared/median.js';
import { LinkStates, type LinkSnapshot } from '../shared/per-link.js';
import { profileOf, trunkVelocity, velocities, type Profile, type Seen } from './profile.js';
import { hertzPerMetre } from './projection.js';

export interface BodyVelocitySettings {
  readonly rate_hz: number;
  readonly window: number;
  readonly hop_ms: number;
  readonly max_gap_ms: number;
  readonly max_speed_mps: number;
  readonly bins: number;
  readonly sparsity: number;
  readonly links: number;
  readonly place?: readonly number[];
  readonly profile: boolean;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** State of one room. */
interface RoomState {
  /** Event time of the next profile. */
  due: number;
  /** Position and time of the newest pose with exactly one person. */
  seen: (Place & { readonly time: number }) | null;
}

/** Windows of all links, and what is known of each room. */
export interface BodyVelocityState {
  readonly windows: readonly LinkSnapshot<FrameWindowState>[];
  readonly rooms: readonly (readonly [environment: string, RoomState])[];
}

/** A pose tells where the body is for so long, microseconds. */
const POSE_HOLDS = 2_000_000;
/** Velocities with a smaller share are not output. */
const MIN_SHARE = 0.01;

/** Velocity profiles of each room, from the newest frames of its links. */
export class BodyVelocity implements Operator<'csi' | 'pose', 'measure'> {
  readonly #settings: BodyVelocitySettings;
  readonly #context: Context;
  readonly #spectrum: DopplerSpectrum;
  readonly #grid: Float64Array;
  readonly #windows: LinkStates<FrameWindow>;
  /** By link number: the window of its newest frame, and its layout. */
  readonly #newest: (readonly [FrameWindow, CsiLayout])[] = [];
  readonly #rooms = new Map<string, RoomState>();
  /** By room: its links with a full spectrum at the newest profile. */
  readonly #measured = new Map<string, number>();

  constructor(settings: BodyVelocitySettings, context: Context) {
    this.#settings = settings;
    this.#context = context;
    this.#spectrum = gaussianSpectrum(settings.window);
    this.#grid = velocities(settings.bins, settings.max_speed_mps);
    this.#windows = new LinkStates(context.links, (layout) => this.#newWindow(layout));
    for (const { id } of context.environments) this.#rooms.set(id, { due: -Infinity, seen: null });
  }

  process(data: Data<'csi' | 'pose'>): Output<Measure> {
    if (data.port === 'csi') return { data: this.#frames(data) };
    this.#see(data);
    return NOTHING;
  }

  /** Why a room has no measures. */
  describe(): Readonly<Record<string, unknown>> {
    const { links } = this.#settings;
    const rooms = [...this.#measured].map(([id, links_with_spectrum]) => [id, { links_with_spectrum }]);
    return { links_needed: links, rooms: Object.fromEntries(rooms) as Record<string, object> };
  }

  snapshot(): BodyVelocityState {
    return {
      windows: this.#windows.snapshot((window) => window.snapshot()),
      rooms: Array.from(this.#rooms, ([id, room]) => [id, { ...room }] as const),
    };
  }

  restore({ windows, rooms }: BodyVelocityState): void {
    this.#newest.length = 0;
    this.#windows.restore(windows, (layout, saved) => {
      const window = this.#newWindow(layout);
      window.restore(saved);
      return window;
    });
    // A snapshot lists the layouts of a link in the order of their last use.
    for (const { link, layout: fields } of [...windows].reverse()) {
      const entry = this.#context.links.byId(link);
      if (entry) this.#remember(entry.index, csiLayout(fields));
    }
    for (const [id, room] of rooms) if (this.#rooms.has(id)) this.#rooms.set(id, { ...room });
  }

  #newWindow(layout: CsiLayout): FrameWindow {
    return new FrameWindow(layout, this.#settings.window, this.#settings.max_gap_ms * 1000);
  }

  #remember(link: number, layout: CsiLayout): FrameWindow {
    const window = this.#windows.of(link, layout);
    this.#newest[link] = [window, layout];
    return window;
  }

  /**
   * A profile is computed at the first frame beyond its hop, before that frame is added, so that results do
   * not depend on block boundaries.
   */
  #frames({ layout, count, link, time, values }: CsiBlock): readonly Measure[] {
    const out: Measure[] = [];
    const size = frameSize(layout);
    const hop = this.#settings.hop_ms * 1000;
    for (let frame = 0; frame < count; frame++) {
      const { environment } = this.#context.links.at(link[frame]!);
      const room = this.#rooms.get(environment.id)!;
      const now = time[frame]!;
      if (now >= room.due) {
        if (room.due > -Infinity) out.push(...this.#look(environment, room));
        room.due = (Math.floor(now / hop) + 1) * hop;
      }
      this.#remember(link[frame]!, layout).add(now, values, frame * size);
    }
    return out;
  }

  #see({ environment, persons, time }: PoseFrame): void {
    const room = this.#rooms.get(environment);
    const there = persons.filter(({ track }) => track?.state !== 'ended');
    if (room && there.length === 1) room.seen = { x: there[0]!.position.x, y: there[0]!.position.y, time };
  }

  #look(environment: Environment, room: RoomState): readonly Measure[] {
    const { place, max_gap_ms: gap, links } = this.#settings;
    const { x, y } = environment.size;
    const known = room.seen && Math.abs(room.due - room.seen.time) < POSE_HOLDS ? room.seen : null;
    const at: Place = known ?? { x: place?.[0] ?? x / 2, y: place?.[1] ?? y / 2 };
    const seen = this.#newest.flatMap(([window, layout], number): Seen[] => {
      const entry = this.#context.links.at(number);
      const isFresh = window.full && Math.abs(room.due - window.time) <= 1000 * gap;
      if (entry.environment.id !== environment.id || !isFresh) return [];
      return this.#spectrumOf(window, hertzPerMetre(entry.link, at, layout.centreMhz));
    });
    this.#measured.set(environment.id, seen.length);
    if (seen.length < links) return [];
    const profile = profileOf(seen, this.#grid, this.#settings.sparsity);
    return profile ? this.#measures(profile, environment.id, room.due) : [];
  }

  /** Shares of the power above the noise; empty if nothing is above it. */
  #spectrumOf(window: FrameWindow, axis: readonly [number, number]): Seen[] {
    window.look(this.#spectrum);
    const { power, bins } = this.#spectrum;
    const floor = median(power);
    const above = power.map((value) => Math.max(0, value - floor));
    const total = above.reduce((a, b) => a + b, 0);
    if (!(total > 0 && total < Infinity)) return [];
    const { rate_hz, window: frames } = this.#settings;
    // For a Gaussian of sigma seconds, the power of the transform has the deviation 1 / (2 sqrt(2) pi sigma).
    const width = (DEVIATIONS * rate_hz) / (frames * 2 * Math.SQRT2 * Math.PI);
    return [{ spectrum: above.map((value) => value / total), step: rate_hz / bins, width, axis }];
  }

  #measures({ shares, fit }: Profile, environment: string, time: number): readonly Measure[] {
    const grid = this.#grid;
    const [vx, vy] = trunkVelocity(shares, grid);
    const values: (readonly [name: string, subject: string | null, value: number])[] = [];
    shares.forEach((share, cell) => {
      const [x, y] = [grid[cell % grid.length]!, grid[Math.floor(cell / grid.length)]!];
      if (this.#settings.profile && share >= MIN_SHARE)
        values.push(['body_velocity_share', `x=${x.toFixed(2)},y=${y.toFixed(2)}`, share]);
    });
    values.unshift(
      ['body_velocity_x_mps', null, vx],
      ['body_velocity_y_mps', null, vy],
      ['body_speed_mps', null, Math.hypot(vx, vy)],
      ['body_velocity_fit', null, fit],
    );
    return values.map(([name, subject, value]) =>
      measureOf(this.#context, { name, environment, subject, time, value }),
    );
  }
}
