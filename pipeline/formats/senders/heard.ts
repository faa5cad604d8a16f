/** What was heard of a sender: how many frames, how often, and of which layout the newest one was. */
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
  /** Of event time; 0 where it was heard once. */
  readonly frames_per_second: number;
  /** Key of a layout, or of several of one frame; null where only other packets came. */
  readonly layout: string | null;
}
