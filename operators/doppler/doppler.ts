import { Type, type Static } from 'typebox';
import { defineOperator, type Output } from '../../pipeline/component/index.js';
import { frameSize, type CsiLayout, type Measure } from '../../pipeline/model/index.js';
import { FrameWindow, type FrameWindowState } from '../shared/frame-window.js';
import { linkMeasures } from '../shared/measures.js';
import { maxGap, RATE, windowFrames } from '../shared/spectrum-settings.js';
import { LinkStates, type LinkSnapshot } from '../shared/per-link.js';
import {
  DopplerSpectrum,
  gaussianSpectrum,
  hann,
  movement,
  type Movement,
} from '../shared/doppler-spectrum.js';
import { WRITES } from './written.js';

/** SHARP's window and number of frequencies; for the other method they are settings. */
const SHARP_FRAMES = 31;
const SHARP_BINS = 100;

const config = Type.Object(
  {
    method: Type.Union([Type.Literal('stft'), Type.Literal('sharp')], {
      default: 'stft',
      description:
        '`stft`: a Gaussian window of `window` frames. `sharp`: as in SHARP, a Hann window of 31 frames, 100 frequencies, and nothing below -12 dB.',
    }),
    rate_hz: RATE,
    window: windowFrames('Frames of a window of `stft`. Twice as many frequencies are computed.'),
    hop: Type.Integer({
      minimum: 1,
      maximum: 1024,
      default: 10,
      description: 'Frames between spectra.',
    }),
    max_gap_ms: maxGap('window'),
  },
  { additionalProperties: false },
);
type Config = Static<typeof config>;

export const doppler = defineOperator({
  name: 'doppler',
  summary: 'Measures the Doppler shift that moving people cause on each link.',
  description: `
Use it behind \`conjugate-multiply\`, \`csi-ratio\` or \`phase-sanitize\`, with \`resample\` in between: it assumes frames
evenly spaced at \`rate_hz\`.

Over the last frames of a link it computes the power of each frequency, without the mean, summed over subcarriers and antennas,
and outputs two measures per spectrum:

- \`doppler_shift_hz\`: the mean frequency, weighted by the power above the noise. Positive: the path over the person becomes
  shorter. The sign has a meaning behind \`csi-ratio\`; with uncleaned phases it has none, and behind
  \`conjugate-multiply\` hardly any.
- \`doppler_edge_hz\`: the frequency, either way, below which 95 % of that power lies: the fastest limbs.

A path that changes by one wavelength per second (6 cm at 5 GHz, 12 cm at 2.4 GHz) shifts by 1 Hz; a body moving at v changes it
by up to 2 v. Frequencies beyond half of \`rate_hz\` alias: at 100 frames per second and 5.3 GHz this affects bodies faster than 1.4 m/s.

Gotchas: noise is the median over all frequencies, so movement that fills more than half of them is underestimated. It outputs
nothing until a window is full. Values that are not numbers count as 0.

Sources: Qian et al., Widar 2.0 (MobiSys 2018); \`csiDoppler\` of csiread; Meneghello et al., SHARP (TMC 2022).
`,
  inputs: ['csi'],
  outputs: ['measure'],
  writes: WRITES,
  stateFields: ['method', 'window'],
  timeFields: ['time'],
  config,
  examples: [
    { title: 'Ten spectra per second', config: { rate_hz: 100, hop: 10 } },
    { title: 'As SHARP, at 170 frames per second', config: { method: 'sharp', rate_hz: 170, hop: 1 } },
  ],
  create: (settings, context) => {
    const spectrum =
      settings.method === 'sharp'
        ? new DopplerSpectrum(hann(SHARP_FRAMES), SHARP_BINS)
        : gaussianSpectrum(settings.window);
    const make = (layout: CsiLayout): DopplerWindow => new DopplerWindow(layout, settings, spectrum);
    const windows = new LinkStates(context.links, make);
    return {
      process: (block): Output<Measure> => {
        const data: Measure[] = [];
        const size = frameSize(block.layout);
        for (let frame = 0; frame < block.count; frame++) {
          const link = block.link[frame]!;
          const time = block.time[frame]!;
          const found = windows.of(link, block.layout).add(time, block.values, frame * size);
          if (!found) continue;
          const { shift, edge } = found;
          const values = [['doppler_shift_hz', shift] as const, ['doppler_edge_hz', edge] as const];
          data.push(...linkMeasures(context, link, time, values));
        }
        return { data };
      },
      snapshot: () => windows.snapshot((window) => window.snapshot()),
      restore: (state: readonly LinkSnapshot<DopplerState>[]) => {
        windows.restore(state, (layout, saved) => {
          const window = make(layout);
          window.restore(saved);
          return window;
        });
      },
    };
  },
});

interface DopplerState extends FrameWindowState {
  readonly waiting: number;
}

/** The last frames of one link. */
class DopplerWindow {
  readonly #settings: Config;
  readonly #spectrum: DopplerSpectrum;
  readonly #window: FrameWindow;
  /** Frames until the next spectrum. */
  #waiting = 0;

  constructor(layout: CsiLayout, settings: Config, spectrum: DopplerSpectrum) {
    this.#settings = settings;
    this.#spectrum = spectrum;
    const frames = settings.method === 'sharp' ? SHARP_FRAMES : settings.window;
    this.#window = new FrameWindow(layout, frames, settings.max_gap_ms * 1000);
  }

  /** Adds a frame; returns the result of a full window, every `hop` frames. */
  add(time: number, values: Float32Array, at: number): Movement | null {
    if (!this.#window.add(time, values, at)) this.#waiting = 0;
    if (!this.#window.full || --this.#waiting > 0) return null;
    this.#waiting = this.#settings.hop;
    this.#window.look(this.#spectrum);
    const { rate_hz, method } = this.#settings;
    return movement(this.#spectrum.power, rate_hz / this.#spectrum.bins, method === 'sharp');
  }

  snapshot(): DopplerState {
    return { ...this.#window.snapshot(), waiting: this.#waiting };
  }

  restore({ waiting, ...window }: DopplerState): void {
    this.#waiting = waiting;
    this.#window.restore(window);
  }
}
