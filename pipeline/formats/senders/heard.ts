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
    const seconds = (this.last - this.first) / 1e6;
    return {
      format,
      frames: this.frames,
      frames_per_second: seconds > 0 ? Math.round(((this.frames - 1) / seconds) * 1000) / 1000 : 0,
      layout: this.layout,
    };
  }
}

export interface HeardState {
  readonly format: string;
  readonly frames: number;
  /** In event time; 0 after a single frame. */
  readonly frames_per_second: number;
  /** Key of a layout, or of the several layouts of one frame; null if only other packets arrived. */
  readonly layout: string | null;
}
