import type { Context } from '../../../pipeline/component/index.js';
import { LinkTable, type Environment, type Window } from '../../../pipeline/model/index.js';
import { benchContext } from '../../shared/context.js';
import { simulatedWindow } from '../../shared/simulated-window.js';

/** Rooms whose windows are inferred, in turn. */
export const ROOMS = 8;
/** Between two windows of a room, as `window` makes them. */
const HOP_US = 200_000;

/** Simulated windows of several rooms; as many as needed, in order of event time. */
export class Rooms {
  readonly environments: readonly Environment[];
  readonly #windows: readonly Window[];

  constructor(links: number) {
    const rooms = Array.from({ length: ROOMS }, (_, seed) => simulatedWindow(seed + 1, { links }));
    this.environments = rooms.map(({ environment }) => environment);
    this.#windows = rooms.map(({ window }) => window);
  }

  /** The window of that number: its room's turn, one hop after its last. */
  window(number: number): Window {
    const window = this.#windows[number % ROOMS]!;
    const index = Math.floor(number / ROOMS);
    return { ...window, index, start: window.start + index * HOP_US };
  }

  context(): Context {
    const { environments } = this;
    return { ...benchContext(1), environments, links: new LinkTable(environments) };
  }
}
