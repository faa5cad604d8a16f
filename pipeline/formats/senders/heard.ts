/** Activity of a sender: number of frames, rate, and the layout of the newest frame. */
export class Heard {
  readonly first: number;
  last: number;
  frames = 0;
  layout: string | null = null;

  /** @param time of its first frame, microseconds */
  constructor(time: number) {
    this.first = time;
    this.last = time;
  }

  see(time: number, layout: string | null): void {
    this.frames++;
    this.last = time;
    if (layout !== null) this.layout = layout;
  }

  describe(format: string): HeardState {
    const rate = rateOf(this.frames, (this.last - this.first) / 1e6);
    return {
      format,
      frames: this.frames,
      frames_per_second: Math.round(rate * 1000) / 1000,
      layout: this.layout,
    };
  }
}

/** Frames per second: n frames are n - 1 intervals. @param seconds from the first to the last */
export const rateOf = (frames: number, seconds: number): number =>
  seconds > 0 ? Math.max(0, frames - 1) / seconds : 0;

export interface HeardState {
  readonly format: string;
  readonly frames: number;
  /** In event time; 0 after a single frame. */
  readonly frames_per_second: number;
  /** Key of a layout, or of the several layouts of one frame; null if only other packets arrived. */
  readonly layout: string | null;
}
